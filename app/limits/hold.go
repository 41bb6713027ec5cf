package limits

import "time"

// hold turns a condition that comes and goes into one that is steady: it comes on when the
// condition has held for a while, and goes off when it has not for a while. Times are
// Clock.Steady.
type hold struct {
	on bool
	// turning says that the condition is not as on is, since then.
	turning bool
	since   time.Duration
}

// look takes note of the condition now. It returns when the hold will change if the
// condition does not, and whether it will.
func (h *hold) look(now time.Duration, holds bool, in, out time.Duration) (at time.Duration, will bool) {
	wait := in
	if h.on {
		wait = out
	}
	if holds == h.on {
		h.turning, h.since = false, 0
		return 0, false
	}
	if !h.turning || h.since > now {
		h.turning, h.since = true, now
	}
	if now-h.since >= wait {
		*h = hold{on: holds}
		return 0, false
	}
	return h.since + wait, true
}

const (
	// calmOver and calmMost bound how often work goes on after other programs were busy: on
	// a machine that is busy by fits and starts it stays away rather than come and go.
	// At most two returns in an hour are at most five changes.
	calmOver = time.Hour
	calmMost = 2
)

// calm remembers the last returns.
type calm struct {
	at [calmMost]time.Duration
	n  int
}

// wait returns how much longer than to now + d the next return must wait.
func (c *calm) wait(now time.Duration) time.Duration {
	if c.n < calmMost {
		return 0
	}
	return max(c.at[0]+calmOver-now, 0)
}

// note takes down a return.
func (c *calm) note(now time.Duration) {
	if c.n < calmMost {
		c.at[c.n] = now
		c.n++
		return
	}
	copy(c.at[:], c.at[1:])
	c.at[calmMost-1] = now
}
