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
		boot = read()
		at = time.Now() // not before, so that boot is never ahead
		return boot
	}
}
