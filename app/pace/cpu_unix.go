//go:build unix

package pace

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ProcessTime returns what this process has used, all threads, in user and system mode.
func ProcessTime() (time.Duration, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0, os.NewSyscallError("getrusage", err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}
