package calls

import (
	"slices"
	"time"

	"golang.org/x/time/rate"
)

// book is what is kept of a peer. It is guarded by door.mu.
type book struct {
	streams [classes][]*inbound // longest idle first
	active  [classes]int        // requests in flight
	opens   [classes]*rate.Limiter
	bytes   [classes]*rate.Limiter
	kinds   map[Kind]*allowance
}

// allowance is how many requests of a kind a peer may make. Those beyond serve
// are told to wait; those beyond patience too are a flood.
type allowance struct{ serve, patience *rate.Limiter }

// inUse reports whether the book must be kept.
func (b *book) inUse() bool {
	for class := range b.streams {
		if len(b.streams[class]) > 0 || b.active[class] > 0 {
			return true
		}
	}
	return false
}

func newBook(b [classes]bounds) *book {
	k := &book{kinds: make(map[Kind]*allowance)}
	for class := range b {
		k.opens[class] = rate.NewLimiter(rate.Limit(b[class].opensPerSecond), b[class].openBurst)
		k.bytes[class] = rate.NewLimiter(rate.Limit(b[class].bytesPerSecond), b[class].bytesBurst)
	}
	return k
}

// find returns the first stream in a state, or nil.
func (b *book) find(class Class, state streamState) *inbound {
	for _, in := range b.streams[class] {
		if in.state == state {
			return in
		}
	}
	return nil
}

// remove takes a stream out, if it is still there.
func (b *book) remove(in *inbound) {
	streams := &b.streams[in.class]
	*streams = slices.DeleteFunc(*streams, func(s *inbound) bool { return s == in })
}

// charge takes one request from the peer's allowance.
func (b *book) charge(now time.Time, kind Kind, spec *Spec) (wait time.Duration, flood bool) {
	a := b.kinds[kind]
	if a == nil {
		a = &allowance{rate.NewLimiter(rate.Limit(spec.Rate), spec.Burst),
			rate.NewLimiter(rate.Limit(spec.Rate), spec.Burst)}
		b.kinds[kind] = a
	}
	r := a.serve.ReserveN(now, 1)
	wait = r.DelayFrom(now)
	if wait == 0 {
		return 0, false
	}
	r.CancelAt(now)
	return wait, !a.patience.AllowN(now, 1)
}

// chargeBytes takes n bytes from what the peer may send and fetch.
func (b *book) chargeBytes(now time.Time, class Class, n int) time.Duration {
	r := b.bytes[class].ReserveN(now, n)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}
