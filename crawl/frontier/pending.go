package frontier

import "context"

// Pending is what was proposed and may not be committed yet.
type Pending struct {
	answers chan answer // one
	closed  <-chan struct{}
}

type answer struct {
	applied []Applied
	err     error
}

// begin proposes.
func (f *Frontier) begin(ctx context.Context, p *proposal) (*Pending, error) {
	pending := &Pending{answers: make(chan answer, 1), closed: f.closed}
	p.done = func(applied []Applied, err error) { pending.answers <- answer{applied, err} }
	if err := f.submit(ctx, p); err != nil {
		return nil, err
	}
	return pending, nil
}

// Wait returns when it is committed, or has failed. If ctx is done before, that is not known yet:
// Over tells, when it is.
func (p *Pending) Wait(ctx context.Context) ([]Applied, error) {
	select {
	case a := <-p.answers:
		return a.applied, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		select {
		case a := <-p.answers:
			return a.applied, a.err
		default:
			return nil, ErrClosed
		}
	}
}

// Over reports whether it is committed by now or has failed, and what became of it: nothing if it failed. It is for
// who left off waiting, and says so once.
func (p *Pending) Over() (applied []Applied, over bool) {
	select {
	case a := <-p.answers:
		return a.applied, true
	default:
		return nil, false
	}
}
