package local

import "time"

// maxPerSecond bounds what is read from another program.
const maxPerSecond = 200

// Throttle slows a reader down whose other end sends without end.
type Throttle struct {
	count int
	since time.Time
}

// One counts a message, and waits if there were too many within a second.
func (t *Throttle) One() { time.Sleep(t.Pause()) }

// Pause counts a message, and returns how long to wait if there were too many within a second.
func (t *Throttle) Pause() (left time.Duration) {
	if t.count == 0 {
		t.since = time.Now()
	}
	if t.count++; t.count < maxPerSecond {
		return 0
	}
	t.count = 0
	return min(time.Second-time.Since(t.since), time.Second)
}
