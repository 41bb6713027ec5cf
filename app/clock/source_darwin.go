package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// system goes by CLOCK_MONOTONIC_RAW, which counts sleep on macOS and, other than
// CLOCK_MONOTONIC there, is not derived from the wall clock.
func system() Sources {
	if _, err := bootTime(); err != nil {
		return portable()
	}
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil || len(id) > maxBootID {
		id = ""
	}
	return Sources{Wall: time.Now, BootID: id, Boot: func() time.Duration {
		d, _ := bootTime() // 0, which does not move the line, if it ever fails
		return d
	}}
}

func bootTime() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}
