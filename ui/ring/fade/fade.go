// Package fade is how a text comes and goes: in few stages, so that a picture that rests costs little.
package fade

import "time"

var stages = [...]struct {
	after    time.Duration
	strength float64
}{
	{0, 0.35}, {250 * time.Millisecond, 0.7}, {500 * time.Millisecond, 1},
	{3200 * time.Millisecond, 0.7}, {3450 * time.Millisecond, 0.35}, {3700 * time.Millisecond, 0},
}

// Stages is how many changes there are.
const Stages = len(stages)

// At is how strong a text is so long after it began, 0 to 1, and after what time that changes; false if it does not.
func At(since time.Duration) (strength float64, next time.Duration, changes bool) {
	for _, s := range stages {
		if s.after > since {
			return strength, s.after, true
		}
		strength = s.strength
	}
	return strength, 0, false
}
