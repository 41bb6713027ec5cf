package clock

import (
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// system goes by CLOCK_BOOTTIME, which time servers steer but nobody sets.
func system() Sources {
	if _, err := bootTime(); err != nil {
		return portable()
	}
	return Sources{Wall: time.Now, BootID: bootID(), Boot: spared(func() time.Duration {
		d, _ := bootTime() // 0, which does not move the line, if it ever fails
		return d
	})}
}

func bootTime() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}

func bootID() string {
	f, err := os.Open("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	defer f.Close()
	id, err := io.ReadAll(io.LimitReader(f, maxBootID))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
