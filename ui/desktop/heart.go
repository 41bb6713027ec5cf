package desktop

import "time"

// leastBeat is the least time between two beats.
const leastBeat = 50 * time.Millisecond

// heart calls beat on the UI goroutine while it runs; beat returns how long until the next.
type heart struct {
	d    *desk
	beat func() time.Duration
	// turn counts what was set up; a beat of an earlier turn is none. at is when the next is due.
	turn int
	on   bool
	at   time.Time
}

// run starts it, with the first beat at once, or stops it.
func (h *heart) run(on bool) {
	if h.on == on {
		return
	}
	h.on = on
	h.turn++
	if on {
		h.strike()
	}
}

// wake has the next beat come at a time if it would come later.
func (h *heart) wake(at time.Time) {
	if h.on && at.Before(h.at) {
		h.set(at.Sub(h.d.now()))
	}
}

func (h *heart) strike() { h.set(h.beat()) }

func (h *heart) set(wait time.Duration) {
	wait = max(wait, leastBeat)
	h.turn++
	mine := h.turn
	h.at = h.d.now().Add(wait)
	h.d.after(wait, func() {
		if h.on && h.turn == mine {
			h.strike()
		}
	})
}
