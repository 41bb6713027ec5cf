package worker

import (
	"sync"
	"time"
)

// A lease is over when the clock that counts suspend says so, or the wall clock: a virtual machine
// that was stopped, or a system without such a clock, knows by the wall clock alone for how long it was
// away. Config.Latest follows the wall clock where it runs ahead of Config.Now; by how much is its lead.

const (
	// leadStep is the least by which a lead grows: the two clocks are not read at the same moment.
	leadStep = 100 * time.Millisecond
	// maxLeads bounds the growths that are remembered, for leases that were asked for before.
	maxLeads = 16
)

// clocks tell when a lease is over. They remember how the lead has grown. Methods are safe for concurrent use.
type clocks struct {
	now, latest func() time.Time

	mu   sync.Mutex
	list []lead // oldest first
}

// lead is by how much Config.Latest was ahead from a moment on.
type lead struct {
	from time.Time
	by   time.Duration
}

// read returns what time it is and the lead at that time.
func (c *clocks) read() (now time.Time, by time.Duration) {
	now = c.now()
	by = c.latest().Sub(now)
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list
	if n := len(list); n == 0 || by >= list[n-1].by+leadStep {
		if n == maxLeads {
			list = append(list[:0], list[1:]...)
		}
		c.list = append(list, lead{now, by})
		return now, by
	}
	return now, list[len(list)-1].by
}

// leadAt returns the lead at a time in the past, or a smaller one.
func (c *clocks) leadAt(at time.Time) time.Duration {
	c.read()
	c.mu.Lock()
	defer c.mu.Unlock()
	by := c.list[0].by
	for _, l := range c.list[1:] {
		if l.from.After(at) {
			break
		}
		by = l.by
	}
	return by
}

// left returns how long it is until a point in the time of a turn, by the clock that says less: the
// one that stands still in suspend, where now has that reading, the one that does not, or the wall
// clock.
func (c *clocks) left(t *turn, at time.Time) time.Duration {
	now, by := c.read()
	gone := max(by-t.lead, 0)
	return min(at.Sub(now), at.Round(0).Sub(now.Round(0))) - gone
}

// isOver reports whether a lease is over, and isClosing whether nothing more of it is to be begun.
func (c *clocks) isOver(t *turn) bool    { return c.left(t, t.deadline) <= 0 }
func (c *clocks) isClosing(t *turn) bool { return c.left(t, t.closing) <= 0 }
