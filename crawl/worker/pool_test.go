package worker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
)

func TestPool_WorksTasksInOrderWithTheGapBetween(t *testing.T) {
	const gap = 30 * time.Millisecond
	s := serveSite(t, false, html("a page"))
	r := newRig(t, setup{gap: gap, fetchers: 4}).work()
	base := "http://" + s.addr.String()
	r.Take(r.lease(base+"/0", base+"/1", base+"/2", base+"/3"), time.Now())
	r.await(1)
	visits := s.seen()
	if got, want := s.paths(), []string{"/robots.txt", "/0", "/1", "/2", "/3"}; !slices.Equal(got, want) {
		t.Fatalf("requested %q, want %q", got, want)
	}
	for i := 1; i < len(visits); i++ {
		if d := visits[i].start.Sub(visits[i-1].end); d < gap {
			t.Errorf("%s came %v after the end of the request before, want %v", visits[i].url, d, gap)
		}
	}
	want := []string{"settle 1 /0 fetched", "settle 1 /1 fetched", "settle 1 /2 fetched", "settle 1 /3 fetched", "release 1"}
	if got := r.books.entries(); !slices.Equal(got, want) {
		t.Errorf("the owner was told %q, want %q", got, want)
	}
	for i, o := range r.books.outcomes() {
		if (o.Connect >= time.Millisecond) != (i == 0) {
			t.Errorf("outcome %d tells of a connection that took %v: it is open since robots.txt, and the first tells", i, o.Connect)
		}
	}
	if requests, leases := r.InFlight(); requests != 0 || leases != 0 {
		t.Errorf("InFlight = %d, %d, want 0, 0", requests, leases)
	}
	if got, want := r.shelf.robots, []string{base + "/robots.txt"}; !slices.Equal(got, want) {
		t.Errorf("archived %q, want %q", got, want)
	}
}

// What is left of a lease's time is of no use to a domain whose next request
// is due after it, and a lease without tasks has nothing to wait for.
func TestPool_LeaseThatHasNothingToWaitForComesHomeAtOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		tasks int
	}{{"last task done", 1}, {"gap beyond the deadline", 2}} {
		t.Run(c.name, func(t *testing.T) {
			s := serveSite(t, false, html("a page"))
			r := newRig(t, setup{gap: time.Hour}).work()
			base := "http://" + s.addr.String()
			r.allow(base)
			r.Take(r.lease([]string{base + "/0", base + "/1"}[:c.tasks]...), time.Now())
			r.await(1)
			if got := results(r.books.outcomes()); !slices.Equal(got, []crawl.Result{crawl.Fetched}) {
				t.Errorf("outcomes %v, want one page", got)
			}
		})
	}
}

func TestPool_DeadlineCutsTheRequest(t *testing.T) {
	cut := make(chan struct{})
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		<-req.Context().Done()
		close(cut)
	})
	r := newRig(t, setup{}).work()
	base := "http://" + s.addr.String()
	r.allow(base)
	l := r.lease(base+"/slow", base+"/next")
	l.For = 200 * time.Millisecond
	r.Take(l, time.Now())
	r.await(1)
	if got := r.books.entries(); !slices.Equal(got, []string{"release 1"}) {
		t.Errorf("the owner was told %q; a request that we cut is no outcome", got)
	}
	select {
	case <-cut:
	case <-time.After(patience):
		t.Error("the site was not told")
	}
}

func TestPool_NothingStartsAfterTheDeadline(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	r := newRig(t, setup{gap: 20 * time.Millisecond}).work()
	base := "http://" + s.addr.String()
	r.allow(base)
	var urls []string
	for i := range 100 {
		urls = append(urls, fmt.Sprintf("%s/%d", base, i))
	}
	l := r.lease(urls...)
	l.For = 300 * time.Millisecond
	asked := time.Now()
	r.Take(l, asked)
	r.await(1)
	visits := s.seen()
	if len(visits) == 0 || len(visits) > 16 {
		t.Errorf("%d requests in a lease of %v at a gap of 20 ms", len(visits), l.For)
	}
	if n := len(r.books.outcomes()); n > len(visits) || n < len(visits)-1 {
		t.Errorf("%d outcomes of %d requests", n, len(visits))
	}
}

// A fetcher counts a lease from before it asked for it.
func TestPool_LeaseThatArrivesTooLateGoesHomeUntouched(t *testing.T) {
	s := serveSite(t, true, html("a page"))
	r := newRig(t, setup{}).work()
	l := r.lease("http://" + s.addr.String() + "/0")
	r.Take(l, time.Now().Add(-l.For))
	r.await(1)
	if got := s.paths(); got != nil {
		t.Errorf("requested %q", got)
	}
}

func TestPool_StopCutsWhatIsInFlight(t *testing.T) {
	slow := func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }
	r := newRig(t, setup{fetchers: 4}).work()
	var sites []*site
	for range 4 {
		s := serveSite(t, true, slow) // two of them hang at robots.txt
		base := "http://" + s.addr.String()
		if len(sites)%2 == 0 {
			r.allow(base)
		}
		r.Take(r.lease(base+"/0", base+"/1"), time.Now())
		sites = append(sites, s)
	}
	for _, s := range sites {
		s.awaitVisit(t)
	}
	if requests, leases := r.InFlight(); requests != 4 || leases != 4 {
		t.Errorf("InFlight = %d, %d, want 4, 4", requests, leases)
	}
	r.Stop()
	if n := r.Want(); n != 0 {
		t.Errorf("Want = %d while stopped", n)
	}
	r.await(4)
	if got := r.books.outcomes(); len(got) != 0 {
		t.Errorf("settled %v; a request that we cut is no outcome", results(got))
	}
	for _, s := range sites {
		if got := s.paths(); len(got) != 1 {
			t.Errorf("requested %q", got)
		}
		if _, _, fresh := r.cache.Get(time.Now(), "http://"+s.addr.String()); fresh && s.paths()[0] == "/robots.txt" {
			t.Error("something was concluded from a robots.txt that we did not wait for")
		}
	}
}

func TestPool_NothingStartsWhileStopped(t *testing.T) {
	s := serveSite(t, true, html("a page"))
	r := newRig(t, setup{fetchers: 4}).work()
	base := "http://" + s.addr.String()
	r.allow(base)
	r.Stop()
	for range 20 {
		r.Take(r.lease(base+"/0"), time.Now())
	}
	r.await(20)
	if got := s.paths(); got != nil {
		t.Errorf("requested %q while stopped", got)
	}
	r.Start()
	r.awaitWant(4 * leasesPerFetcher)
	r.Take(r.lease(base+"/0"), time.Now())
	r.await(21)
	if got := s.paths(); !slices.Equal(got, []string{"/0"}) {
		t.Errorf("requested %q", got)
	}
}

func TestPool_StopGivesBackLeasesThatWait(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	r := newRig(t, setup{gap: time.Minute}).work()
	base := "http://" + s.addr.String()
	r.allow(base)
	r.Take(r.lease(base+"/0", base+"/1"), time.Now())
	for len(r.books.outcomes()) == 0 {
		<-r.books.changed
	}
	r.Drain(t.Context())
	if got := s.paths(); !slices.Equal(got, []string{"/0"}) {
		t.Errorf("requested %q", got)
	}
}

// A request that is in flight when work stops may end well; then its lease has
// no reason to wait for the gap.
func TestPool_StopGivesBackALeaseWhoseRequestEndsInTime(t *testing.T) {
	answer := make(chan struct{})
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		<-answer
		html("a page")(w, req)
	})
	r := newRig(t, setup{gap: time.Minute}).work()
	base := "http://" + s.addr.String()
	r.allow(base)
	r.Take(r.lease(base+"/0", base+"/1"), time.Now())
	s.awaitVisit(t)
	r.Stop()
	close(answer)
	r.await(1)
	want := []string{"settle 1 /0 fetched", "release 1"}
	if got := r.books.entries(); !slices.Equal(got, want) {
		t.Errorf("the owner was told %q, want %q", got, want)
	}
}

// Stopping lets leases go home before their gap is over; starting again at
// once must not let them use it.
func TestPool_StopAndStartKeepTheGap(t *testing.T) {
	const gap = 400 * time.Millisecond
	s := serveSite(t, false, html("a page"))
	r := newRig(t, setup{gap: gap}).work()
	base := "http://" + s.addr.String()
	r.allow(base)
	r.Take(r.lease(base+"/0", base+"/1"), time.Now())
	for len(r.books.outcomes()) == 0 {
		<-r.books.changed
	}
	for range 3 {
		r.Stop()
		r.Start()
	}
	r.await(1) // worked off, or given back at once: both are right
	if v := s.seen(); len(v) > 1 {
		if d := v[1].start.Sub(v[0].end); d < gap {
			t.Errorf("the second request came after %v, want %v", d, gap)
		}
	}
}

func TestPool_DrainReturnsWhenItsContextEnds(t *testing.T) {
	r := newRig(t, setup{})
	r.Take(r.lease("http://127.0.0.1:1/"), time.Now()) // nobody works
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.Drain(ctx)
	if _, leases := r.InFlight(); leases != 1 {
		t.Errorf("%d leases", leases)
	}
}

func TestPool_ForbiddenIsSettledWithoutARequest(t *testing.T) {
	s := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "User-agent: *\nDisallow: /private/\nCrawl-delay: 3\n")
			return
		}
		html("a page")(w, req)
	})
	r := newRig(t, setup{}).work()
	base := "http://" + s.addr.String()
	r.Take(r.lease(base+"/private/a", base+"/b", base+"/private/c"), time.Now())
	r.await(1)
	if got, want := s.paths(), []string{"/robots.txt", "/b"}; !slices.Equal(got, want) {
		t.Errorf("requested %q, want %q", got, want)
	}
	got := r.books.outcomes()
	if want := []crawl.Result{crawl.Forbidden, crawl.Fetched, crawl.Forbidden}; !slices.Equal(results(got), want) {
		t.Fatalf("outcomes %v, want %v", results(got), want)
	}
	if got[1].CrawlDelay != 3*time.Second {
		t.Errorf("crawl delay %v, want 3s", got[1].CrawlDelay)
	}
	for _, o := range got {
		if o.Lease != 1 || o.Domain != "127.0.0.1" || o.Task.ID == "" || o.Date.IsZero() {
			t.Errorf("outcome %+v does not say what it is of", o)
		}
	}
}

func TestPool_UnreachableRobotsDefersTheHost(t *testing.T) {
	s := serveSite(t, true, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	r := newRig(t, setup{}).work()
	base := "http://" + s.addr.String()
	r.Take(r.lease(base+"/a", base+"/b"), time.Now())
	r.await(1)
	r.Take(r.lease(base+"/a", base+"/b"), time.Now()) // the answer is remembered
	r.await(2)
	if got, want := s.paths(), []string{"/robots.txt"}; !slices.Equal(got, want) {
		t.Errorf("requested %q, want %q", got, want)
	}
	got := r.books.outcomes()
	if want := []crawl.Result{crawl.Deferred, crawl.Deferred}; !slices.Equal(results(got), want) {
		t.Fatalf("outcomes %v, want %v", results(got), want)
	}
	for _, o := range got {
		if o.Wait <= 0 || o.Wait > 5*time.Minute || words.Shown(words.English, o.Reason) != "robots.txt answered 500" {
			t.Errorf("Wait = %v, Reason = %q", o.Wait, o.Reason)
		}
	}
}

func TestPool_RobotsIsAskedForOnceAHost(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	r := newRig(t, setup{fetchers: 4})
	var told []string
	var mu sync.Mutex
	r.cfg.RobotsRead = func(origin string, rec robots.Record, cost RobotsCost) {
		mu.Lock()
		defer mu.Unlock()
		if cost.Took <= 0 || cost.Received <= 0 {
			t.Errorf("robots.txt of %s took %v and %d bytes", origin, cost.Took, cost.Received)
		}
		told = append(told, fmt.Sprint(origin, " ", rec.Status))
	}
	r.work()
	base := "http://" + s.addr.String()
	for i := range 5 {
		r.Take(r.lease(fmt.Sprintf("%s/%d", base, i)), time.Now())
		r.await(i + 1)
	}
	if got, want := s.paths(), []string{"/robots.txt", "/0", "/1", "/2", "/3", "/4"}; !slices.Equal(got, want) {
		t.Errorf("requested %q, want %q", got, want)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []string{base + " 404"}; !slices.Equal(told, want) {
		t.Errorf("told of %q, want %q", told, want)
	}
}

func TestPool_ArchiveFailureSettlesNothing(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	r := newRig(t, setup{})
	full := errors.New("disk full")
	r.shelf.fail = full
	r.work()
	base := "http://" + s.addr.String()
	r.allow(base)
	r.Take(r.lease(base+"/0", base+"/1"), time.Now())
	r.await(1)
	if got := r.books.entries(); !slices.Equal(got, []string{"release 1"}) {
		t.Errorf("the owner was told %q", got)
	}
	if err := <-r.trouble; !errors.Is(err, full) {
		t.Errorf("Trouble was told %v", err)
	}
}

// That our disk is full is no failure of the site's.
func TestPool_ArchiveFailureOfARobotsFileIsNotHeldAgainstTheSite(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	r := newRig(t, setup{})
	full := errors.New("disk full")
	r.shelf.failRobs = full
	r.work()
	base := "http://" + s.addr.String()
	r.Take(r.lease(base+"/0"), time.Now())
	r.await(1)
	if got := r.books.entries(); !slices.Equal(got, []string{"release 1"}) {
		t.Errorf("the owner was told %q", got)
	}
	select {
	case err := <-r.trouble:
		if !errors.Is(err, full) {
			t.Errorf("Trouble was told %v", err)
		}
	default:
		t.Error("Trouble was not told")
	}
	if rec, _, fresh := r.cache.Get(time.Now(), base); fresh {
		t.Errorf("the host has a record of class %d with %d failures", rec.Class, rec.Failures)
	}
}

func TestPool_OutcomeThatCannotBeToldEndsTheLease(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	r := newRig(t, setup{})
	r.books.refuse = errors.New("no owner")
	r.work()
	base := "http://" + s.addr.String()
	r.allow(base)
	r.Take(r.lease(base+"/0", base+"/1"), time.Now())
	r.await(1)
	if got := s.paths(); !slices.Equal(got, []string{"/0"}) {
		t.Errorf("requested %q", got)
	}
}

// Thousands of hosts may share one server: whatever the number of fetchers, it
// sees one request at a time, and none of the hosts is forgotten.
func TestPool_OneRequestAtATimeToAnAddress(t *testing.T) {
	for _, fetchers := range []int{1, 2, 16} {
		for _, known := range []string{"all", "none", "half"} {
			t.Run(fmt.Sprintf("%d fetchers, robots known of %s", fetchers, known), func(t *testing.T) {
				const hosts = 40
				s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
					for range 20 {
						runtime.Gosched()
					}
					html("a page of "+req.Host)(w, req)
				})
				names := make(map[string]netip.AddrPort)
				for i := range hosts {
					names[fmt.Sprintf("h%d.test", i)] = s.addr
				}
				r := newRig(t, setup{fetchers: fetchers, names: names})
				r.visitor.maxLine = hosts
				took := 0
				for i := range hosts {
					base := fmt.Sprintf("http://h%d.test", i)
					if known == "all" || known == "half" && i%2 == 0 {
						r.allow(base)
					}
					if took < fetchers*leasesPerFetcher {
						r.Take(r.lease(base+"/0", base+"/1", base+"/2"), time.Now())
						took++
					}
				}
				r.work()
				r.await(took)
				if s.most != 1 {
					t.Errorf("%d requests at a time", s.most)
				}
				if n := len(r.books.outcomes()); n != 3*took {
					t.Errorf("%d outcomes, want %d", n, 3*took)
				}
				if r.flights.gates.InUse() != 0 {
					t.Errorf("%d gates are still taken", r.flights.gates.InUse())
				}
			})
		}
	}
}

// Fetchers that ask for robots.txt stand in the line of an address themselves. A
// lease whose turn it is there must not wait for one of them.
func TestPool_FetchersInLineDoNotKeepTheGateFromALease(t *testing.T) {
	answer := make(chan struct{})
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		if req.Host == "a.test" {
			<-answer
		}
		html("a page")(w, req)
	})
	names := make(map[string]netip.AddrPort)
	for _, host := range []string{"a.test", "b.test", "c.test", "d.test"} {
		names[host] = s.addr
	}
	r := newRig(t, setup{fetchers: 2, names: names})
	r.allow("http://a.test")
	r.allow("http://b.test")
	r.work()
	awaitLine := func(want int) {
		for {
			if r.flights.gates.Crowded(s.addr, want) {
				return
			}
			runtime.Gosched()
		}
	}
	r.Take(r.lease("http://a.test/"), time.Now())
	s.awaitVisit(t)
	r.Take(r.lease("http://b.test/"), time.Now()) // parked
	awaitLine(1)
	r.Take(r.lease("http://c.test/"), time.Now()) // a fetcher waits for its robots.txt
	awaitLine(2)
	r.Take(r.lease("http://d.test/"), time.Now().Add(-time.Second)) // due before b
	close(answer)
	r.await(4)
	if n := len(r.books.outcomes()); n != 4 || s.most != 1 {
		t.Errorf("%d outcomes, %d requests at a time", n, s.most)
	}
}

// A robots.txt may expire while its host waits in the line of an address.
func TestPool_RobotsThatExpiresInTheLineIsFetchedAnew(t *testing.T) {
	var mu sync.Mutex
	offset := time.Duration(0)
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return time.Now().Add(offset)
	}
	answer := make(chan struct{})
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		if req.Host == "first.test" {
			<-answer
		}
		html("a page")(w, req)
	})
	r := newRig(t, setup{fetchers: 2, now: clock, names: map[string]netip.AddrPort{"first.test": s.addr, "second.test": s.addr}})
	r.allow("http://first.test")
	r.allow("http://second.test")
	r.work()
	first, second := r.lease("http://first.test/0"), r.lease("http://second.test/0")
	first.For, second.For = 100*time.Hour, 100*time.Hour
	r.Take(first, clock())
	s.awaitVisit(t)
	r.Take(second, clock())
	for { // until the second stands in the line
		if r.flights.gates.Crowded(s.addr, 1) {
			break
		}
		runtime.Gosched()
	}
	mu.Lock()
	offset = 25 * time.Hour
	mu.Unlock()
	close(answer)
	r.await(2)
	if n := len(r.books.outcomes()); n != 2 {
		t.Errorf("%d outcomes, want 2", n)
	}
}

// Work that must stop within two seconds includes asking for addresses.
func TestPool_StopCutsLookups(t *testing.T) {
	lookup := &slowLookup{asked: make(chan struct{}, 1)}
	c, err := fetch.New(fetch.Config{World: fetch.Public, UserAgent: crawl.UserAgent(false), Lookup: lookup})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	r := newRig(t, setup{client: c}).work()
	r.Take(r.lease("http://slow.example.org/"), time.Now())
	<-lookup.asked
	r.Stop()
	r.await(1)
	if got := r.books.entries(); !slices.Equal(got, []string{"release 1"}) {
		t.Errorf("the owner was told %q", got)
	}
}

// slowLookup never answers, and asks nobody.
type slowLookup struct{ asked chan struct{} }

func (l *slowLookup) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	signal(l.asked)
	<-ctx.Done()
	return nil, ctx.Err()
}
