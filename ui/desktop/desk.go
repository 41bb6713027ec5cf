package desktop

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/speech"
)

// desk is what all views work with: the node, the language, and a way to ask without waiting on the UI goroutine.
// Its methods are called on the UI goroutine unless they say otherwise.
type desk struct {
	speech.Speech
	node Node
	// ctx ends with the window.
	ctx context.Context
	// ui runs a function on the UI goroutine; it is called from others.
	ui func(func())
	// now is the clock.
	now func() time.Time
	// say shows a sentence for a moment; a failure is shown for longer.
	say func(text string, failure bool)
	// offer says what was done, with a button that does something about it, as to undo it.
	offer func(text, act string, do func())
	// refresh has the state of the node asked for again.
	refresh func()
	// show turns to a page of the window, by its name.
	show func(page string)
	// dashboard opens the dashboard at a route, as "settings".
	dashboard func(route string)
	// news waits to be shown.
	news news
	// work counts the goroutines that ask.
	work sync.WaitGroup
}

// live is what the node does now.
type live struct {
	status api.Status
	limits api.Limits
	// known says that the node has answered at least once, reachable that it did the last time. lost is since when
	// it has not.
	known, reachable bool
	lost             time.Time
	// stopped says that it ended in order: that it does not answer then is no trouble.
	stopped bool
}

// gone says why a node does not answer.
func (d *desk) gone(l live) string {
	if l.stopped {
		return d.T("stopped.short")
	}
	return d.T("lost.short")
}

// callTime bounds how long a view waits for an answer.
const callTime = 10 * time.Second

// ask calls what in a goroutine of its own, and then then on the UI goroutine, unless the window was
// closed by then. It may be called from any goroutine.
func ask[T any](d *desk, what func(context.Context) (T, error), then func(T, error)) {
	askWithin(d, callTime, what, then)
}

// askWithin is ask for what may take longer, or less long.
func askWithin[T any](d *desk, wait time.Duration, what func(context.Context) (T, error), then func(T, error)) {
	d.work.Go(func() {
		ctx, cancel := context.WithTimeout(d.ctx, wait)
		defer cancel()
		is, err := what(ctx)
		if d.ctx.Err() == nil {
			d.ui(func() { then(is, err) })
		}
	})
}

// command has the node do something and says what came of it: done, or the error. after, if not nil, is
// called on the UI goroutine when it is done.
func (d *desk) command(done string, what func(context.Context) error, after func()) {
	ask(d, func(ctx context.Context) (struct{}, error) { return struct{}{}, what(ctx) }, func(_ struct{}, err error) {
		if err != nil {
			d.say(shown.Text(d.Trouble(err)), true)
			return
		}
		if done != "" {
			d.say(done, false)
		}
		d.refresh()
		if after != nil {
			after()
		}
	})
}

// after calls fn on the UI goroutine after a while, unless the window was closed by then.
func (d *desk) after(wait time.Duration, fn func()) {
	d.work.Go(func() {
		select {
		case <-d.ctx.Done():
		case <-time.After(wait):
			d.ui(fn)
		}
	})
}
