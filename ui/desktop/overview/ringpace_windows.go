package overview

import (
	"syscall"
	"time"
)

// cpuTime is what this program has used of the processor.
func cpuTime() (time.Duration, bool) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, false
	}
	var begun, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &begun, &ended, &kernel, &user); err != nil {
		return 0, false
	}
	return spent(kernel) + spent(user), true
}

// spent is a Filetime that is a length, which counts 100 ns.
func spent(f syscall.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}
