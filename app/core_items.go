//go:build items

package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc"
)

// core is what keeps the frontier: items that merge, and the shards that this node keeps.
type core struct {
	frontier books
	keeper   *frontier.Frontier
	driver   *driver.Driver
	layout   *layout.Directory
	home     homecoming
}

type (
	memberSwarm  = *swarm.Swarm
	dropLimit    = frontier.Limit
	revisitTimes = frontier.Revisit
)

const (
	limitForeign, limitShape, limitFull = frontier.LimitForeign, frontier.LimitShape, frontier.LimitFull
	limitRetired, limitBrought          = frontier.LimitRetired, frontier.LimitBrought
	maxDropped                          = frontier.MaxDropped
)

// committed is what a transaction has brought.
type committed struct {
	Outcomes       []crawl.Outcome
	Found, Domains int
}

// totalCounts are the counts of a frontier.
type totalCounts struct {
	frontier.Totals
	Leases uint64
}

// domainInfo is what front ends show of a domain.
type domainInfo struct {
	frontier.DomainInfo
	Leased bool
}

// books reads a frontier.
type books struct {
	db *storage.DB
	f  *frontier.Frontier
}

func openBooks(db *storage.DB, steady *clock.Clock) books {
	return books{db, frontier.New(frontier.Config{Items: swarm.Items{}, Now: steady.Now, Calendar: steady.Latest})}
}

func view[T any](b books, fn func(tx *storage.Tx) (T, error)) (out T, err error) {
	err = b.db.View(func(tx *storage.Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	return out, err
}

// Totals returns the counts over all domains.
func (b books) Totals() (totalCounts, error) {
	return view(b, func(tx *storage.Tx) (totalCounts, error) {
		t, err := b.f.Totals(tx)
		return totalCounts{Totals: t}, err
	})
}

// Domains returns domains in the order of their names.
func (b books) Domains(after crawl.Domain, limit int) ([]domainInfo, error) {
	return view(b, func(tx *storage.Tx) ([]domainInfo, error) {
		list, err := b.f.Domains(tx, after, limit)
		infos := make([]domainInfo, len(list))
		for i, d := range list {
			infos[i].DomainInfo = d
		}
		return infos, err
	})
}

// Briefs, BriefsOf and FilterFill are as those of frontier.Frontier.
func (b books) Briefs(limit int) ([]frontier.Brief, error) {
	return view(b, func(tx *storage.Tx) ([]frontier.Brief, error) { return b.f.Briefs(tx, limit) })
}

func (b books) BriefsOf(domains []crawl.Domain) ([]frontier.Brief, error) {
	return view(b, func(tx *storage.Tx) ([]frontier.Brief, error) { return b.f.BriefsOf(tx, domains) })
}

func (b books) FilterFill(domains []crawl.Domain) (float64, error) {
	return view(b, func(tx *storage.Tx) (float64, error) { return b.f.FilterFill(tx, domains), nil })
}

// makeLogs prepares what knows whose a domain is.
func (n *Node) makeLogs() error {
	n.layout = layout.NewDirectory(crawl.PeerID(n.member.node.Self()))
	return nil
}

// openCore opens the frontier.
func (n *Node) openCore() error {
	n.keeper = frontier.New(frontier.Config{
		Items: swarm.Items{}, Politeness: n.politeness(), LeaseFor: n.opts.leaseFor(), Revisit: n.opts.revisit(), Now: n.clock.Now, Calendar: n.clock.Latest,
	})
	if err := n.db.Update(frontier.Create); err != nil {
		return fmt.Errorf("open the frontier: %w", err)
	}
	n.frontier = books{n.db, n.keeper}
	n.home.node = n
	n.owner = &owner{node: n, clock: n.clock, archivist: n.archivist, journal: n.journal, meter: n.rate, sites: n.sites, observe: n.observe}
	return nil
}

// groupSize is how many members keep a shard.
const groupSize = 3

func (n *Node) formerSelf(string) (string, error) { return "", nil }

func (n *Node) slots() worker.Slots { return nil }

// makeRouter makes nothing: the swarm grants leases.
func (n *Node) makeRouter() {}

// makeSwarm joins frontier and fetchers with those of others.
func (n *Node) makeSwarm() error {
	self := crawl.PeerID(n.member.node.Self())
	n.member.swarm = swarm.New(swarm.Config{
		Self: self, DB: n.db, Frontier: n.keeper, Fetcher: n.pool, Loop: n, Owners: n.owners, Chance: rand.Uint64, Now: n.clock.Now,
		Home: n.home.add, Sync: n.syncArchive, Log: n.log,
	})
	times := shard.RealTimes
	if n.opts.Lab != nil && !n.opts.Lab.RealTimes {
		times = shard.LabTimes
		times.Day = labDay
	}
	cfg := group.Config{Self: self, Times: times, Clock: driver.NewClock(n.clock.Latest), Directory: n.layout}
	n.member.swarm.Hooks(&cfg)
	d := driver.Config{
		Node: cfg, Store: n.db, Net: memberNet{n.member.node}, Founder: n.member.node.Alone,
		BeforeCommit: n.syncArchive, InCommit: n.home.commit, Log: n.log,
		Trouble: func(err error) { n.governor.setTrouble(err) },
		Opened:  func(*group.Node) { n.governor.setTrouble(nil) },
	}
	if n.opts.Sim == nil {
		d.Align = pulse.Until
	}
	n.driver = driver.New(d)
	return nil
}

// labDay is how long voters are out in a lab before the others found their group without them: longer than a split that is
// to show what one of hours does elsewhere.
const labDay = 4 * time.Minute

// Do implements swarm.Loop.
func (n *Node) Do(ctx context.Context, do func(*group.Node) error) error { return n.driver.Do(ctx, do) }

// owners returns the members that may act for domains.
func (n *Node) owners() []crawl.PeerID {
	var list []crawl.PeerID
	for _, m := range n.member.node.Ring().Members() {
		list = append(list, crawl.PeerID(m.ID))
	}
	return list
}

// watchLayout keeps the layout as the roster says, until ctx is done.
func (n *Node) watchLayout(ctx context.Context) error {
	timer := time.NewTicker(membersEvery)
	defer timer.Stop()
	for {
		n.setLayout()
		select {
		case <-ctx.Done():
			return nil
		case <-n.member.node.Changed():
		case <-timer.C:
		}
	}
}

const membersEvery = 2 * time.Second

func (n *Node) setLayout() {
	ring := n.member.node.Ring()
	units := make(map[string]int)
	for _, m := range ring.Members() {
		units[m.ID] = m.Units
	}
	self := n.member.node.Self()
	list := []layout.Member{{ID: crawl.PeerID(self), Units: units[self]}}
	for _, p := range n.member.node.Peers() {
		if p.Member {
			id := string(p.ID)
			list = append(list, layout.Member{ID: crawl.PeerID(id), Units: units[id], Out: p.Out || n.member.node.Left(id)})
		}
	}
	n.layout.Set(list)
}

// memberNet carries packets to other members.
type memberNet struct{ node *p2p.Node }

var laneKinds = [stream.NumLanes]wire.Kind{
	stream.LaneBeat: wire.KindBeat, stream.LaneAct: wire.KindAct, stream.LaneStream: wire.KindStream, stream.LanePull: wire.KindPull,
}

// Send implements driver.Net.
func (m memberNet) Send(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error {
	_, err := m.node.Call(ctx, string(to), laneKinds[lane], packet)
	return err
}

// Receive implements driver.Net.
func (m memberNet) Receive(take func(from crawl.PeerID, lane stream.Lane, packet []byte) error) {
	for lane, kind := range laneKinds {
		m.node.Handle(kind, func(_ context.Context, from string, body []byte) ([]byte, error) {
			return nil, take(crawl.PeerID(from), stream.Lane(lane), body)
		})
	}
}

// Offend implements driver.Net.
func (m memberNet) Offend(p crawl.PeerID, what string, weight int) {
	m.node.Offend(string(p), what, weight)
}

// homecoming are outcomes that are where they belong, and not in the statistics yet.
type homecoming struct {
	node *Node
	mu   sync.Mutex
	list []crawl.Outcome
}

func (h *homecoming) add(outcomes []crawl.Outcome) {
	h.mu.Lock()
	h.list = append(h.list, outcomes...)
	h.mu.Unlock()
	h.node.driver.CommitSoon()
}

// commit writes what belongs into the transaction that makes them durable here.
func (h *homecoming) commit(tx *storage.Tx) error {
	n := h.node
	h.mu.Lock()
	list := slices.Clone(h.list)
	h.mu.Unlock()
	if err := n.archivist.commit(tx, list); err != nil {
		return err
	}
	if err := n.robots.commit(tx); err != nil {
		return err
	}
	if err := n.arbiter.commit(tx); err != nil {
		return err
	}
	if err := saveClock(tx, n.clock); err != nil {
		return err
	}
	tx.OnCommit(func() {
		h.mu.Lock()
		h.list = slices.Delete(h.list, 0, len(list))
		h.mu.Unlock()
		for _, o := range list {
			n.archivist.settled(o.Task.ID)
			n.owner.tell(o)
		}
		n.countPages(list)
	})
	return n.stats.count(tx, time.Now(), committed{Outcomes: list})
}

// Settle implements worker.Owner.
func (w *owner) Settle(ctx context.Context, o crawl.Outcome) error {
	w.observe(&o)
	w.node.noteOwn(o.Domain, o.Received, o.Sent)
	return w.node.member.swarm.Settle(ctx, o)
}

// Release implements worker.Owner.
func (w *owner) Release(ctx context.Context, l crawl.Lease) error {
	return w.node.member.swarm.Release(ctx, l)
}

// startCore runs what commits.
func (n *Node) startCore(commits *phase) {
	commits.run(func(ctx context.Context) error {
		select {
		case <-n.member.node.Joined():
		case <-ctx.Done():
			return nil
		}
		n.setLayout()
		return n.driver.Serve(ctx)
	})
}

func (n *Node) received() int64   { return n.member.swarm.Taken() }
func (n *Node) returning() int    { return n.member.swarm.Waiting() }
func (n *Node) dueForOthers() int { return 0 }

func (n *Node) waiting(totalCounts) int64 { return int64(n.returning()) }
func (n *Node) moving(totalCounts) int64  { return 0 }

// countLogs counts the shards that this node leads, those of them that are whole, and those that it follows.
func (n *Node) countLogs() (led, whole, copies int64) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = n.driver.Do(ctx, func(g *group.Node) error {
		for _, v := range g.Look() {
			switch v.Role {
			case shard.Leader:
				if led++; len(v.Learners) == 0 && len(v.Voters) == len(n.layout.Line(v.Shard)) {
					whole++
				}
			case shard.Follower:
				copies++
			}
		}
		return nil
	})
	return led, whole, copies
}

func (n *Node) nextVisit() (time.Time, error) {
	return view(n.frontier, func(tx *storage.Tx) (time.Time, error) {
		p, err := n.keeper.Pick(tx, 1, func(crawl.Domain) bool { return false })
		return p.Next, err
	})
}

func (n *Node) sharedCounts() map[string]int64 { return nil }
func (n *Node) lent() (map[string]int, error)  { return nil, nil }
func (n *Node) lookForWork()                   { n.member.swarm.Look() }

func (n *Node) helping() map[crawl.Domain]string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	held, _ := n.member.swarm.Held(ctx)
	others := make(map[crawl.Domain]string)
	for d, by := range held {
		if string(by) != n.member.node.Self() {
			others[d] = string(by)
		}
	}
	return others
}

// enqueue brings a URL to whoever acts for its domain.
func (n *Node) enqueue(ctx context.Context, u crawl.URL, priority crawl.Priority) error {
	for {
		stored := make(chan bool, 1)
		err := n.driver.Do(ctx, func(g *group.Node) error {
			n.member.swarm.Seed(g, crawl.Outlink{URL: u, Priority: priority}, func(ok bool) { stored <- ok })
			return nil
		})
		if err == nil {
			select {
			case ok := <-stored:
				if ok {
					return nil
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(seedLook):
		}
	}
}

const (
	// seedLook is how long a seed waits that nobody takes.
	seedLook = 200 * time.Millisecond
	// seedsAtOnce is how many seeds are under way.
	seedsAtOnce = 64
)

// enqueueSeeds brings the seeds into the frontier; those it knows stay as they are.
func (n *Node) enqueueSeeds(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	room := make(chan struct{}, seedsAtOnce)
	for _, u := range n.opts.Seeds {
		if u = n.opts.identity().Of(u); !n.scope.Allows(u, 0) {
			continue
		}
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		all.Go(func() {
			_ = n.enqueue(ctx, u, crawl.PriorityHigh)
			<-room
		})
	}
	return nil
}

// join starts what talks to others, and, when it is known who they are, the crawl.
func (n *Node) join(outer, work, routing *phase) {
	n.foot.begin(outer.ctx)
	outer.run(n.member.node.Serve)
	outer.run(n.foot.Serve)
	outer.run(n.watchLayout)
	if n.isBootstrap() {
		return
	}
	work.run(func(ctx context.Context) error {
		select {
		case <-n.member.node.Joined():
		case <-ctx.Done():
			return nil
		}
		if n.member.node.Alone() {
			n.log.Info("You are the first here: no other node was found. This one crawls on its own and goes on looking.")
		}
		if err := n.settleFromArchive(ctx); err != nil {
			return err
		}
		n.joined.Store(true)
		routing.run(n.member.swarm.Serve)
		if err := n.enqueueSeeds(ctx); err != nil {
			return err
		}
		work.run(n.claims.Serve)
		return n.watchClaims(ctx)
	})
}

// recover has nothing to do before the node has joined.
func (n *Node) recover(context.Context) error { return nil }

// settleFromArchive settles what an earlier run fetched and could not bring home: outcomes and outlinks are read from the
// archive from the checkpoint on, so that nothing is requested a second time.
func (n *Node) settleFromArchive(ctx context.Context) error {
	from, err := n.archivist.start()
	if err != nil {
		return err
	}
	found, lease := 0, crawl.LeaseID(rand.Uint64()|1)
	err = warc.Scan(n.opts.Paths.WARC(), from, func(c warc.StoredCapture) error {
		u, err := crawl.ParseURL(c.URL)
		if len(c.Metadata) == 0 || err != nil { // no answer to a task
			return nil
		}
		task := crawl.Task{ID: crawl.TaskID(c.URL), URL: u, Depth: uint8(number(c.Metadata, fieldDepth)), Attempts: uint8(number(c.Metadata, fieldAttempt))}
		o, err := n.outcomeOf(c, crawl.Outcome{Lease: lease + crawl.LeaseID(found), Domain: u.Domain(), Granter: n.member.node.Self(), Task: task})
		if err != nil {
			n.log.Warn("Record in the archive cannot be used; the page will be fetched again", "url", c.URL, "error", err)
			return nil
		}
		found++
		n.archivist.note(n.archivist.begin(), c.Position, c.Capture, &o)
		return n.member.swarm.Settle(ctx, o)
	})
	if err != nil && ctx.Err() == nil {
		n.log.Warn("Archive is damaged; what could not be read will be fetched again", "error", err)
		err = nil
	}
	if found > 0 {
		n.log.Info("Recovered from an interrupted run", "pages_from_archive", found)
	}
	return err
}

// leave brings outcomes home and hands this node's domains to others.
func (n *Node) leave(ctx context.Context) {
	if n.foot.isSilent() || n.member.node.Members() == 0 || len(n.member.node.Neighbours(1)) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveFor)
	defer cancel()
	home, done := context.WithTimeout(ctx, returnFor)
	await(home, func() bool { return n.returning() == 0 })
	done()
	if err := n.member.node.Leave(ctx, false); err != nil {
		n.log.Warn("Others were not told that this node leaves", "error", err)
		return
	}
	n.setLayout()
	err := n.driver.Leave(ctx)
	if err == nil {
		err = n.member.node.Leave(ctx, true)
	}
	if err != nil {
		n.log.Warn("Not everything was handed over; it waits here for the next start", "error", err)
	}
}

// idle reports whether nothing is queued, leased or under way.
func (n *Node) idle() bool {
	if _, leases := n.pool.InFlight(); leases > 0 || !n.joined.Load() || n.returning() > 0 {
		return false
	}
	idle, err := view(n.frontier, n.keeper.Idle)
	return idle && err == nil
}

// watchHelped measures until ctx is done, and counts what meters say when no commit has.
func (n *Node) watchHelped(ctx context.Context) error {
	counted := time.Now()
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
			n.driver.CommitSoon()
		}
	}
}

// takes reports whether the node may begin to own domains.
func (f *footing) takes() bool {
	given := f.n.opts.Lab != nil && f.n.opts.Sim == nil && f.n.opts.Footing != FootingDuty
	if given || f.now() == FootingDuty {
		return true
	}
	t, err := f.n.frontier.Totals()
	return err == nil && t.Domains > 0
}

// needed returns the peers without which the books cannot be kept.
func (f *footing) needed() map[string]bool {
	needed := make(map[string]bool)
	for _, s := range f.n.layout.Mine() {
		for _, p := range f.n.layout.Line(s) {
			needed[string(p)] = true
		}
	}
	return needed
}

func (f *footing) leadAgain() { _ = f.n.driver.Wake(context.Background()) }

func (f *footing) flush(ctx context.Context) { _ = f.n.driver.Commit(ctx) }

// isHome reports whether all that was held is back where it belongs.
func (f *footing) isHome() bool { return f.isIdle() && f.n.returning() == 0 }

// restWithin is how long a node hands over at most before it is silent.
const restWithin = time.Second

// handOver has others lead, and falls silent.
func (f *footing) handOver(ctx context.Context) {
	within := restWithin
	if end, is := ctx.Deadline(); is {
		within = time.Until(end)
	}
	long, cancel := context.WithTimeout(context.WithoutCancel(ctx), within+restWithin)
	defer cancel()
	_ = f.n.driver.Rest(long, within)
}

func (f *footing) tellPartners(context.Context) int64 { return 0 }

func (f *footing) isBack() bool { return true }
