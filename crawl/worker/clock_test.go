package worker

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// laptop is a computer whose wall clock is set and that sleeps. Its other clock runs as
// the real one does; timers know of neither.
type laptop struct {
	*clock.Clock
	mu         sync.Mutex
	start      time.Time
	off        time.Duration // of the wall clock from the real one
	slept      time.Duration
	suspended  sync.Once
	suspendFor time.Duration
}

func newLaptop(off time.Duration) *laptop {
	l := &laptop{start: time.Now(), off: off}
	l.Clock = clock.OpenWith(clock.State{}, clock.Sources{
		Wall: func() time.Time {
			l.mu.Lock()
			defer l.mu.Unlock()
			return time.Now().Add(l.off + l.slept)
		},
		Boot: func() time.Duration {
			l.mu.Lock()
			defer l.mu.Unlock()
			return time.Since(l.start) + l.slept
		},
		BootID: "one",
	})
	return l
}

// set moves the wall clock.
func (l *laptop) set(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.off += d
}

// suspend lets time pass in which nothing runs.
func (l *laptop) suspend(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slept += d
}

// Prepare implements fetch.Pacer.
func (l *laptop) Prepare(syscall.RawConn) {}

// Wrap implements fetch.Pacer: the computer goes to sleep just before the first
// request is written.
func (l *laptop) Wrap(c net.Conn) net.Conn { return &laptopConn{c, l} }

type laptopConn struct {
	net.Conn
	laptop *laptop
}

func (c *laptopConn) Write(p []byte) (int, error) {
	c.laptop.suspended.Do(func() { c.laptop.suspend(c.laptop.suspendFor) })
	return c.Conn.Write(p)
}

const tenYears = 10 * 365 * 24 * time.Hour

func TestPool_KeepsGapsWhateverTheWallClockDoes(t *testing.T) {
	const gap = 40 * time.Millisecond
	steps := []time.Duration{time.Second, -time.Second, time.Hour, -time.Hour, tenYears, -tenYears, 0}
	for _, off := range []time.Duration{0, tenYears, -tenYears} {
		t.Run(off.String(), func(t *testing.T) {
			pc := newLaptop(off)
			i := 0 // one request at a time
			s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
				pc.set(steps[i%len(steps)])
				i++
				html("a page")(w, req)
			})
			r := newRig(t, setup{gap: gap, fetchers: 4, now: pc.Now}).work()
			base := "http://" + s.addr.String()
			want := []string{"/robots.txt", "/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7"}
			var urls []string
			for _, path := range want[1:] {
				urls = append(urls, base+path)
			}
			r.Take(r.lease(urls...), pc.Now())
			r.await(1)
			if got := s.paths(); !slices.Equal(got, want) {
				t.Fatalf("requested %q, want %q", got, want)
			}
			visits := s.seen()
			for i := 1; i < len(visits); i++ {
				if d := visits[i].start.Sub(visits[i-1].end); d < gap {
					t.Errorf("%s came %v after the end of the request before, want %v", visits[i].url, d, gap)
				}
			}
		})
	}
}

func TestPool_DeadlineIsOnTheLine(t *testing.T) {
	for _, off := range []time.Duration{tenYears, -tenYears} {
		pc := newLaptop(off)
		cut := make(chan struct{})
		s := serveSite(t, false, func(_ http.ResponseWriter, req *http.Request) {
			<-req.Context().Done()
			close(cut)
		})
		r := newRig(t, setup{now: pc.Now}).work()
		base := "http://" + s.addr.String()
		r.allow(base)
		l := r.lease(base + "/slow")
		l.For = 200 * time.Millisecond
		r.Take(l, pc.Now())
		r.await(1)
		if got := s.paths(); !slices.Equal(got, []string{"/slow"}) {
			t.Errorf("a line %v from the wall clock: requested %q", off, got)
			continue
		}
		select {
		case <-cut:
		case <-time.After(patience):
			t.Error("the site was not told")
		}
	}
}

// Leases that wait for a gap, stand in the line of an address or have a request
// in flight are over when the computer wakes up, and none of the timers knows.
func TestPool_SuspendEndsEveryLease(t *testing.T) {
	pc := newLaptop(0)
	cut := make(chan struct{})
	hanging := serveSite(t, false, func(_ http.ResponseWriter, req *http.Request) {
		<-req.Context().Done()
		close(cut)
	})
	quick := serveSite(t, false, html("a page"))
	names := map[string]netip.AddrPort{"flying.test": hanging.addr, "parked.test": hanging.addr, "waiting.test": quick.addr}
	r := newRig(t, setup{gap: 30 * time.Second, fetchers: 3, now: pc.Now, names: names})
	for name := range names {
		r.allow("http://" + name)
	}
	r.work()
	r.Take(r.lease("http://waiting.test/0", "http://waiting.test/1"), pc.Now())
	for len(r.books.outcomes()) == 0 {
		<-r.books.changed
	}
	r.Take(r.lease("http://flying.test/0", "http://flying.test/1"), pc.Now())
	hanging.awaitVisit(t)
	r.Take(r.lease("http://parked.test/0"), pc.Now())
	for !r.flights.gates.Crowded(hanging.addr, 1) {
		runtime.Gosched()
	}
	pc.suspend(3 * time.Hour)
	r.await(3)
	select {
	case <-cut:
	case <-time.After(patience):
		t.Error("the site was not told")
	}
	if got := append(quick.paths(), hanging.paths()...); !slices.Equal(got, []string{"/0", "/0"}) {
		t.Errorf("requested %q: something was begun after the end of its lease", got)
	}
	if got := results(r.books.outcomes()); !slices.Equal(got, []crawl.Result{crawl.Fetched}) {
		t.Errorf("outcomes %v; a request that we cut is no outcome", got)
	}
}

// The timer for the next request stands still in suspend. What was slept counts all
// the same.
func TestPool_GapThatEndedInSuspendIsNotWaitedForAgain(t *testing.T) {
	const gap = 10 * time.Minute
	pc := newLaptop(0)
	var mu sync.Mutex
	var at []time.Time
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		at = append(at, pc.Now())
		mu.Unlock()
		html("a page")(w, req)
	})
	r := newRig(t, setup{gap: gap, now: pc.Now}).work()
	base := "http://" + s.addr.String()
	r.allow(base)
	l := r.lease(base+"/0", base+"/1", base+"/2")
	l.For = 1000 * time.Hour
	r.Take(l, pc.Now())
	// The first suspend may come before the gap has begun.
	nap := time.NewTicker(patience / 16)
	defer nap.Stop()
	for naps := 0; len(r.books.outcomes()) < 3; {
		select {
		case <-r.books.changed:
		case <-nap.C:
			if naps++; naps > 3*16 {
				t.Fatalf("%d outcomes, want 3: a gap is waited for in spite of suspends", len(r.books.outcomes()))
			}
			pc.suspend(gap)
		}
	}
	r.await(1)
	mu.Lock()
	defer mu.Unlock()
	for i := 1; i < len(at); i++ {
		if d := at[i].Sub(at[i-1]); d < gap {
			t.Errorf("request %d came after %v, want %v", i, d, gap)
		}
	}
}

// Between the last look at the clock and the first byte of a request there may
// be a night.
func TestPool_NothingIsSentAfterALeaseThatEndedWhileConnecting(t *testing.T) {
	for _, known := range []bool{true, false} {
		pc := newLaptop(0)
		pc.suspendFor = 3 * time.Hour
		s := serveSite(t, false, html("a page"))
		c, err := fetch.New(fetch.Config{World: fetch.Lab, UserAgent: crawl.UserAgent(true), Pacer: pc})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		r := newRig(t, setup{now: pc.Now, client: c})
		base := "http://" + s.addr.String()
		if known {
			r.allow(base)
		}
		r.work()
		r.Take(r.lease(base+"/0", base+"/1"), pc.Now())
		r.await(1)
		if got := s.paths(); got != nil {
			t.Errorf("robots known %v: requested %q after the lease", known, got)
		}
		if got := r.books.entries(); !slices.Equal(got, []string{"release 1"}) {
			t.Errorf("robots known %v: the owner was told %q", known, got)
		}
		if rec, _, fresh := r.cache.Get(pc.Now(), base); !known && fresh {
			t.Errorf("a request that was never sent left a record of class %d", rec.Class)
		}
	}
}

// An owner that finds a lease lapsed counts the gap from then. After suspend
// its margin is over as well, so nothing may be asked for before the request
// in flight has ended.
func TestPool_WantsNothingWhileARequestOutlivesItsLease(t *testing.T) {
	pc := newLaptop(0)
	s := serveSite(t, false, func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() })
	r := newRig(t, setup{now: pc.Now}) // without a schedule, whose ticks would cut it too
	base := "http://" + s.addr.String()
	r.allow(base)
	l := r.lease(base + "/0")
	turn := &turn{Lease: l, deadline: pc.Now().Add(l.For), closing: pc.Now().Add(l.For)}
	r.Pool.leases.note(turn, false)
	stepped := make(chan struct{})
	go func() {
		defer close(stepped)
		r.step(context.Background(), turn)
	}()
	s.awaitVisit(t)
	if n := r.Want(); n != leasesPerFetcher-1 {
		t.Errorf("Want = %d during the lease, want %d", n, leasesPerFetcher-1)
	}
	pc.suspend(3 * time.Hour)
	if n := r.Want(); n != 0 {
		t.Errorf("Want = %d with a request in flight whose lease is over", n)
	}
	select {
	case <-stepped:
	case <-time.After(patience):
		t.Fatal("the request was not cut")
	}
	select {
	case <-r.Wanting():
	default:
		t.Error("nobody is told that leases are wanted again")
	}
	if n := r.Want(); n != leasesPerFetcher {
		t.Errorf("Want = %d, want %d", n, leasesPerFetcher)
	}
}
