package worker

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// hold serves sites that answer when told to, one for each lease, and has the pool work those.
type hold struct {
	r       *rig
	arrived chan struct{}
	answer  chan struct{}

	mu        sync.Mutex
	now, most int
}

func holdRequests(t *testing.T, r *rig, n int) *hold {
	h := &hold{r: r, arrived: make(chan struct{}, 1000), answer: make(chan struct{})}
	var leases []crawl.Lease
	for range n {
		s := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
			h.count(1)
			h.arrived <- struct{}{}
			select {
			case <-h.answer:
			case <-req.Context().Done():
			}
			h.count(-1)
			html("a page")(w, req)
		})
		base := "http://" + s.addr.String()
		r.allow(base)
		leases = append(leases, r.lease(base+"/0"))
	}
	r.work()
	for _, l := range leases {
		r.Take(l, time.Now())
	}
	return h
}

func (h *hold) count(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now += n
	h.most = max(h.most, h.now)
}

func (h *hold) await(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		select {
		case <-h.arrived:
		case <-time.After(patience):
			t.Fatalf("%d requests came, want %d", i, n)
		}
	}
}

// answerOne lets a request end and waits until its lease is home.
func (h *hold) answerOne(home int) {
	h.r.t.Helper()
	h.answer <- struct{}{}
	h.r.await(home)
}

func TestPool_SetFetchersBoundsWhatIsInFlight(t *testing.T) {
	r := newRig(t, setup{fetchers: 4})
	h := holdRequests(t, r, 12)
	h.await(t, 4)
	r.SetFetchers(2)
	if n, _ := r.InFlight(); n != 4 {
		t.Errorf("%d in flight, want those 4 to go on", n)
	}
	h.answerOne(1)
	h.answerOne(2)
	if len(h.arrived) > 0 {
		t.Errorf("%d requests began while as many as allowed were in flight", len(h.arrived))
	}
	h.answerOne(3)
	h.await(t, 1) // the first after it
	if w := r.Want(); w < 0 {
		t.Errorf("Want = %d", w)
	}
	r.SetFetchers(6)
	h.await(t, 4)
	close(h.answer)
	r.await(12)
	if h.most > 6 {
		t.Errorf("%d in flight at a time, want at most 6", h.most)
	}
	if n := len(r.books.outcomes()); n != 12 {
		t.Errorf("%d outcomes, want 12", n)
	}
}

func TestPool_SetFetchersBelowZeroIsAllThereAre(t *testing.T) {
	r := newRig(t, setup{fetchers: 1})
	h := holdRequests(t, r, 20)
	h.await(t, 1)
	r.SetFetchers(-1)
	h.await(t, maxFetchers-1)
	close(h.answer)
	r.await(20)
	if h.most != maxFetchers {
		t.Errorf("%d in flight at a time, want %d", h.most, maxFetchers)
	}
	r.awaitWant(maxFetchers * leasesPerFetcher)
}

// Leases that nothing will come of go home; what is in flight ends in peace.
func TestPool_BoundOfNothing(t *testing.T) {
	for name, set := range map[string]func(p *Pool, n int){"fetchers": (*Pool).SetFetchers, "pages": (*Pool).SetPagesPerMin} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, setup{fetchers: 2})
			h := holdRequests(t, r, 6)
			h.await(t, 2)
			set(r.Pool, 0)
			r.await(4)
			if n := r.Want(); n != 0 {
				t.Errorf("Want = %d", n)
			}
			if requests, leases := r.InFlight(); requests != 2 || leases != 2 {
				t.Errorf("%d requests of %d leases in flight, want 2 of 2", requests, leases)
			}
			late := r.lease("http://late.test/0")
			r.Take(late, time.Now()) // it was under way
			r.await(5)
			close(h.answer)
			r.await(7)
			if n := len(r.books.outcomes()); n != 2 {
				t.Errorf("%d outcomes, want 2", n)
			}
			set(r.Pool, -1)
			s := serveSite(t, true, html("a page"))
			base := "http://" + s.addr.String()
			r.allow(base)
			r.Take(r.lease(base+"/0"), time.Now())
			r.await(8)
			if got := s.paths(); !slices.Equal(got, []string{"/0"}) {
				t.Errorf("requested %q after the bound was lifted", got)
			}
		})
	}
}

// Leases go home although no fetcher is allowed to take another in hand.
func TestPool_GoingHomePassesTheBoundOfFetchers(t *testing.T) {
	r := newRig(t, setup{fetchers: 1})
	h := holdRequests(t, r, 2)
	h.await(t, 1)
	r.Pool.leases.mu.Lock()
	r.flights.mu.Lock()
	var waiting crawl.LeaseID
	for name, turn := range r.Pool.leases.held {
		if r.flights.cancel[turn] == nil {
			waiting = name.id
		}
	}
	r.flights.mu.Unlock()
	r.Pool.leases.mu.Unlock()
	r.SetFetchers(0)
	r.await(1)
	if got := r.books.entries(); !slices.Equal(got, []string{fmt.Sprintf("release %d", waiting)}) {
		t.Errorf("the owner was told %q", got)
	}
	close(h.answer)
	r.await(2)
}

// A fetcher whose turn goes home takes the next one at once, not when something else happens.
func TestPool_NextTurnFollowsWhenAHandIsFree(t *testing.T) {
	r := newRig(t, setup{fetchers: 1})
	h := holdRequests(t, r, 30)
	close(h.answer)
	r.await(30)
	if n := len(r.books.outcomes()); n != 30 {
		t.Errorf("%d outcomes, want 30", n)
	}
}

// Those that wait for their pace have begun nothing yet.
func TestPool_SetFetchersCountsThoseThatWaitForTheirPace(t *testing.T) {
	p := newPaces(1)
	r := newRig(t, setup{fetchers: 4})
	r.cfg.Pace = p.pace
	h := holdRequests(t, r, 6)
	for range 4 {
		p.await(t)
	}
	r.SetFetchers(1)
	close(p.room)
	for i := range 6 {
		h.await(t, 1)
		h.answerOne(i + 1)
	}
	if h.most != 1 {
		t.Errorf("%d in flight at a time, want 1", h.most)
	}
}

func TestPool_SetPagesPerMinTakesEffectAtOnce(t *testing.T) {
	r := newRig(t, setup{fetchers: 2, perMin: 1})
	h := holdRequests(t, r, 4)
	close(h.answer)
	h.await(t, 1)
	r.await(1)
	r.SetPagesPerMin(60_000) // those that wait need not wait for the minute
	r.await(4)
	if n := len(r.books.outcomes()); n != 4 {
		t.Errorf("%d outcomes, want 4", n)
	}
}

func TestPool_PagesSpreadByTheBoundOfNow(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	p := New(Config{Fetchers: 1, PagesPerMin: 1})
	p.bounds.takePage(now)
	for _, c := range []struct {
		perMin int
		wait   time.Duration
	}{{1, time.Minute}, {60, time.Second}, {20, 3 * time.Second}, {-1, 0}, {-7, 0}, {2, 30 * time.Second}} {
		p.SetPagesPerMin(c.perMin)
		if got := p.bounds.pageDue().Sub(now); got != c.wait {
			t.Errorf("at %d a minute the next page is due after %v, want %v", c.perMin, got, c.wait)
		}
	}
}

// Whatever the bounds are changed to while leases come and go, each lease comes home once.
func TestPool_BoundsChangeAllTheTime(t *testing.T) {
	const leases = 300
	r := newRig(t, setup{fetchers: 4})
	s := serveSite(t, true, html("a page"))
	base := "http://" + s.addr.String()
	r.allow(base)
	r.visitor.maxLine = leases
	r.work()
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for tick := time.NewTicker(time.Millisecond); ; {
				select {
				case <-done:
					return
				case <-tick.C:
				}
				r.SetFetchers(rand.IntN(8) - 1)
				r.SetPagesPerMin(rand.IntN(3) * 100_000)
				if n := r.Want(); n < 0 {
					t.Errorf("Want = %d", n)
				}
			}
		})
	}
	for i := range leases {
		r.Take(r.lease(fmt.Sprintf("%s/%d", base, i)), time.Now())
	}
	r.await(leases)
	close(done)
	all.Wait()
	r.SetFetchers(1) // none of them is lost on the way
	r.SetPagesPerMin(-1)
	r.Take(r.lease(base+"/last"), time.Now())
	r.await(leases + 1)
	if _, held := r.InFlight(); len(r.books.released) != leases+1 || held != 0 || len(r.flights.waits) != 0 {
		t.Errorf("%d came home, %d held, %d waits", len(r.books.released), held, len(r.flights.waits))
	}
}
