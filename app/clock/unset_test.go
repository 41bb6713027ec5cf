package clock

import (
	"testing"
	"time"
)

// A computer without a battery begins each boot long ago. That its clock is set some
// minutes later is no month: Latest counts the time off, and no more.
func TestClock_LatestIgnoresThatTheClockWasNotSetYet(t *testing.T) {
	const unset = 11 * time.Minute
	for _, begins := range []time.Time{earliest, noon.Add(-year), noon.Add(-time.Hour)} {
		for _, off := range []time.Duration{0, 10 * time.Minute, 3 * day} {
			pc := newComputer()
			saved := OpenWith(State{}, pc.sources()).State()
			pc.restart(off, time.Minute)
			right := pc.wall
			pc.wall = begins
			k := OpenWith(saved, pc.sources())
			for range unset/time.Minute - 1 {
				pc.run(time.Minute)
				if got := k.Latest().Sub(k.Now()); got != 0 {
					t.Fatalf("begins %v, off %v: Latest is ahead by %v before the clock is set", begins, off, got)
				}
			}
			pc.wall = right.Add(unset - time.Minute)
			if got := k.Latest().Sub(noon); got < pc.passed-rise || got > pc.passed+rise {
				t.Errorf("begins %v, off %v: Latest counted %v of %v", begins, off, got, pc.passed)
			}
			saved = k.State()
			if again := OpenWith(saved, pc.sources()); !again.Latest().Equal(k.Latest()) {
				t.Errorf("begins %v, off %v: Latest = %v after a restart, want %v", begins, off, again.Latest(), k.Latest())
			}
		}
	}
}
