package swarm

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/forage-net/forage/p2p/calls"
)

const (
	// firstRetry and lastRetry bound the wait after a peer did not answer.
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// backoff is how long to leave a peer alone that does not answer.
type backoff struct{ wait time.Duration }

// next returns the wait after an error: as long as the peer asked for, else
// twice the last one. It is spread, so that many do not come back at once.
func (b *backoff) next(err error) time.Duration {
	var busy *calls.Busy
	if errors.As(err, &busy) && busy.After > 0 {
		return spread(busy.After)
	}
	b.wait = min(max(2*b.wait, firstRetry), lastRetry)
	return spread(b.wait)
}

func (b *backoff) reset() { b.wait = 0 }

// spread returns between d and half as much again.
func spread(d time.Duration) time.Duration { return d + rand.N(d/2+1) }

// busy is the answer that asks to come again.
func busy(after time.Duration) error { return &calls.Busy{After: after} }

// lie is the answer to what no honest peer sends.
func lie(what string, weight int) error { return &calls.Lie{What: what, Weight: weight} }

// isLongBusy reports whether a peer asks to be left alone for long.
func isLongBusy(err error) bool { return busyFor(err) >= longBusy }

// busyFor returns for how long a peer asks to be left alone, 0 if it does not.
func busyFor(err error) time.Duration {
	var busy *calls.Busy
	if errors.As(err, &busy) {
		return busy.After
	}
	return 0
}

func isRefused(err error) bool {
	var refused *calls.Refused
	return errors.As(err, &refused)
}
