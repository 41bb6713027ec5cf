//go:build !linux && !windows && !darwin

package sense

import "time"

func (h *Hub) systemSources() systemSources {
	return systemSources{none: "Forage cannot tell on this system"}
}

func clocks() (boot, awake func() time.Duration) { return ticking(), ticking() }

func ticking() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
