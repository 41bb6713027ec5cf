package swarm

import "sync"

// Counts adds up what happened between members since the start.
type Counts struct {
	mu sync.Mutex
	n  map[EventKind]int64
}

// NewCounts returns counts of nothing yet.
func NewCounts() *Counts { return &Counts{n: make(map[EventKind]int64)} }

func (c *Counts) add(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Kind {
	case LeasesLent, LeasesHeld, LeasesBack, LeasesBrought, DomainsGiven, DomainsTaken:
		c.n[e.Kind] += int64(max(e.Domains, 1))
	default:
		c.n[e.Kind] += int64(e.Count)
	}
}

// Counts returns how often each kind of event happened since the start.
func (s *Swarm) Counts() map[EventKind]int64 {
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	m := make(map[EventKind]int64, len(s.counts.n))
	for k, v := range s.counts.n {
		m[k] = v
	}
	return m
}
