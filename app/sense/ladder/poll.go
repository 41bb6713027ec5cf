package ladder

import (
	"context"
	"time"

	"github.com/forage-net/forage/p2p/pulse"
)

// MinGap is the least time between two reads, however often a source is told to look
// again: somebody else decides how often that is.
const MinGap = 200 * time.Millisecond

// Pause waits, and reports whether ctx is not over.
func Pause(ctx context.Context, d time.Duration) bool {
	_, ok := Await(ctx, d, nil)
	return ok
}

// Await waits, or less long if there is a hint. It reports whether there was one, and whether ctx is not over.
func Await(ctx context.Context, d time.Duration, hint <-chan struct{}) (hinted, ok bool) {
	if ctx.Err() != nil {
		return false, false
	}
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
// MinGap, and without a hint together with others that wait as long.
func rest(ctx context.Context, d time.Duration, hint <-chan struct{}) bool {
	began := time.Now()
	if d >= time.Second {
		d = pulse.Within(d)
	}
	hinted, ok := Await(ctx, max(d, MinGap), hint)
	if left := MinGap - time.Since(began); ok && hinted && left > 0 {
		return Pause(ctx, left)
	}
	return ok
}

// Poll reads at once, then whenever the value's time is over or there is a hint, until reading
// fails or ctx is over.
func Poll[T any](ctx context.Context, read func(context.Context) (T, error), report func(T), hint <-chan struct{},
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

// Each is the same time for every value.
func Each[T any](d time.Duration) func(T) time.Duration {
	return func(T) time.Duration { return d }
}

// Polled is a source that is read from time to time.
func Polled[T any](name string, every time.Duration, read func() (T, error)) Source[T] {
	now := func(context.Context) (T, error) { return read() }
	return Source[T]{name, func(ctx context.Context, report func(T)) error {
		return Poll(ctx, now, report, nil, Each[T](every))
	}}
}
