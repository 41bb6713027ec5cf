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
	// maxRecent bounds the domains that are remembered.
	maxRecent = 1 << 14
)

// recentDomains remembers domains for a while.
type recentDomains struct {
	keep  time.Duration
	mu    sync.Mutex
	until map[crawl.Domain]time.Time
}

func newRecent(keep time.Duration) *recentDomains {
	return &recentDomains{keep: keep, until: make(map[crawl.Domain]time.Time)}
}

func (a *recentDomains) add(domains []crawl.Domain, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.until)+len(domains) > maxRecent {
		for d, until := range a.until {
			if now.After(until) || len(a.until)+len(domains) > maxRecent {
				delete(a.until, d)
			}
		}
	}
	for _, d := range domains {
		a.until[d] = now.Add(a.keep)
	}
}

func (a *recentDomains) drop(domains []crawl.Domain) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range domains {
		delete(a.until, d)
	}
}

func (a *recentDomains) has(d crawl.Domain, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	until, ok := a.until[d]
	return ok && now.Before(until)
}
