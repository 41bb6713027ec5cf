package app

import (
	"testing"
	"time"
)

// Five nodes share a small web. One leaves and another comes meanwhile.
func TestSim_FewNodesShareAWeb(t *testing.T) {
	simulate(t, 40, 12, func(s *simSwarm) {
		first := s.start(nil, 0)
		s.run(3 * time.Second)
		for i := 1; i < 5; i++ {
			s.start([]*simNode{first}, i)
			s.run(2 * time.Second)
		}
		s.run(30 * time.Second)
		s.leave(s.nodes[2])
		s.run(25 * time.Second)
		s.start([]*simNode{s.nodes[3]})
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}

// Sixty nodes come one by one while the first of them crawl, ten leave and ten
// others come. Whatever happens, no site has two crawlers, no page is fetched
// twice, and nothing is lost.
func TestSim_SixtyNodesComeAndGo(t *testing.T) {
	simulate(t, 300, 12, func(s *simSwarm) {
		s.start(nil, 0)
		s.run(2 * time.Second)
		for i := 1; i < 60; i++ {
			s.start(s.doors(), 0, i)
			s.run(2 * time.Second)
		}
		for i := range 10 { // the one whom all others began with is among them
			s.leave(s.nodes[6*i])
			s.run(time.Duration(2+i%3) * time.Second)
		}
		for i := range 10 {
			s.start(s.doors(), 60+i)
			s.run(time.Duration(1+i%4) * time.Second)
		}
		s.finish(time.Hour)
		s.checkAll()
	})
}

// A node that has crawled alone for a while meets others: its domains go to
// their owners, with all it knows of them.
func TestSim_NodeAloneMeetsOthers(t *testing.T) {
	simulate(t, 60, 12, func(s *simSwarm) {
		first := s.start(nil, 0)
		s.run(time.Minute)
		for range 4 {
			s.start([]*simNode{first})
		}
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}

// Two swarms that have crawled the same web apart meet: they become one.
func TestSim_SwarmsThatCrawledApartMerge(t *testing.T) {
	simulate(t, 60, 12, func(s *simSwarm) {
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
		s.web.checkOnce(s.t, together, s.origin)
		s.web.checkGaps(s.t, together, s.origin)
	})
}
