package clock

import (
	"math"
	"sync"
	"time"
)

const (
	// rise is how far the wall clock must gain on the line before Latest
	// follows: more than time servers correct at once in daily life.
	rise = time.Second
	// maxRise bounds what one rise adds to Latest. Nothing whose age Latest
	// tells lives that long.
	maxRise = 31 * 24 * time.Hour
	// maxSlack keeps Latest within the years that nanoseconds can count.
	maxSlack = 50 * 365 * 24 * time.Hour
)

// No wall clock is taken to be outside of these years, so that points of the line
// fit 64 bits of nanoseconds for as long as it may run.
var (
	earliest = time.Unix(0, 0)
	latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Sources are the clocks of a computer.
type Sources struct {
	// Wall is the clock that people set. Its monotonic reading is not used.
	Wall func() time.Time
	// Boot is the time since an unknown point of this boot, suspend included.
	// It does not depend on Wall. Nothing calls it twice at a time.
	Boot func() time.Duration
	// BootID is another one after each boot; "" if there is no telling.
	BootID string
}

// Clock is a steady line of time. It is safe for concurrent use.
type Clock struct {
	from Sources

	mu     sync.Mutex
	steady time.Time     // where the line is
	boot   time.Duration // Boot at that point
	slack  time.Duration // how far Latest is ahead
	floor  time.Duration // the wall clock is not taken to lead by less
	lead   time.Duration // of the wall clock over the line, at its lowest since slack grew
}

// Open returns a clock on the computer's own sources that goes on from a
// stored state. The zero State, or one that is damaged, starts a new line at
// the wall clock.
func Open(s State) *Clock { return OpenWith(s, system()) }

// OpenWith is Open with sources of the caller's choice.
func OpenWith(s State, from Sources) *Clock {
	boot, wall := from.read()
	c := &Clock{from: from, steady: wall, boot: boot, floor: math.MinInt64}
	if !s.valid() {
		return c
	}
	passed, exact := s.passed(from.BootID, boot, wall)
	c.steady = s.steady().Add(passed)
	c.slack, c.lead = s.Slack, s.wall().Sub(s.steady())
	if !exact && wall.Before(s.wall()) {
		// It was not set yet: without a battery clocks start in 1970, and
		// that they are set later is no rise.
		c.floor = c.lead
	}
	c.observe(wall)
	return c
}

// Now returns the present point of the line, without a monotonic reading. It
// never goes back, and between two calls never further than the time between
// them.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
	return c.steady
}

// Latest returns the point of the line that it would have reached if all that
// the wall clock ever rose by had been time. It is Now or later, and never goes
// back.
func (c *Clock) Latest() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
	return c.steady.Add(c.slack)
}

// Wall returns what the wall clock shows at a point of the line, by the
// difference between the two at present: for people to read.
func (c *Clock) Wall(t time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall := c.look()
	return wall.Add(t.Sub(c.steady))
}

// State returns what the next Open needs.
func (c *Clock) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall := c.look()
	return State{
		BootID: c.from.BootID, Boot: c.boot, Steady: c.steady.UnixNano(), Wall: wall.UnixNano(), Slack: c.slack,
	}
}

// look brings the line to the present and returns the wall clock. A clock
// that goes back is waited for.
func (c *Clock) look() time.Time {
	boot, wall := c.from.read()
	if boot > c.boot {
		c.steady = c.steady.Add(boot - c.boot)
		c.boot = boot
	}
	c.observe(wall)
	return wall
}

// observe lets Latest follow rises of the wall clock. Small ones add up.
func (c *Clock) observe(wall time.Time) {
	lead := max(wall.Sub(c.steady), c.floor)
	if lead-c.lead > rise {
		c.slack = min(c.slack+min(lead-c.lead, maxRise), maxSlack)
		c.lead = lead
	}
	c.lead = min(c.lead, lead)
}

// read looks at both clocks.
func (s Sources) read() (boot time.Duration, wall time.Time) {
	boot, wall = s.Boot(), s.Wall().Round(0)
	switch {
	case wall.Before(earliest):
		wall = earliest
	case wall.After(latest):
		wall = latest
	}
	return boot, wall
}
