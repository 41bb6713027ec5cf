package app

import (
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/shard"
)

// gather starts nodes and waits until each leads its shards, with a whole line.
func (s *simSwarm) gather(n int) {
	s.t.Helper()
	s.prepare = func(prepare func(*Options)) func(*Options) {
		return func(o *Options) {
			o.Config.Limits.Budget.Full.Fetchers = 8
			if prepare != nil {
				prepare(o)
			}
		}
	}(s.prepare)
	s.start(nil, 0)
	s.run(time.Second)
	for i := 1; i < n; i++ {
		s.start(s.doors(), i%s.web.domains)
		s.run(time.Second)
	}
	s.settleShards(2 * time.Minute)
	s.run(30 * time.Second)
}

// realTimes makes nodes wait as long as outside a lab.
func realTimes(o *Options) { o.Lab.RealTimes = true }

// eachLed visits the shards that have a leader, by its word. One that rests leads nothing.
func (s *simSwarm) eachLed(visit func(leader *simNode, v group.View)) {
	for _, x := range s.running() {
		var views []group.View
		_ = x.node.driver.Do(s.t.Context(), func(n *group.Node) error {
			views = n.Look()
			return nil
		})
		for _, v := range views {
			if v.Role == shard.Leader {
				visit(x, v)
			}
		}
	}
}

// leaderOf returns who leads the first shard of a node.
func (s *simSwarm) leaderOf(x *simNode) (leader string) {
	s.eachLed(func(l *simNode, v group.View) {
		if v.Shard.Home() == crawl.PeerID(x.host.ID()) && v.Shard.Unit() == 0 {
			leader = l.name
		}
	})
	return leader
}

// awaitLeader lets time pass until the shard of a node is led by some node, or is not.
func (s *simSwarm) awaitLeader(x *simNode, within time.Duration, ok func(leader string) bool) {
	s.t.Helper()
	for start := time.Now(); !ok(s.leaderOf(x)); {
		if time.Since(start) > within {
			s.t.Errorf("%v: the shard of %s is led by %q after %v", s.at(), x.name, s.leaderOf(x), within)
			return
		}
		s.run(200 * time.Millisecond)
	}
}

// lineOf returns the nodes that vote in the first shard of a node.
func (s *simSwarm) lineOf(x *simNode) (line []*simNode) {
	s.eachLed(func(_ *simNode, v group.View) {
		if v.Shard.Home() != crawl.PeerID(x.host.ID()) || v.Shard.Unit() != 0 {
			return
		}
		for _, y := range s.running() {
			if slices.Contains(v.Voters, crawl.PeerID(y.host.ID())) {
				line = append(line, y)
			}
		}
	})
	return line
}

// settleShards lets time pass until each member leads its shards, with a whole line.
func (s *simSwarm) settleShards(limit time.Duration) {
	s.t.Helper()
	for start := time.Now(); ; s.run(time.Second) {
		whole := make(map[crawl.PeerID]bool)
		s.eachLed(func(l *simNode, v group.View) {
			if self := crawl.PeerID(l.host.ID()); v.Shard.Home() == self && len(v.Learners) == 0 && len(v.Voters) == min(groupSize, len(s.members())) {
				whole[self] = true
			}
		})
		if len(whole) == len(s.members()) {
			return
		}
		if time.Since(start) > limit {
			s.t.Errorf("%v: %d members of %d lead their shards after %v", s.at(), len(whole), len(s.members()), limit)
			return
		}
	}
}

// describe logs what keeps the nodes from ending.
func (s *simSwarm) describe() {
	for _, x := range s.running() {
		if x.node.idle() {
			continue
		}
		_, leases := x.node.pool.InFlight()
		var at api.Status
		x.node.CountShards(&at)
		totals, _ := x.node.frontier.Totals()
		s.t.Logf("%s: %d leases held, %d returning, left %v; it leads %d shards, %d of them whole, and follows %d; %+v",
			x.name, leases, x.node.swarm.Waiting(), x.leaving, at.Leads, at.Whole, at.Follows, totals)
		for _, d := range s.actedFor(x) {
			if d.Queued > 0 {
				s.t.Logf("  %+v", d)
			}
		}
	}
}

// eachGranted visits the leases that live, by the word of a node that grants.
func (x *simNode) eachGranted(s *simSwarm, visit func(d crawl.Domain, holder, says string)) {
	_ = x.node.driver.Do(s.t.Context(), func(n *group.Node) error { // it may rest, or end
		for _, l := range n.Leases() {
			visit(l.Domain, string(l.Fetcher), x.name+" granted it to "+s.nameOf(string(l.Fetcher)))
		}
		return nil
	})
}

// actedFor returns the domains that a node acts for.
func (s *simSwarm) actedFor(x *simNode) (list []nodeapi.DomainInfo) {
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
		if n := x.node.member.Node.Requests.Offences(); len(n) > 0 {
			s.t.Errorf("%s found fault with honest peers: %v", x.name, n)
		}
	}
	return len(at), fetched
}
