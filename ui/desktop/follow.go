package desktop

import (
	"errors"
	"time"

	"github.com/forage-net/forage/app/api"
)

const (
	// ownStream is how long a node may take this window for another one: its stream broke, and the node has yet to
	// write to that in vain, which it does every 15 s.
	ownStream = time.Minute
	// followedFor is less than a stream is tried for that broke, and more than it takes to be told that there
	// is another window.
	followedFor = 5 * time.Second
)

// follow listens to the node until the window is closed.
func (w *Window) follow() {
	var boot string
	var since uint64
	var rival rival
	inbox := newInbox(w.d, w.happened)
	for w.d.Ctx.Err() == nil {
		begun := time.Now()
		err := w.c.Node.FollowWindow(w.d.Ctx, boot, since, func(p api.EventPage) error {
			boot, since = p.BootID, p.Next
			inbox.put(p)
			return nil
		}, func(page string) { w.d.UI(func() { w.Show(page) }) })
		if rival.is(err, boot != "", time.Since(begun), time.Now()) {
			w.d.UI(func() { w.other = err; w.win.Close() })
			return
		}
		select {
		case <-w.d.Ctx.Done():
		case <-time.After(statusEvery):
		}
	}
}

// rival is what the node says of another window, which may be this one.
type rival struct {
	// since is when it began to say so, zero while it does not.
	since time.Time
}

// is takes what came of following, which lasted for so long, and reports whether there is another window.
// Before this one has followed for the first time, it cannot be meant.
func (r *rival) is(err error, followed bool, lasted time.Duration, now time.Time) bool {
	if !errors.Is(err, api.ErrOtherWindow) {
		r.since = time.Time{}
		return false
	}
	if !followed {
		return true
	}
	if r.since.IsZero() || lasted >= followedFor {
		r.since = now
	}
	return now.Sub(r.since) > ownStream
}
