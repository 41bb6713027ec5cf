//go:build !items

package app

import (
	"context"
	"errors"
	"time"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/oldswarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/crawl/route"
	"github.com/forage-net/forage/storage"
)

// core is what keeps the frontier: this node's log and those of partners.
type core struct {
	frontier books
	kept     *keptLog // the same, and who keeps its log
	logs     *logs
	router   *route.Router
	unnoted  unnoted

	tidied     time.Time // when what is counted of leases was tidied last; of watchHelped alone, as overLeases
	overLeases []heldCounted
}

// What front ends show of a frontier.
type (
	books        = *frontier.Frontier
	totalCounts  = frontier.Totals
	domainInfo   = frontier.DomainInfo
	committed    = frontier.Committed
	dropLimit    = frontier.Limit
	memberSwarm  = *swarm.Swarm
	revisitTimes = frontier.Revisit
	urlBudget    = frontier.Budget
	swarmEvent   = swarm.Event
)

const (
	limitForeign, limitShape, limitFull = frontier.LimitForeign, frontier.LimitShape, frontier.LimitFull
	limitRetired, limitBrought          = frontier.LimitRetired, frontier.LimitBrought
	maxDropped                          = frontier.MaxDropped
)

// openBooks opens the frontier of a node that does not run.
func openBooks(db *storage.DB, _ *clock.Clock) books { return frontier.OpenReadOnly(db, logID) }

// openCore opens the frontier.
func (n *Node) openCore() (err error) {
	n.kept, err = openKept(n.db, n.clock, n.logs.groups, n.logs.self, frontier.Config{
		LogID: logID, Politeness: n.politeness(), Members: groupSize, LeaseFor: n.opts.leaseFor(), Revisit: n.opts.revisit(), Budget: n.opts.budget(), Now: n.clock.Now, Calendar: n.clock.Latest,
		Owns: n.owns, Ask: n.asksFirst,
		BeforeCommit: n.syncArchive, Hungry: n.hungry, InCommit: n.inCommit, AppliedLate: n.appliedLate, Trouble: func(err error) { n.governor.setTrouble(err) },
	})
	if err != nil {
		return err
	}
	n.frontier = n.kept.Frontier
	n.owner = &owner{node: n, clock: n.clock, archivist: n.archivist, journal: n.journal, meter: n.rate, sites: n.sites, observe: n.observe}
	return n.logs.open()
}

// startCore runs what commits.
func (n *Node) startCore(commits *phase) { commits.run(n.frontier.Serve) }

// received counts what others sent.
func (n *Node) received() int64 { return n.member.swarm.Received() }

// returning returns how many outcomes are on their way to others.
func (n *Node) returning() int { return n.member.swarm.Returning() }

// waiting returns what is on its way to others, and moving how many domains are.
func (n *Node) waiting(t totalCounts) int64 { return int64(t.Outbox) + int64(n.returning()) }
func (n *Node) moving(t totalCounts) int64  { return int64(t.Closing + t.Arriving) }

// countLogs is logs.count.
func (n *Node) countLogs() (led, whole, copies int64) { return n.logs.count() }

// nextVisit returns when the next domain is due.
func (n *Node) nextVisit() (time.Time, error) {
	picked, err := n.frontier.Pick(1, func(crawl.Domain) bool { return false })
	return picked.Next, err
}

// sharedCounts counts what went between members.
func (n *Node) sharedCounts() map[string]int64 {
	counts := make(map[string]int64)
	for kind, c := range n.member.swarm.Counts() {
		counts[string(kind)] = c
	}
	return counts
}

// lent counts the leases that others work.
func (n *Node) lent() (map[string]int, error) { return n.frontier.LentLeases() }

// helping returns the domains that are fetched for others.
func (n *Node) helping() map[crawl.Domain]string { return n.member.swarm.Held() }

// lookForWork has the swarm look again.
func (n *Node) lookForWork() { n.member.swarm.Look() }

// inCommit writes what belongs into the transaction that settles outcomes.
func (n *Node) inCommit(tx *storage.Tx, c frontier.Committed) error {
	if err := n.archivist.commit(tx, c.Outcomes); err != nil {
		return err
	}
	if err := n.robots.commit(tx); err != nil {
		return err
	}
	if err := n.arbiter.commit(tx); err != nil {
		return err
	}
	tx.OnCommit(func() { n.countPages(c.Outcomes) })
	return n.stats.count(tx, time.Now(), c)
}

// makeRouter makes what grants the leases of the frontier to the fetchers.
func (n *Node) makeRouter() {
	n.router = &route.Router{Frontier: n.frontier, Fetcher: n.pool, First: n.claims.First, Now: n.clock.Now}
}

// makeSwarm joins frontier and fetchers with those of others.
func (n *Node) makeSwarm() error {
	n.member.swarm = swarm.New(swarm.Config{
		Net: n.logs.hub.Seat(n.logs.self, n.frontier.Leads), Leads: n.frontier.Leads, Frontier: n.frontier, Router: n.router, Fetcher: n.pool, Scope: n.scope, Now: n.clock.Now,
		Hurry: n.opts.hurried(), LeaseFor: n.frontier.LeaseFor(), Leaderless: n.logs.anewAfter, Refuses: func(d crawl.Domain) string { return n.refusals().Domain(d) },
		First: n.claims.First, Still: n.foot.still, Slow: n.foot.slow, Keep: n.keepHeld, Settled: n.settledElsewhere, Lost: n.lostElsewhere, Sync: n.syncArchive, Tell: n.tellSwarm, Log: n.log,
	})
	n.router.Others = n.member.swarm
	return nil
}

// dueForOthers returns how many domains wait for a fetcher elsewhere.
func (n *Node) dueForOthers() int {
	if n.router == nil {
		return 0
	}
	return n.router.Due()
}

// owns reports whether a domain belongs to this node.
func (n *Node) owns(d crawl.Domain) bool { return n.member.swarm == nil || n.member.swarm.Owns(d) }

// asksFirst reports whether others must be asked before a domain is begun.
func (n *Node) asksFirst() bool { return n.member.swarm != nil && n.member.swarm.AsksFirst() }

// join starts what talks to others, and, when it is known who they are, the
// crawl.
func (n *Node) join(outer, work, routing *phase) {
	n.foot.begin(outer.ctx)
	outer.run(n.member.node.Serve)
	outer.run(n.foot.Serve)
	outer.run(n.watchMembers)
	outer.run(n.logs.Serve)
	outer.run(n.logs.trustStore)
	outer.run(n.member.swarm.Serve)
	if n.isBootstrap() {
		return
	}
	work.run(func(ctx context.Context) error {
		select {
		case <-n.logs.trusted:
		case <-ctx.Done():
			return nil
		}
		if n.member.node.Alone() {
			n.log.Info("You are the first here: no other node was found. This one crawls on its own and goes on looking.")
		}
		n.member.swarm.Open()
		n.joined.Store(true)
		routing.run(n.router.Serve)
		if err := n.enqueueSeeds(ctx); err != nil {
			return err
		}
		work.run(n.claims.Serve)
		return n.watchClaims(ctx)
	})
}

// leave brings outcomes home and hands this node's domains to others. What
// cannot be handed over in time stays in its store.
func (n *Node) leave(ctx context.Context) {
	if n.foot.isSilent() || n.logs.doubled.Load() { // everything stays as it is until the next start; the other has not left
		return
	}
	if n.member.node.Members() == 0 || len(n.member.node.Neighbours(1)) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveFor)
	defer cancel()
	n.returnOutcomes(ctx)
	if err := n.member.node.Leave(ctx, false); err != nil {
		n.log.Warn("Others were not told that this node leaves", "error", err)
		return
	}
	err := n.member.swarm.Leave(ctx)
	n.logs.leave(ctx)
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, swarm.ErrSlots) {
		n.log.Warn("Not all domains could be handed over; they wait here for the next start", "after", leaveFor)
		return
	}
	if err == nil {
		err = n.member.node.Leave(ctx, true)
	}
	if errors.Is(err, swarm.ErrSlots) {
		n.log.Warn("Others take this node for one that has gone without a word", "error", err)
	} else if err != nil {
		n.log.Warn("Domains not handed over; they wait here for the next start", "error", err)
	}
}

// returnOutcomes waits until what was fetched for others is home.
func (n *Node) returnOutcomes(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, returnFor)
	defer cancel()
	for n.member.swarm.Returning() > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// idle reports whether nothing is queued, leased or under way.
func (n *Node) idle() bool {
	if _, leases := n.pool.InFlight(); leases > 0 || !n.joined.Load() || n.member.swarm.Returning() > 0 {
		return false
	}
	led := n.logs.led()
	if led[n.logs.self] == nil {
		return false // somebody acts for this node, for a moment
	}
	for _, f := range led {
		if idle, err := f.Idle(); !idle || err != nil {
			return false
		}
	}
	return true
}

// tidyEvery is longer than outcomes are told again that nobody has answered.
const tidyEvery = 15 * time.Minute

// countMeters counts what meters say that no commit has.
func (n *Node) countMeters(now time.Time) {
	n.noteUnnoted()
	err := n.countRest()
	if now.Sub(n.tidied) >= tidyEvery {
		var tidyErr error
		n.overLeases, tidyErr = n.tidy(n.overLeases)
		n.tidied, err = now, errors.Join(err, tidyErr)
	}
	if err != nil {
		n.log.Warn("Time and bytes of the last minutes are not in the statistics yet", "error", err)
	}
}
