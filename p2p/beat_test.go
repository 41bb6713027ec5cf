package p2p

import (
	"slices"
	"testing"
	"time"
)

// Every question to a member that is down is a dial. One that has long been down is asked more seldom than one
// that may be back any moment.
func TestBeats_AskWhoIsLongDownMoreSeldom(t *testing.T) {
	times := quickTimes()
	times.Beat = time.Minute // however slow this computer is
	nodes := three(t, times)
	a, b, beat := nodes[0], nodes[1], times.Beat
	for _, c := range []struct {
		name               string
		heard, down, asked time.Duration // ago; 0 if never
		want               bool
	}{
		{"heard of lately", beat / 2, 0, 0, false},
		{"not heard of", 2 * beat, 0, 0, true},
		{"down since a moment", 3 * beat, 2 * beat, beat, true},
		{"long down, asked lately", 100 * beat, 90 * beat, 2 * beat, false},
		{"long down, asked a while ago", 100 * beat, 90 * beat, 4 * beat, true},
		{"long down, never asked", 100 * beat, 90 * beat, 0, true},
	} {
		watch := newBeats(a.cfg, a.Members, a.Requests) // nothing runs that asks
		watch.partners()
		ago := func(d time.Duration) time.Time {
			if d == 0 {
				return time.Time{}
			}
			return time.Now().Add(-d)
		}
		s := watch.state[b.self]
		if s == nil {
			t.Fatal("a member is not watched")
		}
		s.asking, s.heard, s.down, s.asked = false, ago(c.heard), ago(c.down), ago(c.asked)
		if got := slices.Contains(watch.partners(), b.self); got != c.want {
			t.Errorf("%s: asked = %v, want %v", c.name, got, c.want)
		}
	}
}
