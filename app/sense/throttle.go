package sense

import "time"

// throttle slows a reader down whose other end sends without end.
type throttle struct {
	count int
	since time.Time
}

// one counts a message, and waits if there were too many within a second.
func (t *throttle) one() { time.Sleep(t.pause()) }

// pause counts a message, and returns how long to wait if there were too many within a second.
func (t *throttle) pause() (left time.Duration) {
	if t.count == 0 {
		t.since = time.Now()
	}
	if t.count++; t.count < maxPerSecond {
		return 0
	}
	t.count = 0
	return min(time.Second-time.Since(t.since), time.Second)
}
