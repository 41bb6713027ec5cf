package clock

import "time"

// portable goes by the clock behind Go's timers, from the start of the
// process: steps of the wall clock change nothing, but suspend is not counted where the
// system does not count it.
func portable() Sources {
	start := time.Now()
	return Sources{Wall: time.Now, Boot: func() time.Duration { return time.Since(start) }}
}

// readEvery is how long what spared returns goes by Go's clock: short beside gaps, long beside the time between two
// questions of a node that works.
const readEvery = 50 * time.Millisecond

// readFast is how long a reading may take that others are counted from: with a slower one it is not known when it was
// taken, and a gap could come out shorter.
const readFast = 20 * time.Microsecond

// spared returns a clock that costs a system call only once in readEvery. Time between is added by the clock behind
// Go's timers: what is suspended counts that much later, and nothing counts that did not pass. It is for one caller at
// a time.
func spared(read func() time.Duration) func() time.Duration {
	var boot time.Duration
	var at time.Time
	return func() time.Duration {
		if passed := time.Since(at); passed < readEvery {
			return boot + passed
		}
		before := time.Now()
		boot = read()
		if at = time.Now(); at.Sub(before) > readFast { // interrupted meanwhile: the next call reads again
			at = time.Time{}
		}
		return boot
	}
}
