package worker

import "context"

// The time that work waits for Config.Pace is time of its lease. Where that ends, or work
// must, so does the wait.

// awaitRequest waits until there is room for a request of a turn. It returns false if none may begin. A turn
// that comes from the line of an address has waited before, and others wait for it.
func (v *visitor) awaitRequest(ctx context.Context, t *turn) bool {
	if v.cfg.Pace == nil || t.recalled || t.gate.IsValid() || t.next == len(t.Tasks) {
		return true
	}
	for {
		wait, end, ok := v.flights.beginWait(ctx, t, v.clocks.left(t, t.closing))
		if !ok {
			return false
		}
		err := v.cfg.Pace(wait)
		cut := wait.Err() != nil
		end()
		if err == nil {
			return true
		}
		if !cut || ctx.Err() != nil {
			return false
		}
	}
}

// awaitReading waits until there is room to go on with what is under way, though not longer than for half
// of the time left, and not at all once work must end: to ask the site for it again would cost more.
func (v *visitor) awaitReading(ctx context.Context, t *turn) {
	if v.cfg.Pace == nil {
		return
	}
	if wait, end, ok := v.flights.beginWait(ctx, t, v.clocks.left(t, t.deadline)/2); ok {
		_ = v.cfg.Pace(wait) // it goes on either way
		end()
	}
}
