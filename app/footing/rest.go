package footing

import (
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/app/limits"
)

// To rest, a node gives its leases back and hands the shards that it leads to others of their lines; its record tells
// all. That is all the network hears of it. When it is back, it pulls what it missed and leads again.

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
	// restWithin is how long a node hands over at most before it is silent.
	restWithin = time.Second
	// flushEvery is how often it commits what waits for company while not all leases are back.
	flushEvery = 50 * time.Millisecond

	// backWithin is how long one try to tell others of the return may take, backTries how
	// often that is tried: the others find it by and by.
	backWithin = 5 * time.Second
	backTries  = 12
	backWait   = 2 * time.Second
)

// Begin takes the footing that the node starts with. From now on it is served.
func (c *Changer) Begin(ctx context.Context) {
	c.changing.Lock()
	defer c.changing.Unlock()
	c.serving = true
	c.mu.Lock()
	c.life = ctx
	c.mu.Unlock()
	if c.cfg.Gate.Now() == limits.Silent {
		c.fallSilent()
	} else if g := c.cfg.Member.Gater; g != nil {
		g.MapPorts()
	}
}

// Serve looks for peers, but in silence, and keeps connections few on standby, until ctx
// is done.
func (c *Changer) Serve(ctx context.Context) error {
	defer c.bg.Wait()
	defer func() { c.wakes() }()
	c.bg.Go(func() { c.keepFew(ctx) })
	for ctx.Err() == nil {
		c.mu.Lock()
		heard := c.heard
		c.mu.Unlock()
		if c.cfg.Gate.Now() == limits.Silent {
			select {
			case <-heard:
			case <-ctx.Done():
			}
			continue
		}
		within, end := context.WithCancel(ctx)
		run := &finding{end, make(chan struct{})}
		c.mu.Lock()
		c.finder = run
		c.mu.Unlock()
		err := c.cfg.Member.Finder.Serve(within)
		end()
		c.mu.Lock()
		c.finder = nil
		c.mu.Unlock()
		close(run.ended)
		if ctx.Err() == nil && within.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// rest falls silent in order.
func (c *Changer) rest(ctx context.Context, until time.Time) error {
	start := time.Now()
	by := func(d time.Duration, step func(context.Context)) {
		ctx, cancel := context.WithDeadline(ctx, start.Add(d))
		defer cancel()
		step(ctx)
	}
	c.mu.Lock()
	c.wakes()
	c.mu.Unlock()
	by(cutAt, func(ctx context.Context) { await(ctx, c.isIdle) })
	c.cfg.Fetchers.Cut()
	by(homeBy, func(ctx context.Context) {
		await(ctx, c.isIdle)
		for !c.isHome() && ctx.Err() == nil { // what was granted a moment ago comes back a moment later
			_ = c.cfg.Shards.Commit(ctx)
			within, cancel := context.WithTimeout(ctx, flushEvery)
			await(within, c.isHome)
			cancel()
		}
	})
	_, held := c.cfg.Fetchers.InFlight()
	c.cfg.Log.Debug("Leases given back", "held", held, "waiting", c.cfg.Waits(), "after", time.Since(start))
	by(handOverBy, c.handOver)
	by(handOverBy, func(ctx context.Context) { // what came too late goes to who leads now
		_ = c.cfg.Shards.Commit(ctx)
		await(ctx, c.isHome)
	})
	var err error
	by(tellBy, func(ctx context.Context) { err = c.tellOfRest(ctx, until) })
	c.cfg.Gate.is.Store(uint32(limits.Silent))
	c.fallSilent()
	c.cfg.Log.Debug("Silent", "after", time.Since(start))
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
func (c *Changer) isIdle() bool {
	_, leases := c.cfg.Fetchers.InFlight()
	return leases == 0
}

// isHome reports whether all that was held is back where it belongs.
func (c *Changer) isHome() bool { return c.isIdle() && c.cfg.Waits() == 0 }

// handOver has others lead, and falls silent.
func (c *Changer) handOver(ctx context.Context) {
	within := restWithin
	if end, is := ctx.Deadline(); is {
		within = time.Until(end)
	}
	long, cancel := context.WithTimeout(context.WithoutCancel(ctx), within+restWithin)
	defer cancel()
	_ = c.cfg.Shards.Rest(long, within)
}

// fallSilent ends all that sends. c.changing is held, and the footing is silent.
func (c *Changer) fallSilent() {
	c.mu.Lock()
	c.heard = make(chan struct{})
	run := c.finder
	c.mu.Unlock()
	c.cfg.Member.Node.SetSilent(true)
	if run != nil {
		run.end()
		select {
		case <-run.ended:
		case <-time.After(endWithin):
		}
	}
	c.speak = c.cfg.Member.Gater.Silence(c.cfg.Member.Host)
}

// tellOfRest tells the others that this node rests.
func (c *Changer) tellOfRest(ctx context.Context, until time.Time) error {
	node := c.cfg.Member.Node
	away := !until.IsZero() && time.Until(until) > c.cfg.Member.Times().Out
	if err := node.Rest(ctx, away); err != nil {
		return fmt.Errorf("rest: %w", err)
	}
	node.Tell(ctx)
	return nil
}

// wake ends a silence. c.changing is held, and the new footing is set.
func (c *Changer) wake() error {
	var err error
	if c.speak != nil {
		err = c.speak()
		c.speak = nil
	}
	c.cfg.Member.Node.SetSilent(false)
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.heard)
	if c.life == nil || c.life.Err() != nil {
		return err
	}
	var ctx context.Context
	ctx, c.wakes = context.WithCancel(c.life)
	c.bg.Go(func() { c.comeBack(ctx) })
	return err
}

// comeBack goes on in the shards of this node and tells the others.
func (c *Changer) comeBack(ctx context.Context) {
	if c.cfg.Shards.Wake(ctx) != nil {
		return
	}
	for range backTries {
		within, cancel := context.WithTimeout(ctx, backWithin)
		err := c.cfg.Member.Node.Back(within)
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

const (
	// leaveFor is how long an orderly end hands domains over to others.
	leaveFor = 20 * time.Second
	// returnFor is how long it waits for outcomes to get home before that.
	returnFor = 10 * time.Second
)

// Leave brings outcomes home and hands this node's domains to others: it is about to end.
func (c *Changer) Leave(ctx context.Context) {
	node := c.cfg.Member.Node
	alone := node.Members.Count() == 0 || len(node.Members.Neighbours(1)) == 0
	if alone || c.cfg.Gate.Now() == limits.Silent || c.cfg.Member.Doubled() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveFor)
	defer cancel()
	home, done := context.WithTimeout(ctx, returnFor)
	await(home, func() bool { return c.cfg.Waits() == 0 })
	done()
	if err := node.Leave(ctx, false); err != nil {
		c.cfg.Log.Warn("Others were not told that this node leaves", "error", err)
		return
	}
	c.cfg.Member.SetLayout()
	err := c.cfg.Shards.Leave(ctx)
	if err == nil {
		err = node.Leave(ctx, true)
	}
	if err != nil {
		c.cfg.Log.Warn("Not everything was handed over; it waits here for the next start", "error", err)
	}
}
