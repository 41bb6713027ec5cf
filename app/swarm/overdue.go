package swarm

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// overdueFor is how long who held a lease is waited for when its time is over: it
	// may have fetched pages that it could not tell of, and is asked for them.
	overdueFor = 3 * time.Second
	// maxOverdue bounds the leases that are waited for.
	maxOverdue = 4096
)

// overdue are leases whose time is over, and whose holders have been asked for
// what they have.
type overdue struct {
	mu    sync.Mutex
	since map[crawl.LeaseID]time.Time
}

func newOverdue() *overdue { return &overdue{since: make(map[crawl.LeaseID]time.Time)} }

// first notes a lease, and reports whether it was not noted before, and whether it is
// to be waited for.
func (o *overdue) first(id crawl.LeaseID, now time.Time) (first, wait bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	since, is := o.since[id]
	switch {
	case !is && len(o.since) < maxOverdue:
		o.since[id] = now
		return true, true
	case !is:
		for other, at := range o.since {
			if now.Sub(at) >= 2*overdueFor {
				delete(o.since, other)
			}
		}
		return false, false
	case now.Sub(since) < overdueFor:
		return false, true
	}
	delete(o.since, id)
	return false, false
}

// Overdue implements route.Others.
func (s *Swarm) Overdue(fetcher string, id crawl.LeaseID) bool {
	if fetcher == "" {
		if s.fetches() {
			return s.overdueHere(id)
		}
		fetcher = s.net.Self()
	}
	if !s.net.Member(fetcher) || s.net.Down(fetcher) {
		return false
	}
	first, wait := s.overdue.first(id, s.now())
	if first {
		s.wg.Go(func() {
			ctx, cancel := context.WithTimeout(s.life, overdueFor)
			defer cancel()
			if _, err := call[wire.Done](ctx, s, fetcher, wire.KindRecall, &wire.Recall{Leases: []crawl.LeaseID{id}}); err != nil {
				s.log.Debug("Who held a lease is not asked for what it has", "holder", peerName(fetcher), "error", err)
			}
		})
	}
	return wait
}

// overdueHere is Overdue for a lease of this node's own: what an earlier run fetched of it
// is on its way to the log like anybody's outcomes.
func (s *Swarm) overdueHere(id crawl.LeaseID) bool {
	self := s.net.Self()
	if !s.returns.has(heldLease{self, id}) {
		return false
	}
	first, wait := s.overdue.first(id, s.now())
	if first {
		s.returns.hurry(self)
	}
	return wait
}
