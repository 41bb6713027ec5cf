package app

import (
	"context"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/nodeapi"
)

// startCore runs what commits.
func (n *Node) startCore(commits *phase) {
	commits.run(func(ctx context.Context) error {
		select {
		case <-n.member.Node.Joined():
		case <-ctx.Done():
			return nil
		}
		if err := n.founding.Decide(ctx); err != nil {
			return err
		}
		n.member.SetLayout()
		return n.driver.Serve(ctx)
	})
}

// recovery returns what settles that which an earlier run could not.
func (n *Node) recovery() *ledger.Recovery {
	return &ledger.Recovery{
		Archivist: n.archivist, Dir: n.opts.Paths.WARC(), Scope: n.scope, Rules: n.rules, Latest: n.clock.Latest,
		Settle: n.swarm.Settle, Log: n.opts.Log,
	}
}

// join starts what talks to others, and, when it is known who they are, the crawl.
func (n *Node) join(outer, work, routing *phase) {
	n.foot.Begin(outer.ctx)
	outer.run(n.member.Node.Serve)
	outer.run(n.foot.Serve)
	outer.run(n.member.ServeLayout)
	outer.run(func(ctx context.Context) error { return n.teller.WatchMembers(ctx, n.member.Node.Members) })
	outer.run(n.member.ServeTwins)
	outer.run(n.recaller.Serve)
	if n.opts.Lab == nil {
		outer.run(func(ctx context.Context) error {
			return n.member.ServeOwnNetwork(ctx, &n.ownNetwork, n.bandwidth.Names(bandwidth.Pages, nil))
		})
	}
	if membership.IsBootstrap(n.opts.Config) {
		return
	}
	work.run(func(ctx context.Context) error {
		select {
		case <-n.member.Node.Joined():
		case <-ctx.Done():
			return nil
		}
		if n.member.Node.Alone() {
			n.opts.Log.Info(
				"You are the first here: no other node was found. This one crawls on its own and goes on looking.")
		}
		if err := n.recovery().Run(ctx); err != nil {
			return err
		}
		n.joined.Store(true)
		routing.run(n.swarm.Serve)
		if err := n.seeds.bring(ctx); err != nil {
			return err
		}
		work.run(n.claims.Serve)
		return n.claims.ServePages(ctx)
	})
}

// idle reports whether nothing is queued, leased or under way.
func (n *Node) idle() bool {
	if _, leases := n.pool.InFlight(); leases > 0 || !n.seeds.in.Load() {
		return false
	}
	if n.swarm.Waiting() > 0 || n.swarm.Unsure() > 0 {
		return false
	}
	idle, err := nodeapi.Read(n.frontier, n.frontier.Frontier.Idle)
	return idle && err == nil
}
