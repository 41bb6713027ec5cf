package sense

import (
	"context"
	"time"

	"github.com/forage-net/forage/p2p/pulse"
)

// minGap is the time between two reads, however often a source is told to look
// again: somebody else decides how often that is.
const minGap = 200 * time.Millisecond

// pause waits, or less long if there is a hint. It reports whether ctx is not over.
func pause(ctx context.Context, d time.Duration, hint <-chan struct{}) bool {
	if ctx.Err() != nil {
		return false
	}
	_, ok := await(ctx, d, hint)
	return ok
}

// await waits like pause, and reports whether it was a hint that came.
func await(ctx context.Context, d time.Duration, hint <-chan struct{}) (hinted, ok bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-hint:
		hinted = true
	case <-ctx.Done():
		return false, false
	}
	return hinted, true
}

// rest waits until it is time to read again, which somebody may hint at: for d at most, as long as that is more than
// minGap, and without a hint together with others that wait as long.
func rest(ctx context.Context, d time.Duration, hint <-chan struct{}) bool {
	began := time.Now()
	if d >= time.Second {
		d = pulse.Within(d)
	}
	hinted, ok := await(ctx, max(d, minGap), hint)
	if left := minGap - time.Since(began); ok && hinted && left > 0 {
		return pause(ctx, left, nil)
	}
	return ok
}

// poll reads at once, then whenever the value's time is over or there is a hint, until reading
// fails or ctx is over.
func poll[T any](ctx context.Context, read func(context.Context) (T, error), report func(T), hint <-chan struct{},
	every func(T) time.Duration) error {
	for {
		v, err := read(ctx)
		if err != nil {
			return err
		}
		report(v)
		if !rest(ctx, every(v), hint) {
			return context.Cause(ctx)
		}
	}
}

// each is the same time for every value.
func each[T any](d time.Duration) func(T) time.Duration {
	return func(T) time.Duration { return d }
}
