// Package ladder reads one quantity from the best source that answers.
//
// A [Ladder] is an ordered list of sources, the best first. The first that answers is read; when it dies, the
// next one takes over, and it is tried again from time to time. If none answers, the [Reading] is not known,
// and says why, source by source. A value outlives its source only for a moment: it may say that nobody is
// there.
package ladder

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
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

// Source is one way to learn a quantity.
type Source[T any] struct {
	Name string
	// Run reports the value whenever it may have changed, until the source fails or ctx
	// is over. It reports from its own goroutine only, and returns an error that says
	// what failed.
	Run func(ctx context.Context, report func(T)) error
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
	why   error
	none  bool                    // it failed because there is no such thing here
	stop  context.CancelCauseFunc // of the run in progress
}

func (r rung) isOfUse() bool { return r.state != failed }

// Shared is what several ladders have in common.
type Shared struct {
	Mu      sync.Mutex // guards all readings
	Now     func() time.Time
	Changed func() // is called after a reading changed, with Mu held
}

// Ladder reads one quantity. It is safe for concurrent use.
type Ladder[T any] struct {
	*Shared
	name    string
	sources []Source[T]
	equal   func(a, b T) bool
	text    func(lang string, v T) string

	read    Reading[T]
	rungs   []rung
	current int           // the rung that reads, or -1
	lost    *time.Timer   // forgets a value some time after current became -1
	moved   chan struct{} // closed when a rung changes its state
}

// New returns a ladder whose values are told apart by equal, and described for people by text. Where there are no
// sources, none says why.
func New[T any](
	shared *Shared, name string, equal func(a, b T) bool, text func(lang string, v T) string, sources []Source[T],
	none error,
) *Ladder[T] {
	l := &Ladder[T]{
		Shared: shared, name: name, sources: sources, equal: equal, text: text,
		rungs: make([]rung, len(sources)), current: -1, moved: make(chan struct{}),
	}
	l.read = Reading[T]{Since: l.Now(), Why: words.New("said.sensor.it-has-not-been-read-yet", nil)}
	if len(sources) == 0 {
		l.read.Why, l.read.Never = none, true
	}
	return l
}

// Reading returns what is known. Mu is held.
func (l *Ladder[T]) Reading() Reading[T] { return l.read }

// Serve reads until ctx is over. The reading is unknown then.
func (l *Ladder[T]) Serve(ctx context.Context) {
	var all sync.WaitGroup
	for i := range l.sources {
		all.Go(func() { l.climb(ctx, i) })
	}
	all.Wait()
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if len(l.sources) > 0 {
		l.forget(words.New("said.sensor.nobody-reads-it", nil))
	}
}

// climb runs one source whenever it is its turn.
func (l *Ladder[T]) climb(ctx context.Context, i int) {
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

// rest waits until a source that failed may be tried again: after a while, or at once when one above it is lost
// that had made it needless.
func (l *Ladder[T]) rest(ctx context.Context, i int, wait time.Duration) {
	t := time.NewTimer(pulse.Within(wait))
	defer t.Stop()
	l.until(ctx, t.C, func() bool { return l.rungs[i].state == starting })
}

// turn waits until no source above is of use.
func (l *Ladder[T]) turn(ctx context.Context, i int) bool {
	l.until(ctx, nil, func() bool { return !slices.ContainsFunc(l.rungs[:i], rung.isOfUse) })
	return ctx.Err() == nil
}

// until waits until something is so, which is asked with Mu held whenever a rung changes its state, or until a time is
// over.
func (l *Ladder[T]) until(ctx context.Context, over <-chan time.Time, is func() bool) {
	for {
		l.Mu.Lock()
		done, moved := is(), l.moved
		l.Mu.Unlock()
		if done {
			return
		}
		select {
		case <-over:
			return
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

// run lets a source report until it fails or is not needed.
func (l *Ladder[T]) run(parent context.Context, i int) (answered bool, err error) {
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	l.Mu.Lock()
	l.rungs[i].stop = stop
	l.Mu.Unlock()
	late := time.AfterFunc(answerWithin, func() { stop(local.ErrNoAnswer) })
	err = l.sources[i].Run(ctx, func(v T) {
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
		err = words.New("said.sensor.it-stopped", nil)
	}
	l.fail(i, err)
	return answered, err
}

func (l *Ladder[T]) report(i int, v T) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if l.current >= 0 && l.current < i {
		return
	}
	if l.current != i {
		l.current = i
		if l.lost != nil {
			l.lost.Stop()
		}
		l.rungs[i].state, l.rungs[i].why = reading, nil
		for j := i + 1; j < len(l.rungs); j++ {
			r := &l.rungs[j]
			r.state, r.why = notNeeded, nil
			if r.stop != nil {
				r.stop(errNotNeeded)
			}
		}
		l.move()
	}
	name := l.sources[i].Name
	if l.read.Known && l.equal(l.read.Value, v) {
		l.read.Source = name
		return
	}
	l.read = Reading[T]{Value: v, Known: true, Source: name, Since: l.Now()}
	l.Changed()
}

func (l *Ladder[T]) fail(i int, err error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	r := &l.rungs[i]
	r.stop = nil
	if errors.Is(err, errNotNeeded) {
		return
	}
	r.state, r.why, r.none = failed, err, local.IsMissing(err)
	if l.current == i {
		l.current = -1
		l.lost = time.AfterFunc(grace, l.lose)
		for j := i + 1; j < len(l.rungs); j++ {
			if l.rungs[j].state == notNeeded {
				l.rungs[j].state = starting
			}
		}
	}
	l.move()
	if !slices.ContainsFunc(l.rungs, rung.isOfUse) {
		l.forget(l.reasons())
	}
}

// lose forgets a value whose source has been gone for too long.
func (l *Ladder[T]) lose() {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if l.current < 0 && l.read.Known {
		l.forget(l.reasons())
	}
}

// forget makes the reading unknown. Mu is held.
func (l *Ladder[T]) forget(why error) {
	never := !slices.ContainsFunc(l.rungs, func(r rung) bool { return r.isOfUse() || !r.none })
	if !l.read.Known && words.In(words.English, l.read.Why) == why.Error() && l.read.Never == never {
		return
	}
	since := l.read.Since
	if l.read.Known {
		since = l.Now()
	}
	l.read = Reading[T]{Since: since, Why: why, Never: never}
	l.Changed()
}

// reasons says why each source is of no use. Mu is held.
func (l *Ladder[T]) reasons() error {
	var list []error
	for i, r := range l.rungs {
		why := r.why
		if r.state != failed {
			why = words.New("said.sensor.it-has-not-answered-yet", nil)
		}
		list = append(list, &because{l.sources[i].Name, why})
	}
	return words.Join("; ", list...)
}

// Again has sources that failed tried at once.
func (l *Ladder[T]) Again() {
	l.Mu.Lock()
	defer l.Mu.Unlock()
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

// move wakes whoever waits for a change of state. Mu is held.
func (l *Ladder[T]) move() {
	close(l.moved)
	l.moved = make(chan struct{})
}

// Status describes the reading in a language. Mu is held.
func (l *Ladder[T]) Status(lang string) Status {
	s := Status{Name: l.name, Known: l.read.Known, Source: l.read.Source,
		Why: words.In(lang, l.read.Why), Never: l.read.Never}
	if s.Known {
		s.Value = l.text(lang, l.read.Value)
	}
	for i, r := range l.rungs {
		s.Sources = append(s.Sources, SourceStatus{Name: l.sources[i].Name, State: r.state.String()})
	}
	return s
}
