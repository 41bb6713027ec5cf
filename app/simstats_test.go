package app

import (
	"strings"

	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/app/swarm"
)

// checkCounted makes sure that every page that is settled somewhere is in the statistics of the node
// that fetched it, once; one that two nodes fetched may be in those of both. All nodes that fetched must be
// there.
func (s *simSwarm) checkCounted() {
	s.t.Helper()
	var pages, firsts, fetched int64
	for _, x := range s.running() {
		stats, err := stats.Read(x.node.db, 0)
		if err != nil {
			s.t.Errorf("%s: %v", x.name, err)
		}
		totals, err := x.node.frontier.Totals()
		if err != nil {
			s.t.Errorf("%s: %v", x.name, err)
		}
		pages, firsts, fetched = pages+stats.Totals.Pages, firsts+stats.Totals.Firsts, fetched+int64(totals.Fetched)
	}
	if again := s.fetchedAgain(); pages < fetched || pages > fetched+again || firsts > pages {
		s.t.Errorf("%d pages and %d firsts are in statistics, %d pages are settled, %d were fetched again", pages, firsts, fetched, again)
	}
}

// fetchedAgain returns how many requests for pages were not the first.
func (s *simSwarm) fetchedAgain() (n int64) {
	seen := make(map[string]bool)
	for _, r := range s.web.requests() {
		if strings.HasSuffix(r.path, "/robots.txt") {
			continue
		}
		if seen[r.domain+r.path] {
			n++
		}
		seen[r.domain+r.path] = true
	}
	return n
}

// checksMade returns how many pages were fetched again for a check, or because of one.
func (s *simSwarm) checksMade() (n int64) {
	for _, x := range s.nodes {
		counts := x.node.swarm.Counts()
		n += counts[swarm.ChecksMade] + counts[swarm.WorkUndone]
	}
	return n
}

// checkTwice makes sure that hardly more was fetched again than was under way on nodes that lost their power: in each fetcher a
// request, and what it had not brought home.
func (s *simSwarm) checkTwice(victims int) {
	s.t.Helper()
	const most = 8 * 5
	if again := s.fetchedAgain(); again > int64(victims*most)+s.checksMade() {
		s.t.Errorf("%d requests were repeated, want at most %d", again, victims*most)
	}
}
