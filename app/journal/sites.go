package journal

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
)

// maxSites bounds how many sites are remembered for a minute: in labs alone there are more.
const maxSites = 1 << 14

// Sites knows from which domains pages came in the last minute.
type Sites struct {
	now func() time.Time

	mu   sync.Mutex
	seen map[crawl.Domain]time.Time
	lost time.Time // when one was last left out because there are too many
}

// NewSites returns Sites that know none.
func NewSites(now func() time.Time) *Sites {
	return &Sites{now: now, seen: make(map[crawl.Domain]time.Time)}
}

// Add notes that a page of a domain came.
func (s *Sites) Add(d crawl.Domain) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if _, known := s.seen[d]; !known && len(s.seen) >= maxSites {
		if s.lost.IsZero() || now.Sub(s.lost) >= time.Second { // forgetting takes a while: not for each page
			s.forget(now)
		}
		if len(s.seen) >= maxSites {
			s.lost = now
			return
		}
	}
	s.seen[d] = now
}

// forget forgets what is more than a minute ago.
func (s *Sites) forget(now time.Time) {
	for d, at := range s.seen {
		if now.Unix()-at.Unix() >= rateSeconds || at.After(now) { // as a Rate does
			delete(s.seen, d)
		}
	}
}

// Count returns how many domains there were; ok is false if there were too many to tell.
func (s *Sites) Count() (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.forget(now)
	return len(s.seen), s.lost.IsZero() || now.Sub(s.lost) >= rateSeconds*time.Second
}
