package app

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/crawl"
)

// ownedBy returns how many sites of the web belong to a node, as another one sees it.
func (s *simSwarm) ownedBy(x, seenBy *simNode) (n int) {
	for i := range s.web.domains {
		if seenBy.owner(mustURL(s.t, simURL(i)).Domain()) == string(x.host.ID()) {
			n++
		}
	}
	return n
}

// elsewhere returns the sites that a node acts for though they belong to others.
func (s *simSwarm) elsewhere(x *simNode) (list []crawl.Domain) {
	for _, d := range s.actedFor(x) {
		if x.owner(d.Domain) != string(x.host.ID()) {
			list = append(list, d.Domain)
		}
	}
	return list
}

// One that comes while its user is at the keyboard owns nothing before it may work: nobody would visit what is not handed over
// yet. What it owns then it keeps through a restart on standby.
func TestSim_StandbyNewcomer(t *testing.T) {
	whole(t)
	simulate(t, 60, 12, func(s *simSwarm) {
		s.gather(4)
		before := s.prepare
		s.prepare = func(o *Options) { before(o); o.Footing = limits.Standby }
		x := s.start(s.doors())
		x.guest = true
		s.run(2 * time.Minute)
		if n := s.ownedBy(x, s.nodes[0]); n > 0 {
			t.Errorf("on standby a newcomer owns %d sites", n)
		}
		x.guest, x.started, s.changed = false, time.Now(), time.Now()
		s.setFooting(x, limits.Duty, time.Time{})
		s.run(time.Minute)
		if n := s.ownedBy(x, s.nodes[0]); n == 0 {
			t.Error("on duty it owns no site")
		}
		s.crash(x)
		s.run(5 * time.Second)
		x = s.revive(x, s.doors()...)
		s.run(time.Minute)
		if x.node.gate.Now() != limits.Standby {
			t.Error("it does not stand by")
		}
		if n := s.ownedBy(x, s.nodes[0]); n == 0 {
			t.Error("restarted on standby it owns nothing any more")
		}
		s.finish(30 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
	})
}

// Among many members a newcomer has to be up for an hour to own anything; one that is restarted goes on at once.
func TestSim_StandbyOwnerRestarts(t *testing.T) {
	simulate(t, 40, 4, func(s *simSwarm) {
		s.prepare = func(o *Options) { realTimes(o); o.Sim.OwnAtOnce = false }
		s.gather(10)
		last := s.start(s.doors())
		last.guest = true
		s.run(time.Minute)
		if n := s.ownedBy(last, s.nodes[0]); n > 0 {
			t.Errorf("the eleventh owns %d sites at once", n)
		}
		x := s.nodes[3]
		had := s.ownedBy(x, s.nodes[0])
		s.crash(x)
		s.run(20 * time.Second)
		x = s.revive(x, s.doors()...)
		s.run(2 * time.Minute)
		if n := s.ownedBy(x, s.nodes[0]); n != had {
			t.Errorf("restarted it owns %d sites, before %d", n, had)
		}
	})
}

// Members that stand by hand domains over to a newcomer and take those of one that leaves, within what they may move,
// and the crawl comes to its end without a request of theirs.
func TestSim_StandbyDomainsMove(t *testing.T) {
	whole(t)
	simulate(t, 120, 12, func(s *simSwarm) {
		s.prepare = realTimes
		s.gather(6)
		s.run(2 * time.Minute) // sites are found
		idle := []*simNode{s.nodes[1], s.nodes[4], s.nodes[5]}
		for _, x := range idle {
			s.setFooting(x, limits.Standby, time.Time{})
		}
		s.run(2 * time.Second)
		since, moved := time.Now(), &moves{idle, make(map[*simNode][2][]int)}
		await := func(what string, within time.Duration, is func() bool) {
			t.Helper()
			began := time.Now()
			for !is() {
				if time.Since(began) > within {
					t.Errorf("%v: %s: not within %v", s.at(), what, within)
					return
				}
				moved.note()
				s.run(time.Second)
			}
			t.Logf("%v: %s, after %v", s.at(), what, time.Since(began))
		}
		y := s.start(s.doors())
		await("a newcomer is known", time.Minute, func() bool {
			return s.ownedBy(y, idle[0]) > 0 && s.ownedBy(y, idle[1]) > 0 && s.ownedBy(y, idle[2]) > 0
		})
		given := len(s.elsewhere(idle[0])) + len(s.elsewhere(idle[1])) + len(s.elsewhere(idle[2]))
		if given == 0 {
			t.Error("those that stand by have nothing to hand over")
		}
		await("it has got its sites", 10*time.Minute, func() bool { return len(s.elsewhere(idle[0]))+len(s.elsewhere(idle[1]))+len(s.elsewhere(idle[2])) == 0 })
		s.leave(s.nodes[2])
		quiet := 0
		await("nothing is left to do", 60*time.Minute, func() bool {
			quiet++
			led := 0
			for _, x := range s.running() {
				led += len(s.actedFor(x))
				if x.leaving || !x.node.idle() {
					quiet = 0
				}
			}
			return quiet >= 10 && led == s.web.domains // a shard that lost its leader has another by then
		})
		_, by := s.fetchedOf(y, since)
		for _, x := range idle {
			if by[x.name] > 0 {
				t.Errorf("%s sent %d requests", x.name, by[x.name])
			}
		}
		moved.check(t)
		s.checkAll()
	})
}
