package sense

import "time"

// throttle slows a reader down whose other end sends without end.
type throttle struct {
	count int
	since time.Time
}

// one counts a message, and waits if there were too many within a second.
func (t *throttle) one() {
	if t.count == 0 {
		t.since = time.Now()
	}
	if t.count++; t.count < maxPerSecond {
		return
	}
	if left := time.Second - time.Since(t.since); left > 0 {
		time.Sleep(min(left, time.Second))
	}
	t.count = 0
}
