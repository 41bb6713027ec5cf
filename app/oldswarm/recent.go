package swarm

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
)

// maxRecent bounds the domains that are remembered.
const maxRecent = 1 << 14

// recentDomains remembers domains for a while, and something of each.
type recentDomains[T any] struct {
	keep time.Duration
	mu   sync.Mutex
	all  map[crawl.Domain]recentDomain[T]
}

type recentDomain[T any] struct {
	until time.Time
	what  T
}

func newRecent[T any](keep time.Duration) *recentDomains[T] {
	return &recentDomains[T]{keep: keep, all: make(map[crawl.Domain]recentDomain[T])}
}

// add remembers domains from now on. what returns what to keep of one, of which old was kept if ok; nil if nothing is.
func (a *recentDomains[T]) add(domains []crawl.Domain, now time.Time, what func(i int, old T, ok bool) T) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all)+len(domains) > maxRecent {
		for d, r := range a.all {
			if now.After(r.until) || len(a.all)+len(domains) > maxRecent {
				delete(a.all, d)
			}
		}
	}
	for i, d := range domains {
		r, ok := a.all[d]
		if what != nil {
			r.what = what(i, r.what, ok && now.Before(r.until))
		}
		r.until = now.Add(a.keep)
		a.all[d] = r
	}
}

func (a *recentDomains[T]) drop(domains []crawl.Domain) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range domains {
		delete(a.all, d)
	}
}

// get returns what is kept of a domain; ok is false if it is not remembered.
func (a *recentDomains[T]) get(d crawl.Domain, now time.Time) (what T, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.all[d]
	return r.what, ok && now.Before(r.until)
}
