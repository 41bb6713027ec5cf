package worker

import (
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
// serve the others only. Pool.mu guards it.
type slowness struct {
	domains *simplelru.LRU[crawl.Domain, struct{}] // whose last request was slow
	busy    int                                    // fetchers that have a turn of one
	most    int                                    // of them
}

func newSlowness(fetchers int) slowness {
	domains, _ := simplelru.NewLRU[crawl.Domain, struct{}](slowDomains, nil) // fails for no size only
	return slowness{domains: domains, most: slowMost(fetchers)}
}

// slowMost is how many of the fetchers may have a turn of a slow domain.
func slowMost(fetchers int) int { return max(fetchers/2, 1) }

// note remembers how long a request to a domain took.
func (s *slowness) note(d crawl.Domain, took time.Duration) {
	if took < slowFrom {
		s.domains.Remove(d)
		return
	}
	s.domains.Add(d, struct{}{})
}

// noteTook remembers how long a request to the domain of a turn took.
func (p *Pool) noteTook(t *turn, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slow.note(t.Domain, took)
}

func (p *Pool) isSlow(d crawl.Domain) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slow.domains.Contains(d)
}

// slowLaneFree reports whether another fetcher may take a turn of a slow domain.
func (p *Pool) slowLaneFree() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slow.busy < p.slow.most
}

// addSlow counts a fetcher that takes a turn of a slow domain, or is back from it.
func (p *Pool) addSlow(n int) {
	p.mu.Lock()
	p.slow.busy += n
	p.mu.Unlock()
	if n < 0 {
		signal(p.lane)
	}
}
