package app

import (
	"testing"
	"time"
)

// A node that has crawled alone for a while meets others, more of them at once than are in line for a domain: its
// domains go to their owners, with all it knows of them.
func TestSim_NodeAloneMeetsOthers(t *testing.T) {
	simulate(t, sized(80, 50), 8, func(s *simSwarm) {
		// A domain that moves while an outcome of a newcomer waits for its check is visited again after an hour.
		s.prepare = func(o *Options) { o.Lab.Trusts = true }
		first := s.start(nil, 0)
		s.run(time.Minute)
		for range sized(8, 5) {
			s.start([]*simNode{first})
		}
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}

// Two swarms that have crawled the same web apart meet: they become one.
func TestSim_SwarmsThatCrawledApartMerge(t *testing.T) {
	simulate(t, 80, 8, func(s *simSwarm) {
		s.apart = true
		for side := range 2 {
			door := s.start(nil, 0, 10*side)
			s.run(time.Second)
			for i := 1; i < 3; i++ {
				s.start([]*simNode{door}, 10*side+i)
			}
		}
		s.run(40 * time.Second)
		s.meet(s.nodes[1], s.nodes[4])
		s.run(2 * agreeWithin)
		together := time.Now()
		s.finish(20 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(s.t)
		s.web.checkOnce(s.t, together, s.origin, s.checksMade())
		s.web.checkGaps(s.t, together, s.origin)
	})
}

// A node that is off the network for less time than it takes to be given up goes
// on where it was. What it fetched for others meanwhile may be fetched again, but
// by one at a time.
func TestSim_NodeOffTheNetworkForAMoment(t *testing.T) {
	simulate(t, 80, 8, func(s *simSwarm) {
		first := s.start(nil, 0)
		for range 4 {
			s.start([]*simNode{first})
		}
		s.run(40 * time.Second)
		s.net.Cut(s.nodes[2].host, true)
		s.run(12 * time.Second)
		s.net.Cut(s.nodes[2].host, false)
		s.finish(20 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(s.t)
		s.web.checkGaps(s.t, time.Time{}, s.origin)
	})
}

// A node that is off the network for so long that the others have given it up
// and begun its domains again comes back: each domain has one owner again.
func TestSim_NodeGivenUpComesBack(t *testing.T) {
	whole(t)
	simulate(t, 80, 8, func(s *simSwarm) {
		first := s.start(nil, 0)
		for range 4 {
			s.start([]*simNode{first})
		}
		s.run(30 * time.Second)
		s.apart = true
		s.net.Cut(s.nodes[2].host, true)
		s.run(time.Minute)
		for _, x := range s.nodes {
			if got := x.node.member.Node.Members.Ring().Units(string(s.nodes[2].host.ID())) == 0; got != (x != s.nodes[2]) {
				s.t.Errorf("%s has given %s up: %v", x.name, s.nodes[2].name, got)
			}
		}
		s.net.Cut(s.nodes[2].host, false)
		s.run(time.Minute) // connections that are not there any more must be found out
		s.apart, s.met, s.changed = false, time.Now(), time.Now()
		together := time.Now().Add(agreeWithin)
		s.finish(20 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(s.t)
		s.web.checkOnce(s.t, together, s.origin, s.checksMade())
		s.web.checkGaps(s.t, together, s.origin)
	})
}
