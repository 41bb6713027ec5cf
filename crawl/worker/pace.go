package worker

import (
	"context"
	"time"
)

// The time that work waits for Config.Pace is time of its lease. Where that ends, or work
// must, so does the wait.

// awaitRequest waits until there is room for a request of a turn. It returns false if none may begin. A turn
// that comes from the line of an address has waited before, and others wait for it.
func (p *Pool) awaitRequest(ctx context.Context, t *turn) bool {
	if p.cfg.Pace == nil || t.recalled || t.gate.IsValid() || t.next == len(t.Tasks) {
		return true
	}
	for {
		wait, end, ok := p.beginWait(ctx, t, p.clocks.left(t, t.closing))
		if !ok {
			return false
		}
		err := p.cfg.Pace(wait)
		cut := wait.Err() != nil
		end()
		if err == nil {
			return true
		}
		if !cut || ctx.Err() != nil {
			return false
		}
	}
}

// awaitReading waits until there is room to go on with what is under way, though not longer than for half
// of the time left, and not at all once work must end: to ask the site for it again would cost more.
func (p *Pool) awaitReading(ctx context.Context, t *turn) {
	if p.cfg.Pace == nil {
		return
	}
	if wait, end, ok := p.beginWait(ctx, t, p.clocks.left(t, t.deadline)/2); ok {
		_ = p.cfg.Pace(wait) // it goes on either way
		end()
	}
}

// beginWait returns a context for a wait of a turn; ok is false if there is no time for one. Stop and Recall cut
// it, and so does it when nothing may begin any more or the lease is over.
func (p *Pool) beginWait(ctx context.Context, t *turn, most time.Duration) (_ context.Context, end func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resting() || t.unwanted || most <= 0 {
		return nil, nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	p.asks[t] = cancel
	return ctx, func() {
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.asks, t)
	}, true
}
