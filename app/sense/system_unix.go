//go:build unix

package sense

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// DiskSpace returns the room on the disk that holds a directory.
func DiskSpace(dir string) (Space, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Space{}, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return Space{Free: int64(s.Bavail) * int64(s.Bsize), Total: int64(s.Blocks) * int64(s.Bsize)}, nil
}

// OwnCPU returns the processor time that this process has used.
func OwnCPU() (time.Duration, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0, os.NewSyscallError("getrusage", err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}

// clock returns a clock of the system; it stands still where there is none.
func clock(id int32) func() time.Duration {
	return func() time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(id, &t); err != nil {
			return 0
		}
		return time.Duration(t.Nano())
	}
}
