package worker

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl/gates"
)

// cutAfter is how long what is in flight may go on when work must stop: users are promised two seconds.
const cutAfter = 1500 * time.Millisecond

// flights are the requests under way, and the waits for room for one. They know whether any may begin, and end them
// when work must. Their methods are safe for concurrent use.
type flights struct {
	clocks *clocks
	bounds *bounds
	gates  *gates.Gates // of the addresses that they go to

	mu      sync.Mutex
	stopped bool // no new request
	cutter  *time.Timer
	cancel  map[*turn]context.CancelFunc // of requests in flight
	waits   map[*turn]context.CancelFunc // of turns that wait for Config.Pace
}

func newFlights(cfg *Config, c *clocks, b *bounds) *flights {
	f := &flights{
		clocks: c, bounds: b,
		cancel: make(map[*turn]context.CancelFunc), waits: make(map[*turn]context.CancelFunc),
	}
	f.gates = gates.New(cfg.Slots, cfg.Latest, f.resting)
	return f
}

// resting reports whether nothing may begin.
func (f *flights) resting() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rests()
}

// rests is resting with mu held.
func (f *flights) rests() bool { return f.stopped || f.bounds.none() }

// count returns how many requests are in flight.
func (f *flights) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.cancel)
}

// takeOff registers a request in flight; ok is false if none may start. It is cut when its lease is over, or
// when the slot of its address lapses, unless that is granted for longer meanwhile.
func (f *flights) takeOff(ctx context.Context, t *turn) (_ context.Context, land func(), ok bool) {
	gate := t.gate
	left := func() time.Duration {
		left := f.clocks.left(t, t.deadline)
		if gate.IsValid() {
			left = min(left, f.gates.Left(gate))
		}
		return left
	}
	most := left()
	if most <= 0 {
		return nil, nil, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rests() {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	lapse := f.cutWhenOver(most, left, cancel)
	f.cancel[t] = cancel
	return ctx, func() {
		lapse.Stop()
		cancel()
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.cancel, t)
	}, true
}

// cutWhenOver returns a timer that cancels a request when no time is left for it. That is not a deadline of the
// context: it would compare a point of the line with time.Now. The caller holds mu.
func (f *flights) cutWhenOver(most time.Duration, left func() time.Duration, cancel func()) (lapse *time.Timer) {
	lapse = time.AfterFunc(most, func() {
		f.mu.Lock()
		timer := lapse
		f.mu.Unlock()
		if more := left(); more > 0 {
			timer.Reset(more)
		} else {
			cancel()
		}
	})
	return lapse
}

// beginWait returns a context for a wait of a turn; ok is false if there is no time for one. It is cut when nothing may
// begin any more, or its lease is over.
func (f *flights) beginWait(ctx context.Context, t *turn, most time.Duration) (
	_ context.Context, end func(), ok bool,
) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rests() || most <= 0 {
		return nil, nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	f.waits[t] = cancel
	return ctx, func() {
		cancel()
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.waits, t)
	}, true
}

// endWaits ends all waits.
func (f *flights) endWaits() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, cancel := range f.waits {
		cancel()
	}
}

// stop lets nothing begin and cuts what is in flight after cutAfter. It reports whether it was going on before.
func (f *flights) stop() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return false
	}
	f.stopped = true
	f.cutter = time.AfterFunc(cutAfter, f.cut)
	for _, cancel := range f.waits {
		cancel()
	}
	return true
}

// start ends a stop.
func (f *flights) start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		f.stopped = false
		f.cutter.Stop()
	}
}

// cut cuts what is in flight after a stop.
func (f *flights) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.stopped {
		return
	}
	for _, cancel := range f.cancel {
		cancel()
	}
}

// cutOver cuts what is in flight for leases that are over, and reports whether
// there was any: a computer that slept wakes up with timers that did not count.
func (f *flights) cutOver() (late bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for t, cancel := range f.cancel {
		if f.clocks.isOver(t) {
			cancel()
			late = true
		}
	}
	for t, cancel := range f.waits {
		if f.clocks.isOver(t) {
			cancel()
		}
	}
	return late
}
