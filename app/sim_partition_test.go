//go:build !items

package app

import (
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/oldfrontier"
)

// A third of the nodes loses sight of the others for twenty minutes. No site has two
// crawlers in that time or after it, and all work is done.
func TestSim_PartitionOfTwentyMinutes(t *testing.T) {
	n := many(sized(9, 6))
	simulate(t, 2*n, sized(100, 80), func(s *simSwarm) {
		s.web.slowly(15)
		s.prepare = realTimes
		s.gather(n)
		few, most := s.sides()
		s.cutBetween(few, most, true)
		begin := s.at()
		s.run(20 * time.Minute)
		t.Logf("apart from %v to %v", begin, s.at())
		s.heal(few, most, 2*time.Minute)
		s.finish(3 * time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkTwice(append(few, most...))
	})
}

// A third loses sight of the others for two hours: long enough that both sides go on
// without the other. Together they visit no site more often than four times where
// three are allowed. Then they are one swarm again.
func TestSim_PartitionOfTwoHours(t *testing.T) {
	if !isLong() {
		t.Skip("takes minutes: FORAGE_LONG=1")
	}
	const gap = 30
	n := many(9)
	// A log that goes on unhindered visits 240 pages of each of its sites meanwhile, one that begins anew on
	// either side 80: all have some left for the time when they are one again.
	simulate(t, 2*n, 260, func(s *simSwarm) {
		s.web.slowly(gap)
		s.prepare = realTimes
		s.gather(n)
		few, most := s.sides()
		s.cutBetween(few, most, true)
		s.doubles = true
		begin := time.Now()
		s.run(2 * time.Hour)
		end := time.Now()
		s.checkRate(begin, end, 20*time.Minute, gap*time.Second)
		s.heal(few, most, 5*time.Minute)
		// A lease of either side may live on for a while.
		together := time.Now().Add(frontier.DefaultLeaseFor)
		s.run(time.Until(together))
		s.doubles = false
		s.finish(6 * time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, together, s.origin)
	})
}

// The same in little: in a lab members are out after twenty seconds, and logs begin anew
// after a minute.
func TestSim_PartitionUntilBothSidesGoOn(t *testing.T) {
	whole(t)
	n := many(9)
	simulate(t, 2*n, 40, func(s *simSwarm) {
		s.web.slowly(6)
		s.gather(n)
		few, most := s.sides()
		s.cutBetween(few, most, true)
		s.doubles = true
		begin := time.Now()
		s.run(3 * time.Minute)
		s.checkRate(begin, time.Now(), time.Minute, 6*time.Second)
		s.heal(few, most, time.Minute)
		together := time.Now().Add(labLease)
		s.run(time.Until(together))
		s.doubles = false
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, together, s.origin)
	})
}

// One of three nodes is off the network. Its partners' logs go on there, and when it comes back so many others have
// come that it is near to nobody any more: all that it knows still finds its way.
func TestSim_PartnerComesBackWhenOthersAreNearer(t *testing.T) {
	whole(t)
	simulate(t, 24, 30, func(s *simSwarm) {
		s.web.slowly(6)
		s.gather(3)
		s.run(10 * time.Second)
		away := s.nodes[2:3]
		s.cutBetween(away, s.nodes[:2], true)
		s.doubles = true
		for i := range 9 {
			x := s.start(s.nodes[:2], i)
			s.cutBetween(away, []*simNode{x}, true)
			s.run(time.Second)
		}
		s.run(2 * labBeginAnew)
		strange := 0
		for owner, f := range away[0].node.logs.led() {
			if owner == away[0].node.logs.self {
				continue
			}
			totals, err := f.Totals()
			near := s.nodes[3].node.member.node.Near(owner, partnersOf)
			if err != nil || slices.Contains(near, away[0].node.logs.self) {
				continue
			}
			t.Logf("%s goes on with the log of %s, which it is not near to any more: %d domains", away[0].name, s.nameOf(owner), totals.Domains)
			strange++
		}
		if strange == 0 {
			t.Error("it is near to its partners, or does not go on with their logs: this tests nothing")
		}
		s.heal(away, s.nodes[:2], 0)
		s.heal(away, s.nodes[3:], time.Minute)
		together := time.Now().Add(labLease)
		s.run(time.Until(together))
		s.doubles = false
		s.checkVouched()
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, together, s.origin)
	})
}

// checkVouched makes sure that members without a copy of a log find out who keeps it, or did, and that others did not.
func (s *simSwarm) checkVouched() {
	s.t.Helper()
	asked := make(map[bool]int)
	for _, owner := range s.members() {
		log := string(owner.host.ID())
		for _, x := range s.members() {
			for _, y := range s.members() {
				l, p := x.node.logs, string(y.host.ID())
				want := owner.node.logs.knew(log, p)
				if x == owner || asked[want] == 10 || l.groups.Get(log) != nil || l.speaks(log, p) {
					continue
				}
				asked[want]++
				l.forget(claim{log, p})
				if ok, sure := l.trusts(log, p); ok || sure {
					s.t.Errorf("%s believes at once that %s keeps the log of %s: %v (sure: %v)", x.name, y.name, owner.name, ok, sure)
				}
				s.run(time.Second)
				if ok, sure := l.trusts(log, p); ok != want || !sure {
					s.t.Errorf("%s believes that %s keeps or kept the log of %s: %v (sure: %v), want %v", x.name, y.name, owner.name, ok, sure, want)
				}
			}
		}
	}
	s.t.Logf("asked who keeps a log, or did: %v", asked)
	// With other identities, who was away may be near again.
	if simSeed() == 1 && asked[true] == 0 || asked[false] == 0 {
		s.t.Error("this tests nothing")
	}
}

// forget forgets what has come of a claim, if this node has asked.
func (l *logs) forget(c claim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.vouched[c].asking {
		delete(l.vouched, c)
	}
}
