//go:build !items

package app

import (
	"context"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/oldswarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/route"
)

// acting is what keeps a partner's books while that one is down.
type acting struct {
	swarm *swarm.Swarm
	end   context.CancelFunc
	wg    sync.WaitGroup
}

// act keeps the books of a partner that is down.
func (l *logs) act(owner string, c *copyOf) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.life == nil || c.acting != nil {
		return
	}
	n := l.n
	n.log.Info("This node acts for a partner", "partner", peer.ID(owner).String())
	a := new(acting)
	router := &route.Router{Frontier: c.log.Frontier, Fetcher: nobody{}, Now: n.clock.Now}
	a.swarm = swarm.New(swarm.Config{
		Net: l.hub.Seat(owner, c.log.Leads), Frontier: c.log.Frontier, Router: router, Scope: n.scope, Now: n.clock.Now,
		Hurry: n.opts.hurried(), LeaseFor: n.frontier.LeaseFor(), Leaderless: l.anewAfter, Sync: n.syncArchive, Tell: n.tellSwarm, Log: n.log, Leads: c.log.Leads, Still: n.foot.still, Slow: n.foot.slow,
		Counts:  n.member.swarm.Tally(),
		Settled: func([]crawl.Outcome, []crawl.Lease) {}, Lost: func([]crawl.Outcome) {}, Keep: func([]crawl.Lease) error { return nil },
	})
	router.Others = a.swarm
	var ctx context.Context
	ctx, a.end = context.WithCancel(l.life)
	a.wg.Go(func() { a.swarm.Serve(ctx) })
	a.wg.Go(func() {
		select {
		case <-n.member.node.Joined():
			a.swarm.Open()
		case <-ctx.Done():
			return
		}
		if err := router.Serve(ctx); err != nil && ctx.Err() == nil {
			n.log.Error("Leases of a partner's domains are not granted", "error", err)
		}
	})
	c.acting = a
	c.log.Lead()
}

// stopActing ends to keep the books of a log.
func (c *copyOf) stopActing() {
	a := c.acting
	if a == nil {
		return
	}
	c.acting = nil
	a.end()
	a.wg.Wait()
}

// nobody is the fetcher of a log that this node acts for: its own asks as others do.
type nobody struct{}

func (nobody) Want() int                         { return 0 }
func (nobody) Wanting() <-chan struct{}          { return nil }
func (nobody) Take(crawl.Lease, time.Time)       {}
func (nobody) RefusesDomain(crawl.Domain) string { return "" }
