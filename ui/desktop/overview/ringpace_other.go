//go:build !unix && !windows

package overview

import "time"

// cpuTime is not known here.
func cpuTime() (time.Duration, bool) { return 0, false }
