package app

import (
	"testing"
	"time"
)

// A third of the nodes loses sight of the others for little longer than a lease. No site has two crawlers, then or later.
func TestSim_HalvesApartForAMoment(t *testing.T) {
	simulate(t, 18, 30, func(s *simSwarm) {
		s.web.slowly(6)
		s.gather(9)
		few, most := s.sides()
		s.cutBetween(few, most, true)
		s.run(12 * time.Second)
		s.heal(few, most, 30*time.Second)
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
	})
}

// A third loses sight of the others for so long that both sides go on without the other. Together they visit no site more often than
// four times where three are allowed. Then they are one swarm again.
func TestSim_HalvesGoOnApart(t *testing.T) {
	whole(t)
	simulate(t, 18, 40, func(s *simSwarm) {
		s.web.slowly(6)
		s.gather(9)
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
