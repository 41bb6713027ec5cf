package desk

import (
	"sync"
	"time"
)

// moment is how long news waits at most for other news. It is longer than the Ring rests between two frames while it
// moves, so that all of it comes with a frame.
const moment = 1500 * time.Millisecond

// news is what is to be shown together: a change of any widget draws the whole window again.
type news struct {
	mu   sync.Mutex
	list []func()
	// turn counts what was shown; a timer of an earlier turn is none.
	turn int
}

// Soon runs a function on the UI goroutine within a moment, with what else is new by then. It may be called from any
// goroutine.
func (d *Desk) Soon(fn func()) {
	d.news.mu.Lock()
	defer d.news.mu.Unlock()
	d.news.list = append(d.news.list, fn)
	if len(d.news.list) > 1 {
		return
	}
	mine := d.news.turn
	d.After(moment, func() {
		if d.news.is(mine) {
			d.ShowNews()
		}
	})
}

// is reports whether nothing was shown since a turn.
func (n *news) is(turn int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.turn == turn
}

// ShowNews shows what is new: something is drawn in any case.
func (d *Desk) ShowNews() {
	d.news.mu.Lock()
	list := d.news.list
	d.news.list = nil
	d.news.turn++
	d.news.mu.Unlock()
	for _, fn := range list {
		fn()
	}
}
