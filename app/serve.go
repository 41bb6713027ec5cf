package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/door"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/storage"
)

const (
	// drainFor is how long an orderly end waits for leases to come home.
	drainFor = 6 * time.Second
	// idleEvery is how often Serve looks whether there is nothing left to do.
	idleEvery = 200 * time.Millisecond
)

// Serve works until ctx is done, Stop is called, or the node is idle for as
// long as ExitWhenIdle says; then it ends in order: no new request, leases
// given back, everything committed. It returns nil then, or what made it stop.
func (n *Node) Serve(ctx context.Context) error {
	api, err := n.openDoor()
	if err != nil {
		return err
	}
	// Four lifetimes, each ended when the one before has: the API and the commits
	// outlive the work, so that the end can be seen and is recorded.
	commits := startPhase(ctx)
	n.startCore(commits)
	outer := startPhase(ctx)
	if api != nil {
		outer.run(api.Serve)
	}
	work, routing := startPhase(ctx), startPhase(ctx)

	err = n.prepare(ctx, outer, work, routing)
	if err == nil {
		err = n.waitForEnd(ctx, commits, outer, work, routing)
	} else if ctx.Err() != nil {
		err = nil // the end came during the start
	}
	n.governor.Stop() // the fetchers want no more leases
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
	n.pool.Drain(drain)
	cancel()
	n.foot.Leave(ctx) // the swarm brings outcomes home meanwhile
	ends := errors.Join(routing.end(), work.end(), commits.end())
	last := func(tx *storage.Tx) error { return n.stats.Count(tx, time.Now(), stats.Committed{}) }
	if err := n.db.Update(last); err != nil { // no failure on a full disk
		n.opts.Log.Warn("Time and bytes of the last minute are not in the statistics", "error", err)
	}
	ends = errors.Join(ends, outer.end())
	if err != nil {
		return err // the parts that failed later did so because of it
	}
	return ends
}

// prepare brings the state up to date and starts the work.
func (n *Node) prepare(ctx context.Context, outer, work, routing *phase) error {
	if err := n.seeds.check(); err != nil {
		return err
	}
	if err := n.Arbiter.Begin(ctx); err != nil {
		return err
	}
	n.governor.Begin()
	work.run(n.Arbiter.Serve)
	if n.opts.Sim == nil {
		work.run(n.pacer.Serve)
	}
	if n.opts.rules().HasUser() && n.opts.Launcher != nil {
		work.run(n.stepBack)
	}
	work.run(n.pool.Serve)
	n.join(outer, work, routing)
	outer.run(n.requests.Serve)
	if n.finder != nil {
		outer.run(n.finder.Serve)
	}
	work.run(n.watch)
	if n.opts.Sim == nil { // else time costs nothing
		work.run(func(ctx context.Context) error {
			return n.helped.Serve(ctx, n.Unhurried, n.isHelping, n.driver.CommitSoon)
		})
	}
	if n.Absence != nil {
		work.run(n.Absence.Serve)
	}
	work.run(n.health.Serve)
	work.run(n.Keeper.Serve)
	work.run(n.Refuser.Serve)
	work.run(func(ctx context.Context) error { return n.robots.DropOld(ctx, n.clock.Latest, n.opts.Log) })
	return nil
}

// waitForEnd returns nil when the node shall end, or the error of a part that failed.
func (n *Node) waitForEnd(ctx context.Context, phases ...*phase) error {
	failed := make(chan error, len(phases))
	for _, p := range phases {
		go func() {
			if err := p.failure(); err != nil {
				failed <- err
			}
		}()
	}
	var look <-chan time.Time
	if n.opts.ExitWhenIdle > 0 {
		ticker := time.NewTicker(idleEvery)
		defer ticker.Stop()
		look = ticker.C
	}
	var idleSince time.Time
	var seen int64
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-n.stop:
			return nil
		case err := <-failed:
			return err
		case now := <-look:
			if received := n.swarm.Taken(); !n.idle() || received != seen {
				idleSince, seen = time.Time{}, received
			} else if idleSince.IsZero() {
				idleSince = now
			} else if now.Sub(idleSince) >= n.opts.ExitWhenIdle {
				n.opts.Log.Info("Nothing left to do", "for", n.opts.ExitWhenIdle)
				return nil
			}
		}
	}
}

// phase is a group of parts that run until they are told to end.
type phase struct {
	ctx    context.Context
	cancel context.CancelFunc
	parts  sync.WaitGroup

	mu    sync.Mutex
	ended bool // nothing begins any more
	errs  []error
	fail  chan struct{} // closed at the first error
	done  chan struct{} // closed by end
}

// startPhase returns an empty phase. It does not end with ctx, but when it is
// told to.
func startPhase(ctx context.Context) *phase {
	p := &phase{fail: make(chan struct{}), done: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return p
}

// run starts a part, unless the end has begun: another part may start it late.
func (p *phase) run(part func(context.Context) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.parts.Go(func() {
		err := part(p.ctx)
		if err == nil || p.ctx.Err() != nil && errors.Is(err, p.ctx.Err()) {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.errs = append(p.errs, err); len(p.errs) == 1 {
			close(p.fail)
		}
	})
}

// failure waits for the first error, or for the end, and returns the error.
func (p *phase) failure() error {
	select {
	case <-p.fail:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.errs[0]
	case <-p.done:
		return nil
	}
}

// end ends the parts, waits for them and returns their errors.
func (p *phase) end() error {
	p.cancel()
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.parts.Wait()
	close(p.done)
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.errs...)
}

// openDoor opens what the API is served at. A simulation has no sockets and no door.
func (n *Node) openDoor() (*door.Door, error) {
	if n.opts.Sim != nil {
		return nil, nil
	}
	return door.Open(door.Config{
		Node: n, Web: n.opts.Config.Web, State: n.opts.Paths.State, AnyPort: n.opts.AnyPort,
		Dashboard: n.opts.Dashboard, BootID: n.BootID, Started: n.Started, Log: n.opts.Log,
	})
}

// isHelping reports whether work is allowed and something is in flight or leased.
func (n *Node) isHelping() bool {
	requests, leases := n.pool.InFlight()
	return requests+leases > 0 && n.governor.Works()
}

// readMeters returns what was counted since the start.
func (n *Node) readMeters() stats.Meters {
	moved := n.bandwidth.Totals()
	received, sent := n.siteBytes()
	return stats.Meters{
		Received: received, Sent: sent, Helped: n.helped.Seconds(),
		PeerReceived: moved.Received.All - moved.Received.Class[bandwidth.Pages],
		PeerSent:     moved.Sent.All - moved.Sent.Class[bandwidth.Pages],
	}
}

// siteBytes returns what was received from sites that are not the user's own since the start, and sent to them.
func (n *Node) siteBytes() (received, sent int64) {
	return n.claims.Without(n.meter.Received(), n.meter.Sent())
}
