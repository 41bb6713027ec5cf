//go:build !items

package app

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/crawl/oldfrontier"
	group "github.com/forage-net/forage/p2p/oldgroup"
)

// One node loses sight of all others for longer than its log stands still, and for less
// than it takes to be given up: its log goes on on both sides. When they meet, one of
// the two gives its domains to the other, and every domain has one crawler again.
func TestSim_LogGoesOnOnBothSides(t *testing.T) {
	whole(t)
	logGoesOnOnBothSides(t)
}

// The same with other identities: a partner of the log that gives way is among those that it is carried on by, and back
// before the two are one. It votes no more in the one that ends.
func TestSim_LogEndsWithoutWhoWentOver(t *testing.T) {
	whole(t)
	t.Setenv("FORAGE_SEED", "4")
	logGoesOnOnBothSides(t)
}

func logGoesOnOnBothSides(t *testing.T) {
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
	whole(t)
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

// A member comes back with logs that went on there alone, those of its former partners give way to them, and before
// they are one it is gone for good. What it had is lost; nobody waits for it for ever.
func TestSim_WhoHadTheOtherLogIsGoneForGood(t *testing.T) {
	whole(t)
	simulate(t, 24, 30, func(s *simSwarm) {
		s.web.slowly(6)
		s.gather(3)
		s.run(10 * time.Second)
		away := s.nodes[2]
		s.cutBetween(s.nodes[2:3], s.nodes[:2], true)
		s.doubles = true
		for i := range 9 {
			x := s.start(s.nodes[:2], i)
			s.cutBetween(s.nodes[2:3], []*simNode{x}, true)
			s.run(time.Second)
		}
		s.run(2 * labBeginAnew)
		s.cutBetween(s.nodes[2:3], s.nodes[:2], false)
		s.cutBetween(s.nodes[2:3], s.nodes[3:], false)
		gaveWay := 0
		for end := time.Now().Add(time.Minute); gaveWay == 0 && time.Now().Before(end); {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			for _, x := range s.nodes[:2] {
				if x.node.logs.yieldsTo(x.node.logs.self) != "" {
					gaveWay++
				}
			}
		}
		if gaveWay == 0 {
			t.Fatal("no log gives way: this tests nothing")
		}
		s.split, s.met, s.changed = false, time.Now(), time.Now()
		s.crash(away)
		clear(s.known) // part of it was there alone
		s.finish(time.Hour)
		for _, x := range s.members() {
			if l := x.node.logs; l.own() == nil || !l.n.kept.Leads() {
				t.Errorf("%s still waits: %d of its logs give way", x.name, gaveWay)
			}
		}
		s.checkPlaces()
		t.Logf("%d logs gave way; %d of %d pages were fetched", gaveWay, len(s.web.fetches(time.Time{})), s.web.domains*s.web.pages)
	})
}

// A member is gone for good, and so many come that are nearer to it that those who have copies of its log are none of
// those who may speak for it before one of them leads it. Nobody can say that they had it: what they know goes on all the same.
func TestSim_NobodyKnowsWhoHasTheLog(t *testing.T) {
	whole(t)
	simulate(t, 24, 12, func(s *simSwarm) {
		s.web.slowly(6)
		s.gather(3)
		s.run(10 * time.Second)
		gone := s.nodes[2]
		s.crash(gone)
		for range 16 {
			s.start(s.nodes[:2])
		}
		s.run(3 * time.Second)
		id := string(gone.host.ID())
		for _, x := range s.nodes[:2] {
			if g := x.node.logs.groups.Get(id); g == nil {
				t.Fatalf("%s has no copy of the log: this tests nothing", x.name)
			}
			if slices.Contains(x.node.member.node.Near(id, partnersOf), string(x.host.ID())) {
				t.Fatalf("%s is near to who is gone: this tests nothing", x.name)
			}
		}
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
	})
}
