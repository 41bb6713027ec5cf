//go:build items

package app

import (
	"testing"
	"time"
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
