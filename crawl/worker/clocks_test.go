package worker

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// watches are the two clocks of a Pool.
type watches struct {
	now  time.Time
	lead time.Duration
}

func (w *watches) pass(d, leap time.Duration) { w.now, w.lead = w.now.Add(d), w.lead+leap }

func (w *watches) clocks() *clocks {
	return &clocks{now: func() time.Time { return w.now }, latest: func() time.Time { return w.now.Add(w.lead) }}
}

func TestPool_LeaseIsOverByTheClockThatSaysSoFirst(t *testing.T) {
	const lasts = 2 * time.Minute
	for _, c := range []struct {
		name string
		does func(w *watches, c *clocks) *turn
		left time.Duration
	}{
		{"nothing has passed", func(w *watches, c *clocks) *turn { return c.turnOf(lasts, w.now) }, lasts},
		{"time passes", func(w *watches, c *clocks) *turn {
			x := c.turnOf(lasts, w.now)
			w.pass(time.Minute, 0)
			return x
		}, time.Minute},
		{"the wall clock leaps", func(w *watches, c *clocks) *turn {
			x := c.turnOf(lasts, w.now)
			w.pass(time.Second, 90*time.Second)
			return x
		}, 29 * time.Second},
		{"it leaped long before", func(w *watches, c *clocks) *turn {
			c.read()
			w.pass(time.Second, time.Hour)
			c.read()
			w.pass(time.Second, 0)
			return c.turnOf(lasts, w.now)
		}, lasts},
		{"it leaps before the answer comes", func(w *watches, c *clocks) *turn {
			c.read()
			asked := w.now
			w.pass(time.Second, time.Minute)
			return c.turnOf(lasts, asked)
		}, 59 * time.Second},
		{"it leaps while nobody looks", func(w *watches, c *clocks) *turn {
			c.read()
			w.pass(time.Hour, 0)
			asked := w.now
			w.pass(time.Second, time.Minute)
			return c.turnOf(lasts, asked)
		}, 59 * time.Second},
		{"it leaps more often than is remembered", func(w *watches, c *clocks) *turn {
			asked := w.now
			for range 2 * maxLeads {
				c.read()
				w.pass(0, time.Second)
			}
			return c.turnOf(lasts, asked.Add(time.Hour))
		}, lasts + time.Hour},
	} {
		w := &watches{now: time.Unix(1_800_000_000, 0)}
		clocks := w.clocks()
		clocks.read()
		x := c.does(w, clocks)
		if left := clocks.left(x, x.deadline); left != c.left {
			t.Errorf("%s: %v left, want %v", c.name, left, c.left)
		}
		if clocks.isOver(x) != (c.left <= 0) || len(clocks.list) > maxLeads {
			t.Errorf("%s: over %v, %d leads", c.name, clocks.isOver(x), len(clocks.list))
		}
	}
}

func (c *clocks) turnOf(lasts time.Duration, asked time.Time) *turn {
	return &turn{Lease: crawl.Lease{For: lasts}, deadline: asked.Add(lasts), lead: c.leadAt(asked)}
}
