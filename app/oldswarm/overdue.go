package swarm

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// overdueFor is how long who held a lease is waited for when its time is over: it
	// may have fetched pages that it could not tell of, and is asked for them.
	overdueFor = 3 * time.Second
	// maxOverdue bounds the leases of which it is remembered that their holders were asked.
	maxOverdue = 4096
)

// overdue are leases whose time is over, and whose holders have been asked for
// what they have. It is forgotten when the node ends, or another leads the log: then they are asked once more.
type overdue struct {
	again time.Duration // after how long a holder is asked anew

	mu    sync.Mutex
	since map[crawl.LeaseID]time.Time
}

func newOverdue(again time.Duration) *overdue {
	return &overdue{again: max(again, 2*overdueFor), since: make(map[crawl.LeaseID]time.Time)}
}

// first notes a lease, and reports whether its holder is to be asked now, and whether it is
// to be waited for.
func (o *overdue) first(id crawl.LeaseID, now time.Time) (first, wait bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	since, is := o.since[id]
	if is && now.Sub(since) < o.again {
		return false, now.Sub(since) < overdueFor
	}
	if !is && len(o.since) >= maxOverdue {
		for other, at := range o.since {
			if now.Sub(at) >= overdueFor {
				delete(o.since, other)
			}
		}
		if len(o.since) >= maxOverdue {
			return false, false
		}
	}
	o.since[id] = now
	return true, true
}

// Overdue implements route.Others.
func (s *Swarm) Overdue(fetcher string, id crawl.LeaseID) bool {
	return s.Recover([]frontier.Release{{Lease: id, By: fetcher}})
}

// Recover implements route.Others. All former fetchers are asked at once, each in one message.
func (s *Swarm) Recover(former []frontier.Release) (wait bool) {
	for _, l := range former {
		if kept := s.late.take(l.Domain, s.now()); len(kept) > 0 {
			s.wg.Go(func() { s.settleLate(l.Domain, kept) })
		}
		wait = wait || s.late.isBusy(l.Domain)
	}
	asks := make(map[string][]crawl.LeaseID)
	for _, l := range former {
		if l.By == "" && s.fetches() {
			wait = s.overdueHere(l.Lease) || wait
			continue
		}
		if l.By == "" {
			l.By = s.net.Self()
		}
		if !s.net.Member(l.By) || s.net.Down(l.By) {
			continue
		}
		first, waits := s.overdue.first(l.Lease, s.now())
		if wait = wait || waits; first {
			asks[l.By] = append(asks[l.By], l.Lease)
		}
	}
	for fetcher, ids := range asks {
		s.wg.Go(func() { s.askFormer(fetcher, ids) })
	}
	return wait
}

// askFormer asks who held leases that are over for what it has of them.
func (s *Swarm) askFormer(fetcher string, ids []crawl.LeaseID) {
	ctx, cancel := context.WithTimeout(s.life, overdueFor)
	defer cancel()
	if _, err := call[wire.Done](ctx, s, fetcher, wire.KindRecall, &wire.Recall{Leases: ids}); err != nil {
		s.log.Debug("Who held a lease is not asked for what it has", "holder", peerName(fetcher), "error", err)
	}
}

// overdueHere is Recover for a lease of this node's own: what an earlier run fetched of it
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
