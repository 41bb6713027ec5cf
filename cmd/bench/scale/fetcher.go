package scale

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
)

// leases is how many a node of sixteen fetchers holds at once.
const leases = 16 * 8

// clock is the time that the load moves on. It is safe for concurrent use.
type clock struct{ ns atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.ns.Store(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())
	return c
}

// Now returns the time.
func (c *clock) Now() time.Time { return time.Unix(0, c.ns.Load()) }

func (c *clock) advance(d time.Duration) { c.ns.Add(int64(d)) }

// turn is a lease that is being worked.
type turn struct {
	crawl.Lease
	domain int // its number
}

// fetcher holds the leases; load works them. It is safe for concurrent use.
type fetcher struct {
	wanting chan struct{}
	arrived chan struct{}

	mu     sync.Mutex
	paused bool
	live   int
	fresh  []crawl.Lease // not yet taken over by load
}

func newFetcher() *fetcher {
	return &fetcher{wanting: make(chan struct{}, 1), arrived: make(chan struct{}, 1), paused: true}
}

// Want implements route.Fetcher.
func (f *fetcher) Want() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused {
		return 0
	}
	return leases - f.live
}

// RefusesDomain implements route.Fetcher: nothing is refused.
func (f *fetcher) RefusesDomain(crawl.Domain) string { return "" }

// Wanting implements route.Fetcher.
func (f *fetcher) Wanting() <-chan struct{} { return f.wanting }

// Take implements route.Fetcher.
func (f *fetcher) Take(l crawl.Lease, _ time.Time) {
	f.mu.Lock()
	f.live++
	f.fresh = append(f.fresh, l)
	f.mu.Unlock()
	signal(f.arrived)
}

// takeOver returns the leases that arrived since the last call.
func (f *fetcher) takeOver() []crawl.Lease {
	f.mu.Lock()
	defer f.mu.Unlock()
	fresh := f.fresh
	f.fresh = nil
	return fresh
}

// finished makes room for another lease.
func (f *fetcher) finished() {
	f.mu.Lock()
	f.live--
	f.mu.Unlock()
	signal(f.wanting)
}

func (f *fetcher) pause(paused bool) {
	f.mu.Lock()
	f.paused = paused
	f.mu.Unlock()
	signal(f.wanting)
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
