package worker

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// paces is what a Pool asks for room: it counts the questions, and those from the one of that number on, if
// set, wait until there is room.
type paces struct {
	mu    sync.Mutex
	n     int
	from  int
	asked chan struct{} // each time somebody begins to wait
	room  chan struct{} // closed: there is
	also  func()
}

func newPaces(from int) *paces {
	return &paces{from: from, asked: make(chan struct{}, 1000), room: make(chan struct{})}
}

func (s *paces) pace(ctx context.Context) error {
	s.mu.Lock()
	s.n++
	wait := s.from > 0 && s.n >= s.from
	if s.also != nil {
		s.also()
	}
	s.mu.Unlock()
	if !wait {
		return ctx.Err()
	}
	s.asked <- struct{}{}
	select {
	case <-s.room:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *paces) await(t *testing.T) {
	t.Helper()
	select {
	case <-s.asked:
	case <-time.After(patience):
		t.Fatal("nobody waits for room")
	}
}

func pacedRig(t *testing.T, s setup, p *paces) *rig {
	r := newRig(t, s)
	r.cfg.Pace = p.pace
	return r.work()
}

func TestPool_PacedBeforeEachRequestAndBeforeEachReading(t *testing.T) {
	p := newPaces(0)
	var log []string
	p.also = func() { log = append(log, "pace") }
	s := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
		p.mu.Lock()
		log = append(log, req.URL.Path)
		p.mu.Unlock()
		switch req.URL.Path {
		case "/robots.txt":
			http.Redirect(w, req, "/elsewhere", http.StatusFound)
		case "/elsewhere":
			http.NotFound(w, req)
		default:
			html("a page")(w, req)
		}
	})
	r := pacedRig(t, setup{}, p)
	base := "http://" + s.addr.String()
	r.Take(r.lease(base+"/0", base+"/1"), time.Now())
	r.await(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	want := []string{"pace", "/robots.txt", "pace", "/elsewhere", "pace", "/0", "pace", "pace", "/1", "pace"}
	if !slices.Equal(log, want) {
		t.Errorf("%q, want %q", log, want)
	}
}

// The lease comes home without a request.
func TestPool_WaitForPaceEnds(t *testing.T) {
	pc := newLaptop(0)
	for _, c := range []struct {
		name  string
		lasts time.Duration
		end   func(r *rig)
	}{
		{"stopped", 2 * time.Minute, func(r *rig) { r.Stop() }},
		{"no fetchers", 2 * time.Minute, func(r *rig) { r.SetFetchers(0) }},
		{"no pages", 2 * time.Minute, func(r *rig) { r.SetPagesPerMin(0) }},
		{"half of the lease is over", 400 * time.Millisecond, func(*rig) {}},
		{"the computer slept", 2 * time.Minute, func(*rig) { pc.suspend(3 * time.Hour) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serveSite(t, true, html("a page"))
			p := newPaces(1)
			r := pacedRig(t, setup{now: pc.Now}, p)
			base := "http://" + s.addr.String()
			r.allow(base)
			l := r.lease(base+"/0", base+"/1")
			l.For = c.lasts
			r.Take(l, pc.Now())
			p.await(t)
			c.end(r)
			r.await(1)
			if got := s.paths(); got != nil {
				t.Errorf("requested %q", got)
			}
			if got := r.books.entries(); !slices.Equal(got, []string{"release 1"}) {
				t.Errorf("the owner was told %q", got)
			}
			r.flights.mu.Lock()
			defer r.flights.mu.Unlock()
			if len(r.flights.waits) != 0 {
				t.Errorf("%d waits are left", len(r.flights.waits))
			}
		})
	}
}

// A page that has come is kept, whatever ends the wait: the site is not to be asked again.
func TestPool_WaitForReadingEndsAndThePageIsKept(t *testing.T) {
	for _, c := range []struct {
		name  string
		lasts time.Duration
		end   func(r *rig)
	}{
		{"there is room", 2 * time.Minute, nil},
		{"stopped", 2 * time.Minute, func(r *rig) { r.Stop() }},
		{"no fetchers", 2 * time.Minute, func(r *rig) { r.SetFetchers(0) }},
		{"time is short", 800 * time.Millisecond, func(*rig) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serveSite(t, true, html("a page"))
			p := newPaces(2)
			r := pacedRig(t, setup{}, p)
			base := "http://" + s.addr.String()
			r.allow(base)
			l := r.lease(base + "/0")
			l.For = c.lasts
			r.Take(l, time.Now())
			p.await(t)
			if got := r.books.entries(); got != nil {
				t.Errorf("the owner was told %q before there was room", got)
			}
			if c.end == nil {
				close(p.room)
			} else {
				c.end(r)
			}
			r.await(1)
			if got := results(r.books.outcomes()); !slices.Equal(got, []crawl.Result{crawl.Fetched}) {
				t.Errorf("outcomes %v, want one page", got)
			}
		})
	}
}
