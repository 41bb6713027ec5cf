package driver

import "time"

// sinceStart goes by the clock behind Go's timers.
func sinceStart() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
