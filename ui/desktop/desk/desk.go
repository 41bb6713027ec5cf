// Package desk is what all views of the window work with: its language and clock, ways to ask the node without
// waiting on the UI goroutine, and ways to show what is new together, since a change of any widget draws the
// whole window again. It knows no view, and of the node only what it is handed.
package desk

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/speech"
)

// Desk is what all views work with: the language, and a way to ask without waiting on the UI goroutine.
// Its methods are called on the UI goroutine unless they say otherwise.
type Desk struct {
	speech.Speech
	// Ctx ends with the window.
	Ctx context.Context
	// UI runs a function on the UI goroutine; it is called from others.
	UI func(func())
	// Now is the clock.
	Now func() time.Time
	// Say shows a sentence for a moment; a failure is shown for longer.
	Say func(text string, failure bool)
	// Offer says what was done, with a button that does something about it, as to undo it.
	Offer func(text, act string, do func())
	// Refresh has the state of the node asked for again.
	Refresh func()
	// Show turns to a page of the window, by its name.
	Show func(page string)
	// Dashboard opens the dashboard at a route, as "settings".
	Dashboard func(route string)
	// news waits to be shown.
	news news
	// work counts the goroutines that ask.
	work sync.WaitGroup
}

// Live is what the node does now.
type Live struct {
	Status api.Status
	Limits api.Limits
	// Known says that the node has answered at least once, reachable that it did the last time. lost is since when
	// it has not.
	Known, Reachable bool
	Lost             time.Time
	// Stopped says that it ended in order: that it does not answer then is no trouble.
	Stopped bool
}

// Gone says why a node does not answer.
func (d *Desk) Gone(l Live) string {
	if l.Stopped {
		return d.T("stopped.short")
	}
	return d.T("lost.short")
}

// callTime bounds how long a view waits for an answer.
const callTime = 10 * time.Second

// Ask calls what in a goroutine of its own, and then then on the UI goroutine, unless the window was
// closed by then. It may be called from any goroutine.
func Ask[T any](d *Desk, what func(context.Context) (T, error), then func(T, error)) {
	AskWithin(d, callTime, what, then)
}

// AskWithin is ask for what may take longer, or less long.
func AskWithin[T any](d *Desk, wait time.Duration, what func(context.Context) (T, error), then func(T, error)) {
	d.work.Go(func() {
		ctx, cancel := context.WithTimeout(d.Ctx, wait)
		defer cancel()
		is, err := what(ctx)
		if d.Ctx.Err() == nil {
			d.UI(func() { then(is, err) })
		}
	})
}

// Command has the node do something and says what came of it: done, or the error. after, if not nil, is
// called on the UI goroutine when it is done.
func (d *Desk) Command(done string, what func(context.Context) error, after func()) {
	Ask(d, func(ctx context.Context) (struct{}, error) { return struct{}{}, what(ctx) }, func(_ struct{}, err error) {
		if err != nil {
			d.Say(shown.Text(d.Trouble(err)), true)
			return
		}
		if done != "" {
			d.Say(done, false)
		}
		d.Refresh()
		if after != nil {
			after()
		}
	})
}

// After calls fn on the UI goroutine after a while, unless the window was closed by then.
func (d *Desk) After(wait time.Duration, fn func()) {
	d.work.Go(func() {
		select {
		case <-d.Ctx.Done():
		case <-time.After(wait):
			d.UI(fn)
		}
	})
}

// Run runs a function that waits for something, in a goroutine of its own.
func (d *Desk) Run(fn func()) { d.work.Go(fn) }

// Wait waits for all that was run. It is called when ctx has ended.
func (d *Desk) Wait() { d.work.Wait() }

// HelpNow is for how long a node helps although its user is there, so that they can watch.
const HelpNow = 2 * time.Minute
