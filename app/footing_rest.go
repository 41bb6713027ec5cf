package app

import (
	"context"
	"fmt"
	"time"
)

// To rest, a node gives its leases back and hands the shards that it leads to others of their lines; its record tells all. That
// is all the network hears of it. When it is back, it pulls what it missed and leads again.

const (
	// Until when, counted from the word to rest, each step must be done: 2 s are
	// promised. Mostly they take a fifth of that.
	cutAt      = 500 * time.Millisecond  // requests in flight; until then they may end by themselves
	homeBy     = 900 * time.Millisecond  // leases are back, with their outcomes
	handOverBy = 1300 * time.Millisecond // others lead the shards
	tellBy     = 1600 * time.Millisecond // and know that this node rests
	// endWithin is how long looking for peers may take to end.
	endWithin = 300 * time.Millisecond
	restLook  = 10 * time.Millisecond
	// flushEvery is how often it commits what waits for company while not all leases are back.
	flushEvery = 50 * time.Millisecond

	// backWithin is how long one try to tell others of the return may take, backTries how
	// often that is tried: the others find it by and by.
	backWithin = 5 * time.Second
	backTries  = 12
	backWait   = 2 * time.Second
)

// begin takes the footing that the node starts with. From now on it is served.
func (f *footing) begin(ctx context.Context) {
	f.changing.Lock()
	defer f.changing.Unlock()
	f.serving = true
	f.mu.Lock()
	f.life = ctx
	f.mu.Unlock()
	if f.isSilent() {
		f.fallSilent()
	} else if g := f.n.member.Gater; g != nil {
		g.MapPorts()
	}
}

// Serve looks for peers, but in silence, and keeps connections few on standby, until ctx
// is done.
func (f *footing) Serve(ctx context.Context) error {
	defer f.bg.Wait()
	defer func() { f.wakes() }()
	f.bg.Go(func() { f.keepFew(ctx) })
	for ctx.Err() == nil {
		f.mu.Lock()
		heard := f.heard
		f.mu.Unlock()
		if f.isSilent() {
			select {
			case <-heard:
			case <-ctx.Done():
			}
			continue
		}
		within, end := context.WithCancel(ctx)
		run := &finding{end, make(chan struct{})}
		f.mu.Lock()
		f.finder = run
		f.mu.Unlock()
		err := f.n.member.Finder.Serve(within)
		end()
		f.mu.Lock()
		f.finder = nil
		f.mu.Unlock()
		close(run.ended)
		if ctx.Err() == nil && within.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// rest falls silent in order.
func (f *footing) rest(ctx context.Context, until time.Time) error {
	start := time.Now()
	by := func(d time.Duration, step func(context.Context)) {
		ctx, cancel := context.WithDeadline(ctx, start.Add(d))
		defer cancel()
		step(ctx)
	}
	f.mu.Lock()
	f.wakes()
	f.mu.Unlock()
	by(cutAt, func(ctx context.Context) { await(ctx, f.isIdle) })
	f.n.pool.Cut()
	by(homeBy, func(ctx context.Context) {
		await(ctx, f.isIdle)
		for !f.isHome() && ctx.Err() == nil { // what was granted a moment ago comes back a moment later
			f.flush(ctx)
			within, cancel := context.WithTimeout(ctx, flushEvery)
			await(within, f.isHome)
			cancel()
		}
	})
	_, held := f.n.pool.InFlight()
	f.n.log.Debug("Leases given back", "held", held, "returning", f.n.returning(), "after", time.Since(start))
	by(handOverBy, f.handOver)
	by(handOverBy, func(ctx context.Context) { // what came too late goes to who leads now
		f.flush(ctx)
		await(ctx, f.isHome)
	})
	var err error
	by(tellBy, func(ctx context.Context) { err = f.tellOfRest(ctx, until) })
	f.is.Store(uint32(FootingSilent))
	f.fallSilent()
	f.n.log.Debug("Silent", "after", time.Since(start))
	return err
}

// await looks again and again whether something is so, until ctx is done.
func await(ctx context.Context, is func() bool) {
	for !is() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(restLook):
		}
	}
}

// isIdle reports whether no lease is held.
func (f *footing) isIdle() bool {
	_, leases := f.n.pool.InFlight()
	return leases == 0
}

// fallSilent ends all that sends. f.changing is held, and the footing is silent.
func (f *footing) fallSilent() {
	f.mu.Lock()
	f.heard = make(chan struct{})
	run := f.finder
	f.mu.Unlock()
	f.n.member.Node.SetSilent(true)
	if run != nil {
		run.end()
		select {
		case <-run.ended:
		case <-time.After(endWithin):
		}
	}
	f.speak = f.n.member.Gater.Silence(f.n.member.Host)
}

// tellOfRest tells the others that this node rests.
func (f *footing) tellOfRest(ctx context.Context, until time.Time) error {
	node := f.n.member.Node
	away := !until.IsZero() && time.Until(until) > f.n.member.Times().Out
	if err := node.Rest(ctx, away); err != nil {
		return fmt.Errorf("rest: %w", err)
	}
	node.Tell(ctx)
	return nil
}

// wake ends a silence. f.changing is held, and the new footing is set.
func (f *footing) wake() error {
	var err error
	if f.speak != nil {
		err = f.speak()
		f.speak = nil
	}
	f.n.member.Node.SetSilent(false)
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.heard)
	if f.life == nil || f.life.Err() != nil {
		return err
	}
	var ctx context.Context
	ctx, f.wakes = context.WithCancel(f.life)
	f.bg.Go(func() { f.comeBack(ctx) })
	return err
}

// comeBack goes on in the shards of this node and tells the others.
func (f *footing) comeBack(ctx context.Context) {
	if f.n.driver.Wake(ctx) != nil {
		return
	}
	for range backTries {
		within, cancel := context.WithTimeout(ctx, backWithin)
		err := f.n.member.Node.Back(within)
		cancel()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(backWait):
		}
	}
}
