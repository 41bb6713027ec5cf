package journal

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
)

func TestJournal_NumbersEventsAndKeepsTheLatest(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	j := New(func() time.Time { return now })
	if events, next, dropped := j.Events(0, 10); len(events) != 0 || next != 0 || dropped {
		t.Errorf("since(0) of nothing = %d events, %d, %v", len(events), next, dropped)
	}
	add := func(n int) {
		for range n {
			j.Add(api.Event{Text: fmt.Sprint(j.Seq() + 1)})
		}
	}
	add(Size)
	events, next, dropped := j.Events(0, 1<<20)
	if len(events) != Size || next != Size || dropped {
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
		{0, 1 << 20, 4, Size, Size + 3, true},
		{2, 5, 4, 5, 8, true},
		{3, 5, 4, 5, 8, false},
		{3, 0, 0, 0, 3, false},
		{100, 2, 101, 2, 102, false},
		{Size + 2, 10, Size + 3, 1, Size + 3, false},
		{Size + 3, 10, 0, 0, Size + 3, false},
		{1 << 60, 10, 0, 0, Size + 3, false}, // from another boot
	} {
		events, next, dropped := j.Events(c.since, c.limit)
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
		j := New(time.Now)
		j.Add(api.Event{})
		j.Wait(t.Context(), 0) // there is one already
		woken := make(chan uint64)
		for range 3 {
			go func() {
				j.Wait(t.Context(), 1)
				woken <- j.Seq()
			}()
		}
		synctest.Wait()
		select {
		case <-woken:
			t.Fatal("wait returned without an event")
		default:
		}
		j.Add(api.Event{})
		for range 3 {
			if n := <-woken; n != 2 {
				t.Errorf("woken at %d", n)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		j.Wait(ctx, 2)
		if d := time.Since(start); d != time.Minute {
			t.Errorf("wait returned after %v, want with its context", d)
		}
	})
}

func TestRate(t *testing.T) {
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
		m := NewRate(func() time.Time { return now })
		for _, s := range c.steps {
			now = now.Add(s.wait)
			m.Add(s.add)
		}
		if rate, total := m.PerSecond(); rate < 0.95*c.rate || rate > 1.05*c.rate || total != c.total {
			t.Errorf("%s: rate %.2f, total %d; want %.2f, %d", c.name, rate, total, c.rate, c.total)
		}
	}
}

func TestSites(t *testing.T) {
	now := time.Unix(1000, 0)
	s := NewSites(func() time.Time { return now })
	want := func(when string, n int, ok bool) {
		t.Helper()
		if got, known := s.Count(); got != n || known != ok {
			t.Errorf("%s: %d, %t, want %d, %t", when, got, known, n, ok)
		}
	}
	s.Add("a.test")
	s.Add("a.test")
	now = now.Add(30 * time.Second)
	s.Add("b.test")
	want("after 30 s", 2, true)
	now = now.Add(30 * time.Second)
	want("after 60 s", 1, true)
	now = now.Add(-time.Hour)
	want("when the clock was set back", 0, true)
	for i := range maxSites + 5 {
		s.Add(crawl.Domain(fmt.Sprintf("%d.test", i)))
	}
	want("too many", maxSites, false)
	now = now.Add(time.Minute)
	s.Add("a.test")
	want("a minute later", 1, true)
}
