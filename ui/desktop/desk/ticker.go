package desk

import "time"

// leastBeat is the least time between two beats.
const leastBeat = 50 * time.Millisecond

// Ticker calls beat on the UI goroutine while it runs; beat returns how long until the next.
type Ticker struct {
	d    *Desk
	beat func() time.Duration
	// turn counts what was set up; a beat of an earlier turn is none. at is when the next is due.
	turn int
	on   bool
	at   time.Time
}

// NewTicker returns a ticker that does not run yet.
func NewTicker(d *Desk, beat func() time.Duration) *Ticker { return &Ticker{d: d, beat: beat} }

// Run starts it, with the first beat at once, or stops it.
func (t *Ticker) Run(on bool) {
	if t.on == on {
		return
	}
	t.on = on
	t.turn++
	if on {
		t.tick()
	}
}

// Running reports whether it runs.
func (t *Ticker) Running() bool { return t.on }

// Wake has the next beat come at a time if it would come later.
func (t *Ticker) Wake(at time.Time) {
	if t.on && at.Before(t.at) {
		t.set(at.Sub(t.d.Now()))
	}
}

func (t *Ticker) tick() { t.set(t.beat()) }

func (t *Ticker) set(wait time.Duration) {
	wait = max(wait, leastBeat)
	t.turn++
	mine := t.turn
	t.at = t.d.Now().Add(wait)
	t.d.After(wait, func() {
		if t.on && t.turn == mine {
			t.tick()
		}
	})
}
