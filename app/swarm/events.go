package swarm

import (
	"maps"
	"sync"

	"github.com/forage-net/forage/crawl"
)

// EventKind says what happened. Its text is part of the API.
type EventKind string

const (
	LinksSent  EventKind = "links sent"  // the leader of their domain has them for good
	LinksTaken EventKind = "links taken" // from another member, into the frontier here
	LeasesLent EventKind = "leases lent" // to a fetcher elsewhere
	LeasesHeld EventKind = "leases held" // from another leader, for the fetchers here
	// LeasesBack are leases lent that came home, LeasesBrought those of others that were brought home.
	LeasesBack    EventKind = "leases back"
	LeasesBrought EventKind = "leases brought"
	// PagesTaken are pages that a fetcher elsewhere fetched and told of.
	PagesTaken EventKind = "pages taken"
	// ChecksMade are checks of pages that a fetcher elsewhere had told of, WorkUndone pages of one that are to
	// be visited again.
	ChecksMade EventKind = "checks made"
	WorkUndone EventKind = "work undone"
)

// Event is something that happened between members.
type Event struct {
	Kind    EventKind
	Peer    string
	Domain  crawl.Domain
	Domains int // of leases
	Count   int // of links or pages
	// All are the domains of PagesTaken, each once.
	All []crawl.Domain
}

// counts add up what happened between members since the start.
type counts struct {
	mu sync.Mutex
	n  map[EventKind]int64
}

// tell counts an event and passes it on.
func (s *Swarm) tell(e Event) {
	s.counts.mu.Lock()
	if s.counts.n == nil {
		s.counts.n = make(map[EventKind]int64)
	}
	s.counts.n[e.Kind] += int64(e.Domains + e.Count)
	s.counts.mu.Unlock()
	s.cfg.Tell(e)
}

// Counts returns how many domains, links or pages each kind of event was of since the start.
func (s *Swarm) Counts() map[EventKind]int64 {
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	return maps.Clone(s.counts.n)
}
