package worker

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/forage-net/forage/crawl"
)

const (
	// slowFrom is how long a request takes to a domain that counts as slow.
	slowFrom = time.Second
	// slowDomains bounds how many are remembered. One that is forgotten is
	// found out again at the price of one request.
	slowDomains = 4096
)

// slowness keeps domains that are slow from taking all fetchers: half of them
// serve the others only. Its methods are safe for concurrent use.
type slowness struct {
	free chan struct{} // told of a fetcher that is back

	mu      sync.Mutex
	domains *simplelru.LRU[crawl.Domain, struct{}] // whose last request was slow
	busy    int                                    // fetchers that have a turn of one
}

func newSlowness(free chan struct{}) *slowness {
	domains, _ := simplelru.NewLRU[crawl.Domain, struct{}](slowDomains, nil) // fails for no size only
	return &slowness{domains: domains, free: free}
}

// note remembers how long a request to a domain took.
func (s *slowness) note(d crawl.Domain, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if took < slowFrom {
		s.domains.Remove(d)
		return
	}
	s.domains.Add(d, struct{}{})
}

// is reports whether the last request to a domain was slow.
func (s *slowness) is(d crawl.Domain) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.domains.Contains(d)
}

// hasRoom reports whether another of some fetchers may take a turn of a slow domain.
func (s *slowness) hasRoom(fetchers int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy < max(fetchers/2, 1)
}

// add counts a fetcher that takes a turn of a slow domain, or is back from it.
func (s *slowness) add(n int) {
	s.mu.Lock()
	s.busy += n
	s.mu.Unlock()
	if n < 0 {
		signal(s.free)
	}
}
