package worker

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
)

// line is a clock that only the test moves.
type line struct {
	mu  sync.Mutex
	now time.Time
}

func newLine() *line { return &line{now: time.Unix(1_800_000_000, 0)} }

func (l *line) Now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *line) advance(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// workOff works a lease to its end as schedule and fetcher do, in a pool that does
// not serve. It waits for nothing: what is to come later moves the clock.
func (r *rig) workOff(clock *line, l crawl.Lease) {
	r.t.Helper()
	r.Take(l, clock.Now())
	for {
		select {
		case t := <-r.schedule.back:
			clock.advance(max(t.at.Sub(clock.Now()), 0))
			r.step(r.t.Context(), t)
		default:
			if _, leases := r.InFlight(); leases != 0 {
				r.t.Fatalf("%d leases did not come home", leases)
			}
			return
		}
	}
}

// last returns the latest outcome.
func (r *rig) last() crawl.Outcome {
	r.t.Helper()
	all := r.books.outcomes()
	if len(all) == 0 {
		r.t.Fatal("nothing was settled")
	}
	return all[len(all)-1]
}

// rules makes the pool know the robots.txt of the host of a URL.
func (r *rig) rules(url, text string) {
	r.t.Helper()
	rec := robots.Record{Class: robots.ClassRules, Fetched: r.cfg.Now().Truncate(time.Second), Status: 200, Body: []byte(text)}
	if err := r.cache.Put(mustURL(r.t, url).Origin(), rec); err != nil {
		r.t.Fatal(err)
	}
}
