package frontier

import (
	"context"
	"sync"
)

// Pending is what was proposed and may not be committed yet.
type Pending struct {
	over   chan struct{} // closed when the answer is there
	closed <-chan struct{}

	mu      sync.Mutex
	applied []Applied
	err     error
	left    func([]Applied, error)
}

// begin proposes.
func (f *Frontier) begin(ctx context.Context, p *proposal) (*Pending, error) {
	pending := &Pending{over: make(chan struct{}), closed: f.closed}
	p.done = pending.answer
	if err := f.submit(ctx, p); err != nil {
		return nil, err
	}
	return pending, nil
}

func (p *Pending) answer(applied []Applied, err error) {
	p.mu.Lock()
	p.applied, p.err = applied, err
	left := p.left
	close(p.over)
	p.mu.Unlock()
	if left != nil {
		left(applied, err)
	}
}

// Wait returns when it is committed, or has failed. If ctx is done before, that is not known yet: Leave.
func (p *Pending) Wait(ctx context.Context) ([]Applied, error) {
	select {
	case <-p.over:
		return p.applied, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		select {
		case <-p.over:
			return p.applied, p.err
		default:
			return nil, ErrClosed
		}
	}
}

// Leave has a function called once with what becomes of it: at once if that is known, else between two commits, which it
// must not hold up. It is not called if the frontier closes before.
func (p *Pending) Leave(fn func([]Applied, error)) {
	p.mu.Lock()
	select {
	case <-p.over:
		p.mu.Unlock()
		fn(p.applied, p.err)
	default:
		p.left = fn
		p.mu.Unlock()
	}
}
