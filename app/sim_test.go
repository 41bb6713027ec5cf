package app

import (
	"os"
	"testing"
	"time"
)

// Five nodes share a small web. One leaves and another comes meanwhile.
func TestSim_FewNodesShareAWeb(t *testing.T) {
	simulate(t, 80, 8, func(s *simSwarm) {
		first := s.start(nil, 0)
		s.run(3 * time.Second)
		for i := 1; i < 5; i++ {
			s.start([]*simNode{first}, i)
			s.run(2 * time.Second)
		}
		s.run(30 * time.Second)
		used := make(map[string]bool)
		s.noteBuckets(used)
		s.leave(s.nodes[2])
		s.run(25 * time.Second)
		s.start([]*simNode{s.nodes[3]})
		s.finish(20 * time.Minute)
		s.checkAll()
		s.noteBuckets(used)
		s.checkSchema(used)
	})
}

// Nodes come one by one while the first of them crawl, a sixth of them leaves and
// as many others come. Whatever happens, no site has two crawlers, no page is
// fetched twice, and nothing is lost.
func TestSim_ManyNodesComeAndGo(t *testing.T) {
	whole(t)
	n := 18
	if os.Getenv("FORAGE_LONG") != "" {
		n = 60 // two minutes, and ten times as long under the race detector
	}
	simulate(t, 10*n, 8, func(s *simSwarm) {
		s.start(nil, 0)
		s.run(2 * time.Second)
		for i := 1; i < n; i++ {
			s.start(s.doors(), 0, i)
			s.run(2 * time.Second)
		}
		for i := range n / 6 { // the one whom all others began with is among them
			s.leave(s.nodes[6*i])
			s.run(time.Duration(2+i%3) * time.Second)
		}
		for i := range n / 6 {
			s.start(s.doors(), n+i)
			s.run(time.Duration(1+i%4) * time.Second)
		}
		s.finish(time.Hour)
		s.checkAll()
	})
}

// A newcomer is sent links to domains whose former owner it cannot reach for a
// while. It does not begin them again, but waits for them.
func TestSim_NewcomerCannotReachAFormerOwner(t *testing.T) {
	whole(t)
	simulate(t, 80, 8, func(s *simSwarm) {
		first := s.start(nil, 0)
		second := s.start([]*simNode{first})
		s.run(10 * time.Second)
		for range 2 {
			newcomer := s.start([]*simNode{second})
			s.net.CutBetween(first.host, newcomer.host, true)
			s.run(10 * time.Second)
			s.net.CutBetween(first.host, newcomer.host, false)
			s.run(20 * time.Second)
		}
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}
