package frontier

import (
	"context"
	"sync"
)

const (
	// maxWaiting bounds the links, in bytes, of outcomes that wait for their
	// commit: a page can have a megabyte of them, and a disk can be slow.
	maxWaiting = 16 << 20
	// linkOverhead is what a link takes beside its URL, in bytes.
	linkOverhead = 64
)

// room is what is left of a bound. Who waits for some is woken by each leave.
type room struct {
	mu    sync.Mutex
	taken int
	freed chan struct{} // closed when some was given back
}

func newRoom() *room { return &room{freed: make(chan struct{})} }

// enter takes n of max, or, alone, more than there is. It waits until it can,
// until ctx is done, or until closed is: then the error is ErrClosed.
func (r *room) enter(ctx context.Context, n, max int, closed <-chan struct{}) error {
	for {
		r.mu.Lock()
		if r.taken == 0 || r.taken+n <= max {
			r.taken += n
			r.mu.Unlock()
			return nil
		}
		freed := r.freed
		r.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		case <-closed:
			return ErrClosed
		}
	}
}

// leave gives n back.
func (r *room) leave(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken -= n
	close(r.freed)
	r.freed = make(chan struct{})
}
