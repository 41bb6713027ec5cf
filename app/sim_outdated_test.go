package app

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/group"
)

// One node loses sight of all others for longer than its log stands still, and for less
// than it takes to be given up: its log goes on on both sides. When they meet, one of
// the two gives its domains to the other, and every domain has one crawler again.
func TestSim_LogGoesOnOnBothSides(t *testing.T) {
	const gap = 30
	simulate(t, 12, 150, func(s *simSwarm) {
		s.web.slowly(gap)
		s.prepare = realTimes
		s.gather(5)
		alone := s.nodes[2:3]
		others := append(append([]*simNode{}, s.nodes[:2]...), s.nodes[3:]...)
		s.cutBetween(alone, others, true)
		s.doubles = true
		begin := time.Now()
		s.run(45 * time.Minute)
		end := time.Now()
		s.checkRate(begin, end, 20*time.Minute, gap*time.Second)
		g := alone[0].node.logs.own()
		if e := g.Epoch(); e.Number == 0 || !g.Leads() {
			t.Errorf("the node that is alone does not go on: epoch %+v, leads %v", e, g.Leads())
		}
		s.heal(alone, others, 5*time.Minute)
		together := time.Now().Add(frontier.DefaultLeaseFor)
		s.run(time.Until(together))
		s.doubles = false
		s.finish(6 * time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, together, s.origin)
		for _, x := range s.running() {
			for owner := range x.node.logs.led() {
				if owner != x.node.logs.self {
					t.Errorf("%s still leads another's log", x.name)
				}
			}
		}
	})
}

// A stranger says that a log was carried on elsewhere. It is not believed: the log goes on. One that keeps a
// copy is.
func TestSim_StrangersSayThatALogWentOn(t *testing.T) {
	simulate(t, 9, 4, func(s *simSwarm) {
		s.gather(9)
		x := s.nodes[0]
		l := x.node.logs
		for _, y := range s.nodes[1:] {
			id := string(y.host.ID())
			if l.speaks(l.self, id) {
				continue
			}
			l.outdate(l.self, id, group.Epoch{Number: 1 << 40, Founder: id})
			if !l.n.kept.Leads() || l.yieldsTo(l.self) != "" {
				t.Errorf("%s gives its log up because of %s, which never had it", x.name, y.name)
			}
			s.finish(time.Hour)
			s.checkAll()
			return
		}
		t.Error("all are near to it, or kept its log: this tests nothing")
	})
}
