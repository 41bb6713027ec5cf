package sense

import (
	"context"
	"strings"
	"time"
	"unicode"
)

// minGap is the time between two reads, however often a source is told to look
// again: somebody else decides how often that is.
const minGap = 200 * time.Millisecond

// pause waits, or less long if there is a hint. It reports whether ctx is not over.
func pause(ctx context.Context, d time.Duration, hint <-chan struct{}) bool {
	if ctx.Err() != nil {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-hint:
	case <-ctx.Done():
		return false
	}
	return true
}

// poll reads at once, then whenever the value's time is over or there is a hint, until reading
// fails or ctx is over.
func poll[T any](ctx context.Context, read func(context.Context) (T, error), report func(T), hint <-chan struct{}, every func(T) time.Duration) error {
	for {
		v, err := read(ctx)
		if err != nil {
			return err
		}
		report(v)
		if !pause(ctx, minGap, nil) || !pause(ctx, max(every(v)-minGap, 0), hint) {
			return context.Cause(ctx)
		}
	}
}

// each is the same time for every value.
func each[T any](d time.Duration) func(T) time.Duration {
	return func(T) time.Duration { return d }
}

const (
	// maxWhy and maxText bound the text of others that is kept, in runes.
	maxWhy  = 200
	maxText = 80
)

// clean makes text of others fit to be shown: one line without control or formatting characters, no
// longer than n runes.
func clean(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	var b strings.Builder
	count := 0
	for _, r := range strings.ToValidUTF8(s, "?") {
		if unicode.IsSpace(r) {
			r = ' '
		}
		if !unicode.IsGraphic(r) {
			continue
		}
		if count++; count > n {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}
