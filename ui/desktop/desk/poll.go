package desk

import (
	"context"
	"sync/atomic"
	"time"
)

// Poll asks something again and again while somebody looks.
type Poll[T any] struct {
	d     *Desk
	every time.Duration
	what  func(context.Context) (T, error)
	then  func(T)
	// stop ends the present run, wake has it ask at once; nil while there is none.
	stop context.CancelFunc
	wake chan struct{}
	// hurry says that somebody waits for the next answer.
	hurry atomic.Bool
}

// NewPoll makes a poll that does not run yet. Answers come on the UI goroutine; one that failed is left out,
// the next one is waited for.
func NewPoll[T any](d *Desk, every time.Duration, what func(context.Context) (T, error), then func(T)) *Poll[T] {
	return &Poll[T]{d: d, every: every, what: what, then: then}
}

// InLang has a question asked in the language of the window.
func InLang[T any](d *Desk, what func(ctx context.Context, lang string) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return what(ctx, d.Lang) }
}

// Run starts it, with the first question at once, or stops it. An answer that is on its way then is not given.
func (p *Poll[T]) Run(on bool) {
	if on == (p.stop != nil) {
		return
	}
	if !on {
		p.stop()
		p.stop, p.wake = nil, nil
		return
	}
	ctx, cancel := context.WithCancel(p.d.Ctx)
	wake := make(chan struct{}, 1)
	p.stop, p.wake = cancel, wake
	p.hurry.Store(true)
	p.d.Run(func() { p.loop(ctx, wake) })
}

// Running reports whether it runs.
func (p *Poll[T]) Running() bool { return p.stop != nil }

// Again asks at once, if it runs, since somebody waits for the answer. If a question is on its way, another one
// follows it: however often this is called, there are answers.
func (p *Poll[T]) Again() {
	p.hurry.Store(true)
	p.Fresh()
}

// Fresh is again for what nobody waits for: the answer is shown with other news.
func (p *Poll[T]) Fresh() {
	select {
	case p.wake <- struct{}{}:
	default: // it is to ask anyway, or does not run
	}
}

func (p *Poll[T]) loop(ctx context.Context, wake <-chan struct{}) {
	ticker := time.NewTicker(p.every)
	defer ticker.Stop()
	for {
		hurry := p.hurry.Swap(false)
		call, cancel := context.WithTimeout(ctx, callTime)
		is, err := p.what(call)
		cancel()
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			p.give(ctx, is, hurry)
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-ticker.C:
		}
	}
}

// give gives an answer, unless the run of ctx is over by then.
func (p *Poll[T]) give(ctx context.Context, is T, hurry bool) {
	then := func() {
		if ctx.Err() == nil {
			p.then(is)
		}
	}
	if !hurry {
		p.d.Soon(then)
		return
	}
	p.d.UI(func() {
		p.d.ShowNews() // something older may wait
		then()
	})
}
