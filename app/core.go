package app

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/words"
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
		Settle: n.swarm.Settle, Log: n.log,
	}
}

func (n *Node) knownDelay(d crawl.Domain) time.Duration {
	return ledger.KnownDelay(n.db, n.rules, n.clock.Latest(), d)
}

// join starts what talks to others, and, when it is known who they are, the crawl.
func (n *Node) join(outer, work, routing *phase) {
	n.foot.Begin(outer.ctx)
	outer.run(n.member.Node.Serve)
	outer.run(n.foot.Serve)
	outer.run(n.member.ServeLayout)
	outer.run(n.watchMembers)
	outer.run(n.member.ServeTwins)
	outer.run(n.recalls.serve)
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
			n.log.Info("You are the first here: no other node was found. This one crawls on its own and goes on looking.")
		}
		if err := n.recovery().Run(ctx); err != nil {
			return err
		}
		n.joined.Store(true)
		routing.run(n.swarm.Serve)
		if err := n.enqueueSeeds(ctx); err != nil {
			return err
		}
		n.seeded.Store(true)
		work.run(n.claims.Serve)
		return n.claims.ServePages(ctx)
	})
}

// idle reports whether nothing is queued, leased or under way.
func (n *Node) idle() bool {
	if _, leases := n.pool.InFlight(); leases > 0 || !n.seeded.Load() || n.returning() > 0 || n.swarm.Unsure() > 0 {
		return false
	}
	idle, err := view(n.frontier, n.keeper.Idle)
	return idle && err == nil
}

// counter returns what counts the words of the next page for the search index, nil if they are not wanted.
func (n *Node) counter() *words.Counter {
	if n.finder == nil {
		return nil
	}
	return n.finder.Counter()
}

// indexSettings returns what the user wants of the search index.
func (n *Node) indexSettings() find.Settings {
	return library.SearchSettings(n.Keeper.Now().Index)
}

// indexStatus says how the search index stands.
func (n *Node) indexStatus() api.IndexStatus {
	if n.finder == nil {
		return api.IndexStatus{On: n.indexSettings().On}
	}
	return library.TellIndex(n.finder.Status())
}

// indexAllowed reports whether the user's limits allow that the search index is worked on beside what is fetched.
func (n *Node) indexAllowed() bool { return n.governor != nil && n.governor.Works() }
