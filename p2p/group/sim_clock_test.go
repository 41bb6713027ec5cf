package group_test

import "time"

// maxDrift bounds how wrong clocks run. Leaders count a lease 10 % longer than fetchers, which holds while
// the quickest clock and the slowest differ by less: 1.045/0.955 is 1.094. Real clocks are a hundred times better.
const maxDrift = 0.045

// epoch is the wall clock's time when a world begins.
var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// simClock is the clock of a machine.
type simClock struct {
	now    func() time.Duration // virtual
	rate   float64              // 1 is right
	awake  time.Duration        // at mark
	mark   time.Duration        // virtual time of the last change
	stops  bool                 // the machine is frozen
	offset time.Duration        // of the wall clock
}

// Awake is the time since the start without that spent frozen.
func (c *simClock) Awake() time.Duration {
	if c.stops {
		return c.awake
	}
	return c.awake + time.Duration(float64(c.now()-c.mark)*c.rate)
}

// Wall is the time of day as the machine believes it.
func (c *simClock) Wall() time.Time {
	return epoch.Add(time.Duration(float64(c.now())*c.rate) + c.offset)
}

// start begins to count from zero.
func (c *simClock) start() { c.awake, c.mark, c.stops = 0, c.now(), false }

// freeze and thaw stop and continue Awake.
func (c *simClock) freeze() { c.awake, c.stops = c.Awake(), true }
func (c *simClock) thaw() {
	if c.stops {
		c.mark, c.stops = c.now(), false
	}
}

// drift changes the rate without a jump of either clock.
func (c *simClock) drift(rate float64) {
	c.awake, c.mark = c.Awake(), c.now()
	c.offset += time.Duration(float64(c.now()) * (c.rate - rate))
	c.rate = rate
}
