//go:build !linux && !windows && !darwin

package sense

import (
	"time"

	"github.com/forage-net/forage/assets/words"
)

func (h *Hub) systemSources() systemSources {
	return systemSources{none: words.New("said.sensor.forage-cannot-tell-on-this-system", nil)}
}

func clocks() (boot, awake func() time.Duration) { return ticking(), ticking() }

func ticking() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
