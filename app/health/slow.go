package health

import "time"

const (
	// minRefusing is how many domains must have refused or challenged in the
	// last day before anything is concluded from it: a few always do.
	minRefusing = 5
	// holdFor is how long it must have been better before one step is taken
	// back: the sites that were left alone in that time must not be asked at full
	// pace at once.
	holdFor = 6 * time.Hour
)

// steps are the shares of the domains that answered in the last day above which
// the node slows down, and by how much. Each is taken back at half its share.
var steps = [...]struct {
	share  float64
	factor int
}{{0.10, 2}, {0.25, 4}, {0.50, 8}}

// slowness is how much the node has slowed down.
type slowness struct {
	step int // so many of steps; 0 is full pace
	// calm is when it was last too bad to take a step back, in Unix seconds.
	calm int64
}

func (s *slowness) factor() int {
	if s.step == 0 {
		return 1
	}
	return steps[s.step-1].factor
}

// update judges the last day. Steps up are taken at once, steps down one at a
// time, each after holdFor below half the share, or with so few refusing that
// they mean nothing.
func (s *slowness) update(n tally, now time.Time) {
	if n.refused >= minRefusing {
		for i, step := range steps {
			if n.share() > step.share && s.step <= i {
				s.step, s.calm = i+1, now.Unix()
			}
		}
	}
	if s.step == 0 {
		return
	}
	s.calm = min(s.calm, now.Unix()) // the clock may have been set back
	bad := n.refused > minRefusing/2 && n.share() > steps[s.step-1].share/2
	switch {
	case bad:
		s.calm = now.Unix()
	case now.Unix()-s.calm >= int64(holdFor/time.Second):
		s.step--
		s.calm = now.Unix()
	}
}

// tally counts distinct domains in a window.
type tally struct{ answered, refused, challenged int64 }

// share is the part of the domains that answered that refused; 0 if none did.
func (n tally) share() float64 {
	if n.answered == 0 {
		return 0
	}
	return float64(n.refused) / float64(n.answered)
}
