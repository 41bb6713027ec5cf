package stats

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// lookIfHelpingEvery is how exactly the time is known in which the node helped.
	lookIfHelpingEvery = time.Second
	// longestLook is the most that counts between two looks: a computer that slept, or had no
	// time for this node, did not help meanwhile.
	longestLook = 3 * lookIfHelpingEvery
	// countEvery is how much of what meters count a kill can cost.
	countEvery = time.Minute
)

// Helped measures for how long the node was allowed to work and had something to do. It is by Go's
// monotonic clock, which nobody can set.
type Helped struct {
	mu   sync.Mutex
	sum  time.Duration
	last time.Time // when it was looked last
	was  bool      // at work then
}

// look notes whether the node is at work. Time counts if it was at both ends.
func (h *Helped) look(now time.Time, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if took := now.Sub(h.last); h.was && is && took > 0 {
		h.sum += min(took, longestLook)
	}
	h.last, h.was = now, is
}

// Seconds returns the time so far, in whole seconds.
func (h *Helped) Seconds() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return int64(h.sum / time.Second)
}

// Serve measures until ctx is done. is reports whether the node is at work, unhurried returns how long it is until the
// next look, given how long it usually is, and count has what meters say counted, if nothing else does.
func (h *Helped) Serve(
	ctx context.Context, unhurried func(time.Duration) time.Duration, is func() bool, count func(),
) error {
	counted := time.Now()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-time.After(pulse.Until(unhurried(lookIfHelpingEvery))):
			if h.look(now, is()); now.Sub(counted) >= countEvery {
				counted = now
				count()
			}
		}
	}
}
