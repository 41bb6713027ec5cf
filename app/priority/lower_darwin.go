package priority

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// lower puts the process into the background, which is for all its threads: least
// CPU priority, throttled disk and network, the efficient cores where there are such. An
// older system that refuses gets the nice value, which is of the process too.
func lower(*Launcher) error {
	if err := unix.Setpriority(unix.PRIO_DARWIN_PROCESS, 0, unix.PRIO_DARWIN_BG); err == nil {
		return nil
	}
	if err := unix.Setpriority(unix.PRIO_PROCESS, 0, 20); err != nil {
		return fmt.Errorf("lower priority: %w", err)
	}
	return nil
}

// restore takes the process out of the background.
func restore() error {
	if err := unix.Setpriority(unix.PRIO_DARWIN_PROCESS, 0, 0); err != nil {
		return fmt.Errorf("restore priority: %w", err)
	}
	return nil
}
