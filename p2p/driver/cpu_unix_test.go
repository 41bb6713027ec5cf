//go:build unix

package driver

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has taken.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
