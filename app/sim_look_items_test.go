//go:build items

package app

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
)

// describe logs what keeps the nodes from ending.
func (s *simSwarm) describe() {
	for _, x := range s.running() {
		if x.node.idle() {
			continue
		}
		_, leases := x.node.pool.InFlight()
		led, whole, follows := x.node.countLogs()
		totals, _ := x.node.frontier.Totals()
		s.t.Logf("%s: %d leases held, %d returning, left %v; it leads %d shards, %d of them whole, and follows %d; %+v",
			x.name, leases, x.node.returning(), x.leaving, led, whole, follows, totals)
		for _, d := range s.actedFor(x) {
			if d.Queued > 0 {
				s.t.Logf("  %+v", d)
			}
		}
	}
}

// eachGranted visits the leases that live, by the word of those that grant.
func (s *simSwarm) eachGranted(visit func(d crawl.Domain, holder, says string)) {
	for _, x := range s.running() {
		_ = x.node.driver.Do(s.t.Context(), func(n *group.Node) error { // it may rest, or end
			for _, l := range n.Leases() {
				visit(l.Domain, string(l.Fetcher), x.name+" granted it to "+s.nameOf(string(l.Fetcher)))
			}
			return nil
		})
	}
}

// actedFor returns the domains that a node acts for.
func (s *simSwarm) actedFor(x *simNode) (list []domainInfo) {
	s.t.Helper()
	all, err := x.node.frontier.Domains("", 1<<20)
	if err != nil {
		s.t.Errorf("%s: %v", x.name, err)
	}
	err = x.node.driver.Do(s.t.Context(), func(n *group.Node) error {
		for _, d := range all {
			if acts, _ := n.Acts(d.Domain); acts {
				list = append(list, d)
			}
		}
		return nil
	})
	if err != nil {
		s.t.Errorf("%s: %v", x.name, err)
	}
	return list
}

// checkPlaces makes sure that nothing is left to do and one member acts for every domain.
// It returns how many there are, and how many pages were fetched.
func (s *simSwarm) checkPlaces() (domains int, fetched uint64) {
	s.t.Helper()
	at := make(map[crawl.Domain]string)
	for _, x := range s.running() {
		if err := x.node.checkBooks(); err != nil {
			s.t.Errorf("%s: %v", x.name, err)
		}
		for _, d := range s.actedFor(x) {
			if d.Queued > 0 {
				s.t.Errorf("%s is not done with %s: %+v", x.name, d.Domain, d)
			}
			fetched += d.Fetched
			if at[d.Domain] != "" {
				s.t.Errorf("%s and %s act for %s", at[d.Domain], x.name, d.Domain)
			}
			at[d.Domain] = x.name
		}
		if n := x.node.member.node.Offences(); len(n) > 0 {
			s.t.Errorf("%s found fault with honest peers: %v", x.name, n)
		}
	}
	return len(at), fetched
}
