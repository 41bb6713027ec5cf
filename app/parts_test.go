package app

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/clock"
)

func TestJournal_NumbersEventsAndKeepsTheLatest(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	j := newJournal(func() time.Time { return now })
	if events, next, dropped := j.since(0, 10); len(events) != 0 || next != 0 || dropped {
		t.Errorf("since(0) of nothing = %d events, %d, %v", len(events), next, dropped)
	}
	add := func(n int) {
		for range n {
			j.add(api.Event{Text: fmt.Sprint(j.seq() + 1)})
		}
	}
	add(journalSize)
	events, next, dropped := j.since(0, 1<<20)
	if len(events) != journalSize || next != journalSize || dropped {
		t.Fatalf("since(0) = %d events, %d, %v", len(events), next, dropped)
	}
	add(3) // the first three fall out
	for _, c := range []struct {
		since   uint64
		limit   int
		first   uint64
		count   int
		next    uint64
		dropped bool
	}{
		{0, 1 << 20, 4, journalSize, journalSize + 3, true},
		{2, 5, 4, 5, 8, true},
		{3, 5, 4, 5, 8, false},
		{3, 0, 0, 0, 3, false},
		{100, 2, 101, 2, 102, false},
		{journalSize + 2, 10, journalSize + 3, 1, journalSize + 3, false},
		{journalSize + 3, 10, 0, 0, journalSize + 3, false},
		{1 << 60, 10, 0, 0, journalSize + 3, false}, // from another boot
	} {
		events, next, dropped := j.since(c.since, c.limit)
		if len(events) != c.count || next != c.next || dropped != c.dropped {
			t.Errorf("since(%d, %d) = %d events, %d, %v; want %d, %d, %v", c.since, c.limit, len(events), next, dropped, c.count, c.next, c.dropped)
			continue
		}
		for i, e := range events {
			if want := c.first + uint64(i); e.ID != want || e.Text != fmt.Sprint(want) || e.Time != now {
				t.Fatalf("since(%d): event %d is %+v, want ID %d", c.since, i, e, want)
			}
		}
	}
}

func TestJournal_WaitEndsWithAnEventOrTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJournal(time.Now)
		j.add(api.Event{})
		j.wait(t.Context(), 0) // there is one already
		woken := make(chan uint64)
		for range 3 {
			go func() {
				j.wait(t.Context(), 1)
				woken <- j.seq()
			}()
		}
		synctest.Wait()
		select {
		case <-woken:
			t.Fatal("wait returned without an event")
		default:
		}
		j.add(api.Event{})
		for range 3 {
			if n := <-woken; n != 2 {
				t.Errorf("woken at %d", n)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		j.wait(ctx, 2)
		if d := time.Since(start); d != time.Minute {
			t.Errorf("wait returned after %v, want with its context", d)
		}
	})
}

func TestRateMeter(t *testing.T) {
	type step struct {
		wait time.Duration
		add  uint64
	}
	second := func(n int, add uint64) (s []step) {
		for range n {
			s = append(s, step{time.Second, add})
		}
		return s
	}
	for _, c := range []struct {
		name  string
		steps []step
		rate  float64
		total uint64
	}{
		{"nothing", nil, 0, 0},
		{"at once", []step{{0, 5}}, 5, 5},
		{"a young node", second(10, 2), 2, 20},
		{"a steady node", second(300, 3), 3, 900},
		{"half a minute of work, half of rest", append(second(300, 4), step{30 * time.Second, 0}), 2, 1200},
		{"long ago", append(second(100, 4), step{time.Hour, 0}), 0, 400},
		{"after a rest", append(second(100, 4), step{time.Hour, 60}), 1, 460},
		{"the clock was set back", append(append(second(100, 1), step{-time.Hour, 0}), second(60, 1)...), 1, 160},
		{"the clock was set back before the start", append([]step{{-time.Hour, 0}}, second(60, 1)...), 1, 60},
	} {
		now := time.Unix(1_800_000_000, 0)
		m := newRateMeter(func() time.Time { return now })
		for _, s := range c.steps {
			now = now.Add(s.wait)
			m.add(s.add)
		}
		if rate, total := m.rate(); rate < 0.95*c.rate || rate > 1.05*c.rate || total != c.total {
			t.Errorf("%s: rate %.2f, total %d; want %.2f, %d", c.name, rate, total, c.rate, c.total)
		}
	}
}

func TestDescribe_SaysWhatIsWrongWithADomain(t *testing.T) {
	steady := clock.Open(clock.State{})
	month := steady.Now().Add(30 * 24 * time.Hour)
	for _, c := range []struct {
		tell          func(*domainInfo)
		state, reason string
	}{
		{func(d *domainInfo) { d.Fetched = 3 }, "done", ""},
		{func(d *domainInfo) { d.Queued = 3; d.Leased = true }, "being visited", ""},
		{func(d *domainInfo) { d.Queued = 3; d.Next = month }, "waiting", ""},
		{func(d *domainInfo) { d.Queued = 3; d.AllHeld = true; d.Reason = "robots.txt answered 500" }, "cannot be reached", "robots.txt answered 500"},
		{func(d *domainInfo) { d.Queued = 3; d.AllHeld = true; d.Reason = "you asked never to visit it" }, "waiting", ""},
		{func(d *domainInfo) { d.Queued = 3; d.Troubled = true; d.Reason = "Too Many Requests" }, "asked us to wait, or failed", "Too Many Requests"},
		{
			func(d *domainInfo) { d.Queued = 3; d.Retired = true; d.Next = month; d.Reason = "connection refused" }, "given up for now",
			"kept failing (connection refused), next try on " + steady.Wall(month).Format("2 January 2006"),
		},
		{func(d *domainInfo) { d.Fetched = 9; d.Dropped = 5; d.Budget = 10 }, "done", "5 URLs dropped: the site may have 10"},
		{func(d *domainInfo) { d.Fetched = 9; d.Dropped = 5; d.Budget = 10; d.DroppedBy = 1 }, "done", "5 URLs dropped: the site may have 10"},
		{
			func(d *domainInfo) { d.Fetched = 9; d.Dropped = 840; d.Budget = 10_000; d.DroppedBy = limitForeign }, "done",
			"840 URLs dropped: only other sites link to them, and such URLs may fill half of the site's 10,000",
		},
		{
			func(d *domainInfo) { d.Fetched = 9; d.Dropped = 840; d.Budget = 10_000; d.DroppedBy = limitShape }, "done",
			"840 URLs dropped: too many combinations of parameters on one path",
		},
		{func(d *domainInfo) { d.Fetched = 9; d.Dropped = 840; d.DroppedBy = limitFull }, "done", "840 URLs dropped: this computer's queue was full"},
		{func(d *domainInfo) { d.Fetched = 9; d.Dropped = 840; d.DroppedBy = limitRetired }, "done", "840 URLs dropped: Forage had given up on the site for now"},
		{
			func(d *domainInfo) {
				d.Fetched = 9
				d.Dropped = maxDropped
				d.Budget = 10_000
				d.DroppedBy = limitBrought
			}, "done",
			"10,000 or more links to new sites dropped: one site may bring in 10,000",
		},
		{
			func(d *domainInfo) { d.Fetched = 60; d.Duplicates = 30; d.Gone = 40; d.Dropped = 5; d.Budget = 200 }, "done",
			"5 URLs dropped: 70 of 100 answers were duplicates or errors, so the site may have only 200",
		},
	} {
		var info domainInfo
		c.tell(&info)
		got := describe("en", info, momentOf(steady))
		if got.State != c.state || got.Reason != c.reason {
			t.Errorf("%+v: %q, %q; want %q, %q", info, got.State, got.Reason, c.state, c.reason)
		}
		if info.Retired && (got.NextVisit == nil || got.NextVisit.Sub(steady.Wall(month)).Abs() > time.Minute) {
			t.Errorf("next visit %v, want %v", got.NextVisit, month)
		}
	}
}
