package driver

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

// Clock is the computer's time, for group.Config.
//
// Awake stands still while the machine sleeps: leaders and followers count leases by it, and must not believe that one
// is over because they slept. Go's monotonic clock does that on Linux and the BSDs (CLOCK_MONOTONIC) and on macOS
// (mach_absolute_time). On Windows it counts sleep, so the unbiased interrupt time is taken there.
//
// Wall is for fetchers, which distrust a lease by the clock that ran further. The calendar alone is not enough: it
// may be set back after a sleep. Where a steady clock that counts sleep is at hand, it should be given: Latest of
// app/clock goes on in suspend, follows every rise of the calendar, and never goes back.
type Clock struct {
	awake func() time.Duration
	wall  func() time.Time
}

// NewClock returns a clock with such an Awake and Wall, nil for the computer's.
func NewClock(awake func() time.Duration, wall func() time.Time) Clock {
	if awake == nil {
		awake = awakeClock()
	}
	if wall == nil {
		wall = func() time.Time { return time.Now().Round(0) }
	}
	return Clock{awake, wall}
}

// Awake implements shard.Clock.
func (c Clock) Awake() time.Duration { return c.awake() }

// Wall implements shard.Clock.
func (c Clock) Wall() time.Time { return c.wall() }

// randomBits are not to be guessed. Reading them never fails.
func randomBits() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.BigEndian.Uint64(b[:])
}
