package limiter

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/limits"
)

const (
	// finishEvery is how often it is looked whether what is under way has ended.
	finishEvery = 100 * time.Millisecond
	// finishCalm is how long nothing was under way when the node ends: a lease that was granted just before may be on
	// its way, and who asked for the end by mistake can take it back.
	finishCalm = time.Second
)

// Finish implements api.Node.
func (a *Arbiter) Finish(context.Context) error {
	a.ask(func(s *limits.State, _ limits.Clock) { s.Finish() })
	signal(a.finish)
	return nil
}

// serveFinish ends the node when it was told to finish and nothing is under way any more.
func (a *Arbiter) serveFinish(ctx context.Context) {
	for {
		select {
		case <-a.finish:
		case <-ctx.Done():
			return
		}
		if a.finished(ctx) {
			a.cfg.Log.Info("What was under way has ended, as asked; the node ends")
			a.cfg.End()
		}
	}
}

// finished waits until nothing is under way, and reports whether the node is to end then: not if that was
// taken back.
func (a *Arbiter) finished(ctx context.Context) bool {
	ticker := time.NewTicker(finishEvery)
	defer ticker.Stop()
	for calm := time.Duration(0); calm < finishCalm; calm += finishEvery {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
		if !a.finishing() {
			return false
		}
		if requests, leases := a.cfg.Fetchers.InFlight(); requests > 0 || leases > 0 {
			calm = 0
		}
	}
	return true
}

// finishing reports whether the user has asked for the end of what is under way, and has not taken it back.
func (a *Arbiter) finishing() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state.IsFinishing()
}
