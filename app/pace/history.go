package pace

import (
	"slices"
	"time"
)

const (
	// sampleEvery is the least time between two samples.
	sampleEvery = 100 * time.Millisecond
	// window is what the share is averaged over.
	window = 10 * time.Second
)

// sample is how much processor time the process had used at some time.
type sample struct {
	at   time.Time
	used time.Duration
}

// history is the samples of the window and one before it, oldest first.
type history []sample

// add keeps a sample if it is the next one due.
func (h *history) add(s sample) (added bool) {
	n := len(*h)
	if n > 0 && s.at.Sub((*h)[n-1].at) < sampleEvery {
		return false
	}
	old := 0
	for old+1 < n && s.at.Sub((*h)[old+1].at) >= window {
		old++
	}
	*h = append(slices.Delete(*h, 0, old), s)
	return true
}

// share returns the mean number of processors that were used since the beginning of the
// window, or since there are samples.
func (h history) share(now sample) float64 {
	var since sample
	for i, s := range h {
		if i > 0 && now.at.Sub(s.at) < window {
			break
		}
		since = s
	}
	elapsed := now.at.Sub(since.at)
	if len(h) == 0 || elapsed <= 0 {
		return 0
	}
	return (now.used - since.used).Seconds() / elapsed.Seconds()
}
