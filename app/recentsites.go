package app

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
)

// maxRecentSites bounds how many sites are remembered for a minute: in labs alone there are more.
const maxRecentSites = 1 << 14

// recentSites knows from which domains pages came in the last minute.
type recentSites struct {
	now func() time.Time

	mu   sync.Mutex
	seen map[crawl.Domain]time.Time
	lost time.Time // when one was last left out because there are too many
}

func newRecentSites(now func() time.Time) *recentSites {
	return &recentSites{now: now, seen: make(map[crawl.Domain]time.Time)}
}

func (s *recentSites) add(d crawl.Domain) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if _, known := s.seen[d]; !known && len(s.seen) >= maxRecentSites {
		if s.lost.IsZero() || now.Sub(s.lost) >= time.Second { // forgetting takes a while: not for each page
			s.forget(now)
		}
		if len(s.seen) >= maxRecentSites {
			s.lost = now
			return
		}
	}
	s.seen[d] = now
}

// forget forgets what is more than a minute ago.
func (s *recentSites) forget(now time.Time) {
	for d, at := range s.seen {
		if now.Unix()-at.Unix() >= rateSeconds || at.After(now) { // as a rateMeter does

			delete(s.seen, d)
		}
	}
}

// count returns how many domains there were; ok is false if there were too many to tell.
func (s *recentSites) count() (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.forget(now)
	return len(s.seen), s.lost.IsZero() || now.Sub(s.lost) >= rateSeconds*time.Second
}
