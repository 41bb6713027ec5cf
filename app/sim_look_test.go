package app

import (
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/ring"
)

// look makes sure of what must hold at any time.
func (s *simSwarm) look() {
	if s.watch != nil {
		s.watch(false)
	}
	if s.apart {
		return
	}
	if !s.split {
		s.lookAtRings()
	}
	if !s.doubles && (s.split || time.Since(s.met) > agreeWithin) {
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
	off := make(map[string]bool) // nodes that lost their power: nothing of theirs is live
	for _, x := range s.nodes {
		off[string(x.host.ID())] = x.crashed
	}
	type grant struct{ holder, says string }
	for _, x := range s.running() {
		granted := make(map[crawl.Domain][]grant)
		x.eachGranted(s, func(d crawl.Domain, holder, says string) { granted[d] = append(granted[d], grant{holder, says}) })
		for d, list := range granted {
			if len(list) == 1 && !off[list[0].holder] { // after a start a member counts leases that are over, beside those that followed
				note(d, s.nameOf(list[0].holder), list[0].says)
			}
		}
	}
	for _, x := range s.running() {
		if x.clock.isFrozen() {
			continue // it sends nothing, and will find them over
		}
		for d, granter := range x.node.pool.Domains() {
			note(d, x.name, x.name+" works it for "+s.nameOf(granter))
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
		ring := x.node.member.Node.Members.Ring()
		for _, y := range s.nodes {
			if y.crashed && members[string(y.host.ID())] == nil && now.Sub(y.cut) > s.outBy()+agreeWithin && ring.Units(string(y.host.ID())) > 0 {
				s.fault("not given up", "%s thinks that %s is a member, %v after that one lost its power", x.name, y.name, now.Sub(y.cut))
			}
		}
		for id, y := range members {
			has := ring.Units(id) > 0
			if has == (!y.leaving && !y.gone && !y.guest) {
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
	changed := s.changed
	for _, x := range s.nodes { // who lost its power is out a while later
		if at := x.cut.Add(s.outBy()); x.crashed && changed.Before(at) {
			changed = at
		}
	}
	s.agreed = max(s.agreed, now.Sub(changed))
	if now.Sub(changed) > agreeWithin {
		s.fault("no agreement", "nobody came or went for %v", now.Sub(s.changed))
	}
}

// outBy is when a member that lost its power is out: it must be missed, and those
// that watch it must agree.
func (s *simSwarm) outBy() time.Duration {
	t := p2p.LabTimes()
	if s.nodes[0].node.opts.Lab.RealTimes {
		t = p2p.PublicTimes()
	}
	return time.Duration(t.Misses+1)*t.Beat + t.Probe + t.Out + 2*noteWait
}

// noteWait is how often members try to agree that one is out.
const noteWait = 10 * time.Second

// sameOwners reports whether all members name the same owners of sample domains. While they look at the
// same rings as before, they do as before.
func (s *simSwarm) sameOwners() bool {
	list := s.members()
	rings := make([]*ring.Ring, len(list))
	for i, x := range list {
		rings[i] = x.node.member.Node.Members.Ring()
	}
	if !slices.Equal(rings, s.rings) {
		s.rings, s.same = rings, agreeOnOwners(rings)
	}
	return s.same
}

func agreeOnOwners(rings []*ring.Ring) bool {
	for i := range 200 {
		key := crawl.KeyOf(crawl.Domain(fmt.Sprintf("sample%d.test", i)))
		first, _ := rings[0].Owner(key)
		for _, r := range rings[1:] {
			if u, _ := r.Owner(key); u.Member != first.Member {
				return false
			}
		}
	}
	return true
}

func (x *simNode) owner(d crawl.Domain) string {
	owner, _ := x.node.member.Node.Members.Owner(d)
	return owner
}

// checkAll makes sure that a crawl without partitions was as it should be.
func (s *simSwarm) checkAll() {
	s.t.Helper()
	s.checkEnd()
	s.web.checkCoverage(s.t)
	s.web.checkOnce(s.t, time.Time{}, s.origin, s.checksMade())
	s.web.checkGaps(s.t, time.Time{}, s.origin)
}

// checkEnd makes sure of what must hold when the crawl is over: every domain is
// at its owner and nowhere else, and what was fetched is counted there.
func (s *simSwarm) checkEnd() {
	s.t.Helper()
	domains, fetched := s.checkPlaces()
	if domains != s.web.domains {
		s.t.Errorf("%d domains are somewhere, want %d", domains, s.web.domains)
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
