//go:build !windows

package driver

import "time"

func awakeClock() func() time.Duration { return sinceStart() }
