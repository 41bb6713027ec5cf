package calls

import "context"

type lostKey struct{}

// IfLost has a function called if the reply to a request, whose handler has been given ctx, certainly does not get to
// who asked: that one has ended the stream, or the stream broke before all of the reply was written. A reply that
// was written may be lost all the same. It is to be called by the handler, before it returns; fn must not block.
func IfLost(ctx context.Context, fn func()) {
	if undo, ok := ctx.Value(lostKey{}).(*[]func()); ok {
		*undo = append(*undo, fn)
	}
}

// WithLost returns a context for a handler, and a function that does what the handler has left with IfLost.
func WithLost(ctx context.Context) (_ context.Context, lost func()) {
	undo := new([]func())
	return context.WithValue(ctx, lostKey{}, undo), func() {
		for _, fn := range *undo {
			fn()
		}
	}
}
