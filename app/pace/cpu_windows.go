package pace

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// ProcessTime returns what this process has used, all threads, in user and kernel mode.
func ProcessTime() (time.Duration, error) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0, os.NewSyscallError("GetProcessTimes", err)
	}
	return duration(kernel) + duration(user), nil
}

// duration of a count of 100 ns.
func duration(f windows.Filetime) time.Duration {
	return time.Duration(uint64(f.HighDateTime)<<32|uint64(f.LowDateTime)) * 100
}
