package app

// checkCounted makes sure that every page that is settled somewhere is in the statistics of the node
// that fetched it, once. All nodes that fetched must be there.
func (s *simSwarm) checkCounted() {
	s.t.Helper()
	var pages, firsts, fetched int64
	for _, x := range s.running() {
		stats, err := readStats(x.node.db, 0)
		if err != nil {
			s.t.Errorf("%s: %v", x.name, err)
		}
		totals, err := x.node.frontier.Totals()
		if err != nil {
			s.t.Errorf("%s: %v", x.name, err)
		}
		pages, firsts, fetched = pages+stats.Totals.Pages, firsts+stats.Totals.Firsts, fetched+int64(totals.Fetched)
	}
	if pages != fetched || firsts > pages {
		s.t.Errorf("%d pages and %d firsts are in statistics, %d pages are settled", pages, firsts, fetched)
	}
}
