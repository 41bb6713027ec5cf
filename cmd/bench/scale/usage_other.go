//go:build !unix

package scale

import "time"

// cpuTime returns 0: it is not known here.
func cpuTime() time.Duration { return 0 }
