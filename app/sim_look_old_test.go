//go:build !items

package app

import (
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
)

// describe logs what keeps the nodes from ending.
func (s *simSwarm) describe() {
	for _, x := range s.running() {
		if x.node.idle() {
			continue
		}
		_, leases := x.node.pool.InFlight()
		s.t.Logf("%s: %d leases held, %d returning, left %v", x.name, leases, x.node.member.swarm.Returning(), x.leaving)
		for owner, f := range x.node.logs.led() {
			totals, _ := f.Totals()
			s.t.Logf("  leads the log of %s: %+v", s.nameOf(owner), totals)
			infos, _ := f.Domains("", 1<<20)
			for _, d := range infos {
				if d.Queued > 0 || d.Leased || d.State != frontier.StateOpen {
					s.t.Logf("    %+v", d)
				}
			}
			links, _ := f.Outbox(nil, 3)
			for _, l := range links {
				owner, _ := x.node.member.node.Owner(mustURL(s.t, l.Link.URL).Domain())
				s.t.Logf("    to %s: %s", s.nameOf(owner), l.Link.URL)
			}
		}
	}
}

// checkPlaces makes sure that nothing is left to do and every domain is at its owner and
// nowhere else. It returns how many there are, and how many pages were fetched.
func (s *simSwarm) checkPlaces() (domains int, fetched uint64) {
	s.t.Helper()
	at := make(map[crawl.Domain]string)
	for _, x := range s.running() {
		if err := x.node.frontier.Check(); err != nil {
			s.t.Errorf("%s: %v", x.name, err)
		}
		totals, err := x.node.frontier.Totals()
		if err != nil || totals.Queued != 0 || totals.Leases != 0 || totals.Outbox != 0 || totals.Closing != 0 || totals.Arriving != 0 {
			s.t.Errorf("%s is not done: %+v, %v", x.name, totals, err)
		}
		fetched += totals.Fetched
		names, err := x.node.frontier.Names("", 1<<20)
		if err != nil {
			s.t.Errorf("%s: %v", x.name, err)
		}
		for _, d := range names {
			if at[d] != "" {
				s.t.Errorf("%s is at %s and at %s", d, at[d], x.name)
			}
			at[d] = x.name
			if owner := x.owner(d); owner != string(x.host.ID()) {
				s.t.Errorf("%s is at %s, but its owner is %s", d, x.name, peer.ID(owner))
			}
		}
		if n := x.node.member.node.Offences(); len(n) > 0 {
			s.t.Errorf("%s found fault with honest peers: %v", x.name, n)
		}
	}
	return len(at), fetched
}

// eachGranted visits the leases that live, by the word of those that grant.
func (s *simSwarm) eachGranted(visit func(d crawl.Domain, holder, says string)) {
	for owner, log := range s.logsNow() {
		list, err := log.leader.node.logs.groups.Get(owner).Machine().(*keptLog).Leases()
		if err != nil {
			s.fault("leases", "%s: %v", log.leader.name, err)
		}
		for _, l := range list {
			holder := owner
			if l.Holder != "" {
				holder = l.Holder
			}
			visit(l.Domain, holder, log.leader.name+" says that "+s.nameOf(owner)+" granted it to "+s.nameOf(holder))
		}
	}
}
