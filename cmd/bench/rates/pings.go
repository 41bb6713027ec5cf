package rates

import (
	"context"
	"sync"
	"time"
)

// pings are calls of class Control and how long they took.
type pings struct {
	mu    sync.Mutex
	times []time.Duration
}

func (p *pings) run(ctx context.Context, from, to *party) {
	for ctx.Err() == nil {
		begin := time.Now()
		if _, err := from.calls.Call(ctx, to.host.ID(), kindPing, nil); err == nil {
			p.mu.Lock()
			p.times = append(p.times, time.Since(begin))
			p.mu.Unlock()
		}
		sleep(ctx, 200*time.Millisecond)
	}
}

// reset returns the times and begin again.
func (p *pings) reset() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	times := p.times
	p.times = nil
	return times
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
