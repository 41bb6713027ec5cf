package app

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/limits"
)

const (
	// finishEvery is how often it is looked whether what is under way has ended.
	finishEvery = 100 * time.Millisecond
	// finishCalm is how long nothing was under way when the node ends: a lease that was granted just before may be on its
	// way, and who asked for the end by mistake can take it back.
	finishCalm = time.Second
)

// Finish implements api.Node.
func (n *Node) Finish(context.Context) error {
	n.arbiter.ask(func(s *limits.State, _ limits.Clock) { s.Finish() })
	signalNow(n.finish)
	return nil
}

// endFinished ends the node when it was told to finish and nothing is under way any more.
func (n *Node) endFinished(ctx context.Context) error {
	for {
		select {
		case <-n.finish:
		case <-ctx.Done():
			return ctx.Err()
		}
		if n.finished(ctx) {
			n.log.Info("What was under way has ended, as asked; the node ends")
			return n.Stop(ctx)
		}
	}
}

// finished waits until nothing is under way, and reports whether the node is to end then: not if that was
// taken back.
func (n *Node) finished(ctx context.Context) bool {
	ticker := time.NewTicker(finishEvery)
	defer ticker.Stop()
	for calm := time.Duration(0); calm < finishCalm; calm += finishEvery {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
		if !n.arbiter.finishing() {
			return false
		}
		if requests, leases := n.pool.InFlight(); requests > 0 || leases > 0 {
			calm = 0
		}
	}
	return true
}

// finishing reports whether the user has asked for the end of what is under way, and has not taken it back.
func (a *arbiter) finishing() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state.IsFinishing()
}
