package app

import (
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
)

// All nodes lose their power at once, twice, and start again. They soon go on.
func TestSim_AllLosePowerAndStartAgain(t *testing.T) {
	simulate(t, 40, 60, func(s *simSwarm) {
		s.web.slowly(4)
		first := s.start(nil, 0)
		for i := 1; i < 5; i++ {
			s.start([]*simNode{first}, i)
			s.run(2 * time.Second)
		}
		s.run(time.Minute)
		for range 2 {
			s.cutAll(5 * time.Second)
			since := time.Now()
			s.apart = true
			s.run(30 * time.Second)
			s.apart, s.met, s.changed = false, time.Now(), time.Now()
			s.checkResumed(since, 30*time.Second)
			s.run(time.Minute)
		}
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
	})
}

// cutAll takes the power from all nodes, and starts them again after a while.
func (s *simSwarm) cutAll(off time.Duration) {
	s.t.Helper()
	cut := s.members()
	s.t.Logf("%v: %v lose their power", s.at(), names(cut))
	for _, x := range cut {
		s.crash(x)
	}
	time.Sleep(off)
	for i, x := range cut {
		if i == 0 {
			s.revive(x)
		} else {
			s.revive(x, s.members()[0])
		}
	}
}

// checkResumed makes sure that a page was requested soon after a time.
func (s *simSwarm) checkResumed(since time.Time, within time.Duration) {
	s.t.Helper()
	for _, r := range s.web.requests() {
		if after := r.begin.Sub(since); after >= 0 {
			s.t.Logf("%v: the first request came %v after the start", s.at(), after)
			if after > within {
				s.t.Errorf("the first request came %v after the start, want %v at most", after, within)
			}
			return
		}
	}
	s.t.Errorf("nothing was requested in %v", time.Since(since))
}

// A node loses its power for good. Nothing is lost that it had told, and others go on with its domains.
func TestSim_PowerLossForGood(t *testing.T) {
	simulate(t, 30, 12, func(s *simSwarm) {
		s.gather(6)
		x := s.nodes[1+rand.New(rand.NewPCG(simSeed(), 1)).IntN(5)]
		t.Logf("%v: %s loses its power", s.at(), x.name)
		s.crash(x)
		s.finish(30 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkTwice(1)
	})
}

// Some nodes lose their power for twenty minutes and come back with their disks, at the times that hold outside labs.
func TestSim_PowerIsBackAfterTwentyMinutes(t *testing.T) {
	whole(t)
	simulate(t, 18, 100, func(s *simSwarm) {
		s.web.delays = [5]int{20, 15, 20, 12, 10}
		s.prepare = realTimes
		s.gather(9)
		off := s.members()
		rand.New(rand.NewPCG(simSeed(), 3)).Shuffle(len(off), func(i, j int) { off[i], off[j] = off[j], off[i] })
		off = off[:2]
		t.Logf("%v: %v lose their power", s.at(), names(off))
		for _, x := range off {
			s.crash(x)
		}
		s.run(20 * time.Minute)
		for _, x := range off {
			s.revive(x, s.doors()...)
			s.run(time.Second)
		}
		s.finish(3 * time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkCounted()
		s.checkTwice(len(off))
	})
}

// loseStore has a node lose power, and what it knew. Its key is not lost.
func (s *simSwarm) loseStore(x *simNode) {
	s.t.Helper()
	s.crash(x)
	home, err := config.Resolve(x.home+"+", func(string) string { return "" }, runtime.GOOS)
	if err == nil {
		err = os.Remove(home.Store())
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// A node that has lost its store gets what was its own from those who keep it: nothing is lost.
func TestSim_StoreIsLost(t *testing.T) {
	for name, wait := range map[string]time.Duration{"and back at once": 0, "and back when another leads": 30 * time.Second} {
		t.Run(name, func(t *testing.T) {
			if wait == 0 {
				whole(t)
			}
			simulate(t, 40, 8, func(s *simSwarm) {
				s.gather(6)
				x := s.nodes[2]
				s.loseStore(x)
				s.run(wait)
				s.revive(x, s.members()...)
				s.finish(time.Hour)
				s.checkEnd()
				s.web.checkCoverage(t)
			})
		})
	}
}
