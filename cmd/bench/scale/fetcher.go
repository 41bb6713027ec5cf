package scale

import (
	"net/netip"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
)

const (
	// reports is how many outcomes are under way at a time, and leases how many are held: so many that a run works
	// while the disk syncs. A node of sixteen fetchers holds 128 leases.
	reports = 1024
	leases  = 1024
)

// turn is a lease that is being worked.
type turn struct {
	crawl.Lease
	domain   int       // its number
	closes   time.Time // when no further task of it is begun
	settling sync.WaitGroup
}

// fetcher holds the leases; load works them. It implements swarm.Fetcher and is safe for concurrent use.
type fetcher struct {
	wanting chan struct{}
	arrived chan struct{}

	mu     sync.Mutex
	paused bool
	live   int
	fresh  []*turn // not yet taken over by load, without the number of the domain
}

func newFetcher() *fetcher {
	return &fetcher{wanting: make(chan struct{}, 1), arrived: make(chan struct{}, 1), paused: true}
}

// Want implements swarm.Fetcher.
func (f *fetcher) Want() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused {
		return 0
	}
	return leases - f.live
}

// Grant implements swarm.Fetcher: no requests are sent, so no slots are asked for.
func (f *fetcher) Grant(netip.AddrPort, gates.Grant) {}

// RefusesDomain implements swarm.Fetcher: nothing is refused.
func (f *fetcher) RefusesDomain(crawl.Domain) string { return "" }

// Wanting implements swarm.Fetcher.
func (f *fetcher) Wanting() <-chan struct{} { return f.wanting }

// Take implements swarm.Fetcher. As in a node, half of the time is for what follows the last request.
func (f *fetcher) Take(l crawl.Lease, asked time.Time) {
	f.mu.Lock()
	f.live++
	f.fresh = append(f.fresh, &turn{Lease: l, closes: asked.Add(l.For / 2)})
	f.mu.Unlock()
	signal(f.arrived)
}

// takeOver returns the leases that arrived since the last call.
func (f *fetcher) takeOver() []*turn {
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
