package swarm

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// lateFor is how long after a domain arrived outcomes of leases are taken that
	// its former owner granted: longer than any of them lasts, and than reports
	// follow it.
	lateFor = giveUpAfter
	// maxArrived bounds the domains that are remembered.
	maxArrived = 1 << 14
)

// arrivedDomains remembers which domains came from other members lately.
type arrivedDomains struct {
	mu    sync.Mutex
	until map[crawl.Domain]time.Time
}

func newArrived() *arrivedDomains { return &arrivedDomains{until: make(map[crawl.Domain]time.Time)} }

func (a *arrivedDomains) add(domains []crawl.Domain, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.until)+len(domains) > maxArrived {
		for d, until := range a.until {
			if now.After(until) || len(a.until)+len(domains) > maxArrived {
				delete(a.until, d)
			}
		}
	}
	for _, d := range domains {
		a.until[d] = now.Add(lateFor)
	}
}

func (a *arrivedDomains) has(d crawl.Domain, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	until, ok := a.until[d]
	return ok && now.Before(until)
}
