package app

import (
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
)

// describe logs what keeps the nodes from ending.
func (s *simSwarm) describe() {
	for _, x := range s.running() {
		totals, _ := x.node.frontier.Totals()
		if x.node.idle() {
			continue
		}
		_, leases := x.node.pool.InFlight()
		s.t.Logf("%s: %+v, %d leases held, %d returning, left %v", x.name, totals, leases, x.node.member.swarm.Returning(), x.leaving)
		infos, _ := x.node.frontier.Domains("", 5)
		for _, d := range infos {
			s.t.Logf("  %+v", d)
		}
	}
}

// look makes sure of what must hold at any time.
func (s *simSwarm) look() {
	if s.apart {
		return
	}
	s.lookAtRings()
	if time.Since(s.met) > agreeWithin {
		s.lookAtLeases()
	}
}

// lookAtLeases makes sure that at most one node works a domain, by the word of
// those that grant and of those that work.
func (s *simSwarm) lookAtLeases() {
	type lease struct {
		holder string
		says   []string
	}
	names := make(map[string]string)
	for _, x := range s.nodes {
		names[string(x.host.ID())] = x.name
	}
	leases := make(map[crawl.Domain]lease)
	note := func(d crawl.Domain, holder, says string) {
		l := leases[d]
		l.says = append(l.says, says)
		if l.holder != "" && l.holder != holder {
			s.fault("two live leases", "%s: %v", d, l.says)
		}
		l.holder = holder
		leases[d] = l
	}
	for _, x := range s.running() {
		for owner, f := range x.node.logs.led() {
			list, err := f.Leases()
			if err != nil {
				s.fault("leases", "%s: %v", x.name, err)
			}
			for _, l := range list {
				holder := names[owner]
				if l.Holder != "" {
					holder = names[l.Holder]
				}
				if !s.isolated(x) { // it may not know that another leads by now
					note(l.Domain, holder, x.name+" granted it to "+holder)
				}
			}
		}
		for d, granter := range x.node.pool.Domains() {
			note(d, x.name, x.name+" works it for "+names[granter])
		}
	}
	s.mostLeases = max(s.mostLeases, len(leases))
}

// lookAtRings makes sure that who came or went a while ago is known to all, and
// that all agree whose every domain is when nobody came or went since.
func (s *simSwarm) lookAtRings() {
	now := time.Now()
	members := make(map[string]*simNode)
	for _, x := range s.nodes {
		if members[string(x.host.ID())] = x; x.crashed {
			delete(members, string(x.host.ID()))
		}
	}
	settled := true
	for _, x := range s.members() {
		ring := x.node.member.node.Ring()
		for id, y := range members {
			has := ring.Units(id) > 0
			if has == (!y.leaving && !y.gone) {
				continue
			}
			settled = false
			since := y.started
			if y.leaving {
				since = y.left
			}
			for _, t := range []time.Time{x.started, s.met} {
				if since.Before(t) {
					since = t
				}
			}
			if now.Sub(since) > agreeWithin {
				s.fault("no agreement", "%s thinks that %s is a member: %v, after %v", x.name, y.name, has, now.Sub(since))
			}
		}
	}
	if settled {
		settled = s.sameOwners()
	}
	if settled {
		s.unagreed = time.Time{}
		return
	}
	if s.unagreed.IsZero() {
		s.unagreed = now
	}
	s.agreed = max(s.agreed, now.Sub(s.changed))
	if now.Sub(s.changed) > agreeWithin {
		s.fault("no agreement", "nobody came or went for %v", now.Sub(s.changed))
	}
}

// sameOwners reports whether all members name the same owners of sample domains.
func (s *simSwarm) sameOwners() bool {
	list := s.members()
	for i := range 200 {
		d := crawl.Domain(fmt.Sprintf("sample%d.test", i))
		for _, x := range list[1:] {
			if x.owner(d) != list[0].owner(d) {
				return false
			}
		}
	}
	return true
}

func (x *simNode) owner(d crawl.Domain) string {
	owner, _ := x.node.member.node.Owner(d)
	return owner
}

// checkAll makes sure that a crawl without partitions was as it should be.
func (s *simSwarm) checkAll() {
	s.t.Helper()
	s.checkEnd()
	s.web.checkCoverage(s.t)
	s.web.checkOnce(s.t, time.Time{}, s.origin)
	s.web.checkGaps(s.t, time.Time{}, s.origin)
}

// checkEnd makes sure of what must hold when the crawl is over: every domain is
// at its owner and nowhere else, and what was fetched is counted there.
func (s *simSwarm) checkEnd() {
	s.t.Helper()
	at := make(map[crawl.Domain]string)
	var fetched uint64
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
	if len(at) != s.web.domains {
		s.t.Errorf("%d domains are somewhere, want %d", len(at), s.web.domains)
	}
	if want := uint64(s.web.domains * s.web.pages); fetched != want {
		s.t.Errorf("%d pages are counted as fetched, want %d", fetched, want)
		s.describeCounts()
	}
}

// describeCounts logs the domains whose pages are not counted right.
func (s *simSwarm) describeCounts() {
	for _, x := range s.running() {
		infos, _ := x.node.frontier.Domains("", 1<<20)
		for _, d := range infos {
			if d.Fetched != uint64(s.web.pages) {
				s.t.Logf("%s at %s: %+v", d.Domain, x.name, d)
				for _, r := range s.web.requests() {
					if r.domain == string(d.Domain) {
						s.t.Logf("  %s %s", r.path, describeRequests([]simRequest{r}, s.origin))
					}
				}
			}
		}
	}
}
