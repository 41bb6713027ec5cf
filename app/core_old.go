//go:build !items

package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/oldswarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/crawl/route"
	"github.com/forage-net/forage/p2p/calls"
	group "github.com/forage-net/forage/p2p/oldgroup"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc"
)

// core is what keeps the frontier: this node's log and those of partners.
type core struct {
	frontier books
	kept     *keptLog // the same, and who keeps its log
	logs     *logs
	router   *route.Router
	unnoted  unnoted
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

// enqueue brings a URL into the frontier.
func (n *Node) enqueue(ctx context.Context, u crawl.URL, priority crawl.Priority) error {
	link := frontier.Link{URL: u.String(), Priority: priority}
	return n.proposeOnceLed(ctx, frontier.Entry{Enqueue: &frontier.Enqueue{Links: []frontier.Link{link}}})
}

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

// enqueueSeeds brings the seeds into the frontier; those it knows stay as they are.
func (n *Node) enqueueSeeds(ctx context.Context) error {
	var links []frontier.Link
	propose := func() error {
		err := n.proposeOnceLed(ctx, frontier.Entry{Enqueue: &frontier.Enqueue{Links: links}})
		links = links[:0]
		return err
	}
	for _, u := range n.opts.Seeds {
		u = n.opts.identity().Of(u)
		if !n.scope.Allows(u, 0) {
			continue
		}
		links = append(links, frontier.Link{URL: u.String(), Priority: crawl.PriorityHigh})
		if len(links) == seedBatch {
			if err := propose(); err != nil {
				return fmt.Errorf("enqueue seeds: %w", err)
			}
		}
	}
	if len(links) > 0 {
		if err := propose(); err != nil {
			return fmt.Errorf("enqueue seeds: %w", err)
		}
	}
	return nil
}

// proposeOnceLed proposes entries when this node leads its log, which may be soon:
// whoever acted for it while it was down gives way.
func (n *Node) proposeOnceLed(ctx context.Context, entries ...frontier.Entry) error {
	for {
		_, err := n.frontier.Propose(ctx, entries...)
		if !errors.Is(err, frontier.ErrNotLed) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(ledLook):
		}
	}
}

// ledLook is how often it is looked whether this node leads its log.
const ledLook = 200 * time.Millisecond

// recover settles what an earlier run fetched and could not settle: it reads
// the archive from the checkpoint on and takes outcomes and outlinks from the
// records, so that nothing is requested a second time. Then it gives back the
// leases that run held, those that others granted too.
func (n *Node) recover(ctx context.Context) error {
	leases, err := n.frontier.Leases()
	if err != nil {
		return fmt.Errorf("read leases: %w", err)
	}
	leases = slices.DeleteFunc(leases, func(l frontier.LiveLease) bool { return l.Holder != "" }) // others work on
	held, err := n.heldLeases()
	if err != nil {
		return fmt.Errorf("read leases of others: %w", err)
	}
	if err := n.tidyAtStart(held); err != nil {
		return fmt.Errorf("forget what is counted: %w", err)
	}
	if len(leases)+len(held) == 0 {
		return nil
	}
	open := make(map[string]crawl.Outcome)
	if n.frontier.Shared() {
		if held, err = n.asHeld(leases, held); err != nil {
			return fmt.Errorf("read leases: %w", err)
		}
		leases = nil
	}
	for _, l := range held {
		for i, t := range l.Tasks {
			if !t.URL.IsZero() {
				open[t.URL.String()] = crawl.Outcome{Lease: l.ID, Domain: l.Domain, Granter: l.Granter, Index: i, Task: t}
			}
		}
	}
	for _, l := range leases {
		for _, t := range l.Tasks {
			open[t.URL.String()] = crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: t}
		}
	}
	found, err := n.settleFromArchive(ctx, open)
	if err != nil {
		return err
	}
	for _, l := range held {
		for _, t := range l.Tasks {
			if !t.URL.IsZero() {
				_, rules, _ := n.rules.Get(n.clock.Latest(), t.URL.Origin())
				l.CrawlDelay = rules.CrawlDelay()
				break
			}
		}
		n.member.swarm.Release(l)
	}
	entries := make([]frontier.Entry, len(leases))
	for i, l := range leases {
		entries[i].Release = &frontier.Release{Lease: l.ID, Domain: l.Domain}
		if len(l.Tasks) > 0 { // a request may have been under way
			_, rules, _ := n.rules.Get(n.clock.Latest(), l.Tasks[0].URL.Origin())
			entries[i].Release.CrawlDelay = rules.CrawlDelay()
		}
	}
	if len(entries) > 0 {
		if _, err := n.frontier.Propose(ctx, entries...); err != nil {
			return fmt.Errorf("give leases back: %w", err)
		}
	}
	n.log.Info("Recovered from an interrupted run", "leases", len(leases)+len(held), "pages_from_archive", found)
	return nil
}

// asHeld adds this node's own leases to those of others: its log is kept by others
// too, and whoever leads it now is to be told. Tasks that are settled have no URL.
func (n *Node) asHeld(own []frontier.LiveLease, held []crawl.Lease) ([]crawl.Lease, error) {
	for _, l := range own {
		granted, ok, err := n.frontier.Leased(l.ID, l.Domain)
		if err != nil {
			return nil, err
		}
		if ok {
			held = append(held, crawl.Lease{ID: l.ID, Domain: l.Domain, Granter: n.member.node.Self(), Tasks: granted.Tasks})
		}
	}
	return held, nil
}

func (n *Node) settleFromArchive(ctx context.Context, open map[string]crawl.Outcome) (found int, err error) {
	from, err := n.archivist.start()
	if err != nil {
		return 0, err
	}
	err = warc.Scan(n.opts.Paths.WARC(), from, func(c warc.StoredCapture) error {
		claim, ok := open[c.URL]
		if len(c.Metadata) == 0 { // no answer to a task
			return nil
		}
		if !ok || number(c.Metadata, fieldAttempt) != int(claim.Task.Attempts) || isOfPrior(c, claim.Task.Prior) {
			return nil // settled, or an attempt or an earlier visit that is
		}
		o, err := n.outcomeOf(c, claim)
		if err != nil {
			n.log.Warn("Record in the archive cannot be used; the page will be fetched again", "url", c.URL, "error", err)
			return nil
		}
		delete(open, c.URL)
		if o.Granter != "" && !n.member.swarm.SettleAtStart(o) {
			n.log.Warn("More was fetched for others than can be told of at once; the page will be fetched again", "url", c.URL)
			return nil
		}
		found++
		n.archivist.note(n.archivist.begin(), c.Position, c.Capture, &o)
		if o.Granter != "" {
			return nil
		}
		return n.owner.settle(ctx, o)
	})
	if errors.Is(err, warc.ErrTorn) || errors.Is(err, warc.ErrFormat) {
		n.log.Warn("Archive is damaged; what could not be read will be fetched again", "error", err)
		err = nil
	}
	return found, err
}

// Settle implements worker.Owner.
func (w *owner) Settle(ctx context.Context, o crawl.Outcome) error {
	w.observe(&o)
	w.node.noteOwn(o.Domain, o.Received, o.Sent)
	if o.Granter != "" {
		return w.node.member.swarm.Settle(ctx, o)
	}
	return w.settle(ctx, o)
}

// settle is Settle for what an earlier run fetched.
func (w *owner) settle(ctx context.Context, o crawl.Outcome) error {
	return w.node.frontier.Settle(ctx, o, func(a frontier.Applied, err error) {
		if errors.Is(err, frontier.ErrNotLed) { // who acts for this node is told as anybody's owner is
			o.Granter = w.node.member.node.Self()
			w.node.member.swarm.Forward(o)
			return
		}
		w.archivist.settled(o.Task.ID)
		if a.Settled {
			w.tell(o)
		}
	})
}

// Release implements worker.Owner.
func (w *owner) Release(ctx context.Context, l crawl.Lease) error {
	if l.Granter != "" {
		w.node.member.swarm.Release(l)
		return nil
	}
	return w.node.frontier.Release(ctx, l, func(err error) {
		if errors.Is(err, frontier.ErrNotLed) {
			l.Granter = w.node.member.node.Self()
			w.node.member.swarm.Release(l)
		}
	})
}

// leadAgain has the groups look for leaders.
func (f *footing) leadAgain() {
	for _, g := range f.n.logs.groups.All() {
		if !g.Leads() { // who led it may lead it no more; who does is heard soon
			g.LeaderDown()
		}
	}
}

// flush commits what waits for company.
func (f *footing) flush(ctx context.Context) {
	if _, err := f.n.frontier.Propose(ctx); err != nil {
		f.n.log.Debug("Own leases not given back yet", "error", err)
	}
}

// isHome reports whether all that was held is back where it belongs, for good.
func (f *footing) isHome() bool {
	if !f.isIdle() || f.n.member.swarm.Returning() > 0 {
		return false
	}
	if !f.n.frontier.Leads() {
		return true
	}
	list, err := f.n.frontier.Leases()
	return err != nil || !slices.ContainsFunc(list, func(l frontier.LiveLease) bool { return l.Holder == "" })
}

// handOver has partners lead the logs that this node leads.
func (f *footing) handOver(ctx context.Context) {
	var all sync.WaitGroup
	for _, g := range f.n.logs.groups.All() {
		if g.Leads() && g.Shared() {
			all.Go(func() { f.n.logs.handOver(ctx, g) })
		}
	}
	all.Wait()
}

// tellPartners brings this node's record to all that keep logs with it, and returns how
// many logs still need its vote, or it does not know.
func (f *footing) tellPartners(ctx context.Context) (left int64) {
	node := f.n.member.node
	record := node.Record()
	if record == nil {
		return 0
	}
	partners := make(map[string]bool)
	for _, g := range f.n.logs.groups.All() {
		for _, m := range g.Status().Members {
			if m.Peer != f.n.logs.self && !node.Down(m.Peer) {
				partners[m.Peer] = true
			}
		}
	}
	var all sync.WaitGroup
	var failed atomic.Int64
	for p := range partners {
		all.Go(func() {
			raw, err := node.Call(ctx, p, wire.KindRest, wire.Encode(&wire.Rest{Record: record}))
			if err != nil {
				failed.Add(1)
				return
			}
			if answer, err := wire.Decode[wire.Rested](raw); err == nil {
				failed.Add(int64(answer.Logs))
			}
		})
	}
	all.Wait()
	return failed.Load()
}

// handleRest takes note that a member rests, or is back: the logs that this node leads
// do without its vote, or bring it what it lacks.
func (l *logs) handleRest(ctx context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Rest](body)
	if err != nil {
		return nil, &calls.Lie{What: "rest", Weight: 20}
	}
	node := l.n.member.node
	node.Learn(from, m.Record)
	ctx, cancel := context.WithTimeout(ctx, restAnswer)
	defer cancel()
	var all sync.WaitGroup
	var left atomic.Int64
	for _, g := range l.groups.All() {
		if !g.Leads() {
			continue
		}
		switch is, votes := memberOf(g, from); {
		case is && !node.Rests(from):
			g.Wake()
		case votes && node.Rests(from):
			all.Go(func() {
				if err := demote(ctx, g, from); err != nil {
					left.Add(1)
					l.n.log.Debug("A member rests, but its vote is still needed", "owner", peer.ID(g.Log()).String(), "error", err)
				}
			})
		}
	}
	all.Wait()
	return wire.Encode(&wire.Rested{Logs: uint16(min(left.Load(), wire.MaxLogs))}), nil
}

// memberOf reports whether a peer keeps a log, and has a vote.
func memberOf(g *group.Group, p string) (is, votes bool) {
	for _, m := range g.Status().Members {
		if m.Peer == p {
			return true, m.Voter
		}
	}
	return false, false
}

// demote makes a voter a learner. While another change is under way, it waits.
func demote(ctx context.Context, g *group.Group, p string) error {
	for {
		err := g.Demote(ctx, p)
		if !errors.Is(err, group.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(restLook):
		}
	}
}

// isBack reports whether this node has a vote in all logs that it keeps.
func (f *footing) isBack() bool {
	node := f.n.member.node
	if node.State(f.n.logs.self) != roster.StateActive {
		return false
	}
	for _, g := range f.n.logs.groups.All() {
		if _, votes := memberOf(g, f.n.logs.self); !votes {
			return false
		}
	}
	return true
}

// takes reports whether the node may begin to own domains. On standby it would be long until it has them all, and nobody
// visits those that it has not; but who still has domains goes on with them. A lab that gives nodes their footing has them own with it.
func (f *footing) takes() bool {
	given := f.n.opts.Lab != nil && f.n.opts.Sim == nil && f.n.opts.Footing != FootingDuty
	if given || f.now() == FootingDuty {
		return true
	}
	if f.n.frontier == nil || !f.n.frontier.Leads() {
		return false
	}
	t, err := f.n.frontier.Totals()
	return err == nil && t.Domains > t.Unasked
}

// needed returns the peers without which the books cannot be kept: those that keep logs
// with this node, and those that hold leases of them.
func (f *footing) needed() map[string]bool {
	needed := make(map[string]bool)
	for _, g := range f.n.logs.groups.All() {
		for _, m := range g.Status().Members {
			needed[m.Peer] = true
		}
	}
	for _, led := range f.n.logs.led() {
		list, err := led.Leases()
		if err != nil {
			f.n.log.Debug("Leases not read", "error", err)
		}
		for _, l := range list {
			needed[l.Holder] = true
		}
	}
	return needed
}

// watchHelped measures until ctx is done, and counts what meters say when no commit has.
func (n *Node) watchHelped(ctx context.Context) error {
	if n.opts.Sim != nil {
		return nil // time costs nothing there
	}
	counted, tidied := time.Now(), time.Now()
	var over []heldCounted
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-time.After(pulse.Until(n.unhurried(lookIfHelpingEvery))):
			n.helped.look(now, n.isHelping())
			if now.Sub(counted) < countEvery {
				continue
			}
			counted = now
			n.noteUnnoted()
			err := n.countRest()
			if now.Sub(tidied) >= tidyEvery {
				var tidyErr error
				over, tidyErr = n.tidy(over)
				tidied, err = now, errors.Join(err, tidyErr)
			}
			if err != nil {
				n.log.Warn("Time and bytes are not in the statistics for now", "error", err)
			}
		}
	}
}
