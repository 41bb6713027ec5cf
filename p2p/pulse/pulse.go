// Package pulse has parts that look after something now and then do so at the same moments. What a process
// at rest costs is how often it wakes up, not what it does then: ten parts that look once a second, each at a time of
// its own, wake it ten times; at the same moments they wake it once.
//
// Moments are counted from the start of the process, so that computers do not all do something at once.
package pulse

import "time"

// zero is the first moment.
var zero = time.Now()

// nearest is how close a moment may be and be left out: a timer that is a little early must not go off twice.
const nearest = time.Millisecond

// Until returns how long it is until the process is a whole multiple of every old: at least a
// millisecond, and not more than one longer than every, which must be above 0.
func Until(every time.Duration) time.Duration { return until(time.Since(zero), every) }

func until(age, every time.Duration) time.Duration {
	d := every - past(age, every)
	if d < nearest {
		d += every
	}
	return d
}

// Within returns a wait of d or less that ends together with others: with a whole second if d is more than two, with an
// even one from six on. It is less by one second at most, or two. A shorter d is every of Until.
func Within(d time.Duration) time.Duration { return within(time.Since(zero), d) }

func within(age, d time.Duration) time.Duration {
	switch {
	case d <= 2*time.Second:
		return until(age, d)
	case d < 6*time.Second:
		return d - past(age+d, time.Second)
	}
	return d - past(age+d, 2*time.Second)
}

// past returns how long the last whole multiple of every has been over. Where time is simulated, an age may be
// below 0.
func past(age, every time.Duration) time.Duration { return (age%every + every) % every }
