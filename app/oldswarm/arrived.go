package swarm

import (
	"cmp"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// lateFor is how long after a domain arrived outcomes of the last lease are taken that
	// its former owner granted: longer than any of them lasts, and than reports
	// follow it.
	lateFor = giveUpAfter
	// lateOutcomes is how many of them are looked at: those of a lease, told twice.
	lateOutcomes = 2 * frontier.MaxLeaseTasks
)

// arrival is a domain that came lately. Who held its last lease there may have something to tell, and nobody else is believed that it did.
type arrival struct {
	from string // whose log it came from
	n    uint64 // of the move
	last string // who held the last lease

	mu      sync.Mutex
	left    int  // outcomes that may be told
	trouble bool // it told that the site asked to be left alone
}

// noteArrived remembers who held the last leases of domains before they came. A log has no name for the fetcher of its owner.
func (s *Swarm) noteArrived(from string, n uint64, domains []crawl.Domain) error {
	places, err := s.cfg.Frontier.WhereAll(domains)
	if err != nil {
		return err
	}
	s.arrived.add(domains, s.now(), func(i int, old *arrival, ok bool) *arrival {
		if ok && old.from == from && old.n == n { // told again; somebody may have leased it here since
			return old
		}
		return &arrival{from: from, n: n, last: cmp.Or(places[i].Last, ownerOf(from)), left: lateOutcomes}
	})
	return nil
}

// lateTasks returns what a peer tells that held the last lease of a domain before it came here: the tasks of the outcomes, by URL, since tasks
// that move are numbered anew.
func (s *Swarm) lateTasks(from string, l *wire.LeaseReport, now time.Time) (map[string]crawl.Task, *arrival, error) {
	came, ok := s.arrived.get(l.Domain, now)
	if !ok || came.last != from || !came.take(len(l.Outcomes)) {
		return nil, nil, nil
	}
	var urls []crawl.URL
	for i := range l.Outcomes {
		if u, err := crawl.ParseURL(l.Outcomes[i].URL); err == nil && u.Domain() == l.Domain {
			urls = append(urls, u)
		}
	}
	tasks, err := s.cfg.Frontier.Find(urls)
	return tasks, came, err
}

// take reports whether so many outcomes more may be told.
func (a *arrival) take(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n > a.left {
		return false
	}
	a.left -= n
	return true
}

// counts reports whether an outcome that came late is to be settled. One that puts its task back under a new number would count each time it is
// told: such a task is fetched again instead, but that a site asked to be left alone is heard, once.
func (a *arrival) counts(r crawl.Result) bool {
	if r.Final() {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if r != crawl.Refused || a.trouble {
		return false
	}
	a.trouble = true
	return true
}
