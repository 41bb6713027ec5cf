package sense

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/p2p/pulse"
)

var (
	// errNotNeeded stops a source when a better one is back.
	errNotNeeded = errors.New("not needed")
)

const (
	// answerWithin is how long a source may take for its first value.
	answerWithin = 3 * time.Second
	// grace is how long a value outlives its source while others are asked: as long as
	// work may go on after the first key press.
	grace = 2 * time.Second
	// A source that failed is tried again after retryFirst, then after twice as long each
	// time, up to retryMost.
	retryFirst = 5 * time.Second
	retryMost  = 2 * time.Minute
)

// source is one way to learn a quantity.
type source[T any] struct {
	name string
	// run reports the value whenever it may have changed, until the source fails or ctx
	// is over. It reports from its own goroutine only, and returns an error that says
	// what failed.
	run func(ctx context.Context, report func(T)) error
}

type rungState int

const (
	starting rungState = iota
	reading
	failed
	notNeeded
)

func (s rungState) String() string {
	return [...]string{"starting", "reading", "failed", "not needed"}[s]
}

type rung struct {
	state rungState
	why   string
	none  bool                    // it failed because there is no such thing here
	stop  context.CancelCauseFunc // of the run in progress
}

// ladder reads one quantity from the best source that answers.
type ladder[T any] struct {
	name    string
	sources []source[T]
	equal   func(a, b T) bool
	text    func(T) string
	now     func() time.Time
	publish func() // with mu held

	mu      *sync.Mutex // the Hub's
	read    Reading[T]
	rungs   []rung
	current int           // the rung that reads, or -1
	lost    time.Time     // when it was lost, if current is -1
	moved   chan struct{} // closed when a rung changes its state
}

// serve reads until ctx is over. The reading is unknown then.
func (l *ladder[T]) serve(ctx context.Context) {
	var all sync.WaitGroup
	for i := range l.sources {
		all.Go(func() { l.climb(ctx, i) })
	}
	l.watchLoss(ctx)
	all.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.sources) > 0 {
		l.forget("nobody reads it any more")
	}
}

// climb runs one source whenever it is its turn.
func (l *ladder[T]) climb(ctx context.Context, i int) {
	wait := retryFirst
	for l.turn(ctx, i) {
		answered, err := l.run(ctx, i)
		if ctx.Err() != nil {
			return
		}
		if answered {
			wait = retryFirst
		}
		if errors.Is(err, errNotNeeded) {
			continue
		}
		l.rest(ctx, i, wait)
		wait = min(2*wait, retryMost)
	}
}

// rest waits until a source that failed may be tried again: after a while, or at once when one
// above it is lost that had made it needless.
func (l *ladder[T]) rest(ctx context.Context, i int, wait time.Duration) {
	t := time.NewTimer(pulse.Within(wait))
	defer t.Stop()
	for {
		l.mu.Lock()
		state, moved := l.rungs[i].state, l.moved
		l.mu.Unlock()
		if state == starting {
			return
		}
		select {
		case <-t.C:
			return
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

// turn waits until no source above is of use.
func (l *ladder[T]) turn(ctx context.Context, i int) bool {
	for {
		l.mu.Lock()
		free := true
		for _, r := range l.rungs[:i] {
			free = free && r.state == failed
		}
		moved := l.moved
		l.mu.Unlock()
		if free {
			return ctx.Err() == nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}

// run lets a source report until it fails or is not needed.
func (l *ladder[T]) run(parent context.Context, i int) (answered bool, err error) {
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	l.mu.Lock()
	l.rungs[i].stop = stop
	l.mu.Unlock()
	late := time.AfterFunc(answerWithin, func() { stop(local.ErrNoAnswer) })
	err = l.sources[i].run(ctx, func(v T) {
		if late.Stop() {
			answered = true
		}
		if answered && ctx.Err() == nil {
			l.report(i, v)
		}
	})
	late.Stop()
	if parent.Err() != nil {
		return answered, parent.Err()
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err == nil {
		err = errors.New("it stopped")
	}
	l.fail(i, err)
	return answered, err
}

func (l *ladder[T]) report(i int, v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current >= 0 && l.current < i {
		return
	}
	if l.current != i {
		l.current = i
		l.rungs[i].state, l.rungs[i].why = reading, ""
		for j := i + 1; j < len(l.rungs); j++ {
			r := &l.rungs[j]
			r.state, r.why = notNeeded, ""
			if r.stop != nil {
				r.stop(errNotNeeded)
			}
		}
		l.move()
	}
	name := l.sources[i].name
	if l.read.Known && l.equal(l.read.Value, v) {
		l.read.Source = name
		return
	}
	l.read = Reading[T]{Value: v, Known: true, Source: name, Since: l.now()}
	l.publish()
}

func (l *ladder[T]) fail(i int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.rungs[i]
	r.stop = nil
	if errors.Is(err, errNotNeeded) {
		return
	}
	r.state, r.why, r.none = failed, local.Clean(err.Error(), local.MaxWhy), local.IsMissing(err)
	if l.current == i {
		l.current, l.lost = -1, l.now()
		for j := i + 1; j < len(l.rungs); j++ {
			if l.rungs[j].state == notNeeded {
				l.rungs[j].state = starting
			}
		}
	}
	l.move()
	for _, r := range l.rungs {
		if r.state != failed {
			return
		}
	}
	l.forget(l.reasons())
}

// isMissing reports whether no source is there at all. mu is held.
func (l *ladder[T]) isMissing() bool {
	for _, r := range l.rungs {
		if r.state != failed || !r.none {
			return false
		}
	}
	return true
}

// watchLoss forgets a value whose source has been gone for too long.
func (l *ladder[T]) watchLoss(ctx context.Context) {
	for {
		l.mu.Lock()
		moved, left := l.moved, time.Duration(-1)
		if l.current < 0 && l.read.Known {
			left = max(grace-l.now().Sub(l.lost), 0)
		}
		if left == 0 {
			l.forget(l.reasons())
			left = -1
		}
		l.mu.Unlock()
		var over <-chan time.Time
		if left > 0 {
			over = time.After(min(left, grace))
		}
		select {
		case <-ctx.Done():
			return
		case <-moved:
		case <-over:
		}
	}
}

// forget makes the reading unknown. mu is held.
func (l *ladder[T]) forget(why string) {
	never := l.isMissing()
	if !l.read.Known && l.read.Why == why && l.read.Never == never {
		return
	}
	since := l.read.Since
	if l.read.Known {
		since = l.now()
	}
	l.read = Reading[T]{Since: since, Why: why, Never: never}
	l.publish()
}

// reasons says why each source is of no use. mu is held.
func (l *ladder[T]) reasons() string {
	var list []string
	for i, r := range l.rungs {
		why := r.why
		if r.state != failed {
			why = "it has not answered yet"
		}
		list = append(list, fmt.Sprintf("%s: %s", l.sources[i].name, why))
	}
	return strings.Join(list, "; ")
}

// again has sources that failed tried at once.
func (l *ladder[T]) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current >= 0 {
		return
	}
	for i := range l.rungs {
		if l.rungs[i].state == failed {
			l.rungs[i].state = starting
		}
	}
	l.move()
}

// move wakes whoever waits for a change of state. mu is held.
func (l *ladder[T]) move() {
	close(l.moved)
	l.moved = make(chan struct{})
}

// status describes the reading. mu is held.
func (l *ladder[T]) status() Status {
	s := Status{Name: l.name, Known: l.read.Known, Source: l.read.Source, Since: l.read.Since, Why: l.read.Why,
		Never: l.read.Never}
	if s.Known {
		s.Value = l.text(l.read.Value)
	}
	for i, r := range l.rungs {
		s.Sources = append(s.Sources, SourceStatus{Name: l.sources[i].name, State: r.state.String(), Why: r.why})
	}
	return s
}
