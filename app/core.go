package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// core is what keeps the frontier: items that merge, and the shards that this node keeps.
type core struct {
	frontier         books
	keeper           *frontier.Frontier
	driver           *driver.Driver
	swarm            *swarm.Swarm
	ledger           *ledger.Ledger
	helped           stats.Helped
	stats.Counter    // of what the ledger brought
	*export.Exporter // of what is in it
	founding         *membership.Founding
	seeded           atomic.Bool // the seeds are where they belong
}

// openCore opens the frontier.
func (n *Node) openCore() error {
	untrap, err := scope.NewPatterns(n.opts.Config.Crawl.Untrap)
	if err != nil {
		return fmt.Errorf("crawl.untrap: %w", err)
	}
	n.keeper = frontier.New(frontier.Config{
		Untrapped: untrap.Match,
		Items:     swarm.Items{}, Politeness: n.politeness(), LeaseFor: n.opts.leaseFor(), Revisit: n.opts.revisit(), Budget: n.opts.budget(), Now: n.clock.Now, Calendar: n.clock.Latest,
	})
	n.frontier = books{db: n.db, f: n.keeper, leased: n.leased}
	n.ledger = ledger.New(ledger.Config{
		Archivist: n.archivist, Robots: n.robots, Stats: n.stats, Soon: func() { n.driver.CommitSoon() },
		Found: func() (urls, domains int) {
			found := n.swarm.TakeFound()
			return found.URLs, found.Domains
		},
		Also: func(tx *storage.Tx) error { return errors.Join(n.arbiter.commit(tx), saveClock(tx, n.clock)) },
		Tell: func(list []crawl.Outcome) {
			for _, o := range list {
				n.owner.tell(o)
			}
			n.countPages(list)
		},
	})
	n.owner = &owner{
		self: n.member.Node.Self(), clock: n.clock, journal: n.journal, meter: n.rate, sites: n.sites, latest: &n.picture.latest,
		own: &n.ownBytes, isOwn: n.claims.Lists, observe: n.observe, swarm: func() *swarm.Swarm { return n.swarm },
	}
	return nil
}

// makeSwarm joins frontier and fetchers with those of others.
func (n *Node) makeSwarm() error {
	self := crawl.PeerID(n.member.Node.Self())
	n.founding = &membership.Founding{DB: n.db, Member: n.member}
	n.swarm = swarm.New(swarm.Config{
		Self: self, DB: n.db, Frontier: n.keeper, Fetcher: n.pool, Loop: n, Owners: n.member.Owners, Admits: n.admits, Enqueues: n.foot.enqueues, Lends: n.foot.lends, Chance: rand.Uint64, Now: n.clock.Now,
		Here: n.member.Place.At, Place: n.member.Place.Told, Home: n.ledger.Add, Delay: n.knownDelay, Sync: n.syncArchive, Tell: n.tellSwarm, Log: n.log,
		Trusts: n.opts.Lab != nil && n.opts.Lab.Trusts, Established: n.established, Network: n.networkOf, Checked: n.recordCheck,
	})
	times := shard.RealTimes
	if n.opts.Lab != nil && !n.opts.Lab.RealTimes {
		times = shard.LabTimes
		times.Day = labDay
	}
	cfg := group.Config{Self: self, Times: times, Clock: driver.NewClock(n.clock.Latest), Directory: n.member.Layout,
		Stranger: func() bool { return !n.member.Node.Admission().Admitted }}
	n.swarm.Hooks(&cfg)
	d := driver.Config{
		Node: cfg, Store: n.db, Net: membership.Net{Node: n.member.Node}, Founder: n.founding.Is,
		BeforeCommit: n.syncArchive, InCommit: n.ledger.Commit, Log: n.log,
		Admit:   func(p crawl.PeerID) bool { return n.member.Node.IsMember(string(p)) },
		Trouble: func(err error) { n.governor.setTrouble(err) },
		Opened:  func(*group.Node) { n.governor.setTrouble(nil); n.swarm.Look() },
	}
	if n.opts.Sim == nil {
		d.Align = pulse.Until
	}
	if n.opts.hurried() {
		d.CommitEvery = hurriedCommit
	}
	n.driver = driver.New(d)
	n.member.Node.Handle(wire.KindKeeps, n.founding.Handle)
	n.member.Node.Handle(wire.KindWhy, n.inquiry.handle)
	return nil
}

// admits reports whether a link is one of this node's crawl, in its spelling.
func (n *Node) admits(l crawl.Outlink) bool {
	if l.Source > 0 {
		return n.scope.AdmitSource(l.URL)
	}
	u, ok := n.scope.Admit(l.URL, int(l.Depth))
	return ok && u == l.URL
}

// labDay is how long voters are out in a lab before the others found their group without them: longer than a split that is
// to show what one of hours does elsewhere.
const labDay = 4 * time.Minute

// hurriedCommit is how long items wait for others where there are no gaps. At a quarter, a page costs a twelfth more.
const hurriedCommit = 20 * time.Millisecond

// Do implements swarm.Loop.
func (n *Node) Do(ctx context.Context, do func(*group.Node) error) error { return n.driver.Do(ctx, do) }

// DoSoon implements swarm.Loop.
func (n *Node) DoSoon(do func(*group.Node)) bool { return n.driver.DoSoon(do) }

// Ask implements worker.Slots: the swarm is made after the pool.
func (n *Node) Ask(at netip.AddrPort, a worker.Ask) { n.swarm.Ask(at, a) }

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
	n.foot.begin(outer.ctx)
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
		return n.watchClaims(ctx)
	})
}

const (
	// leaveFor is how long an orderly end hands domains over to others.
	leaveFor = 20 * time.Second
	// returnFor is how long it waits for outcomes to get home before that.
	returnFor = 10 * time.Second
)

// leave brings outcomes home and hands this node's domains to others.
func (n *Node) leave(ctx context.Context) {
	if n.foot.isSilent() || n.member.Doubled() || n.member.Node.Members() == 0 || len(n.member.Node.Neighbours(1)) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveFor)
	defer cancel()
	home, done := context.WithTimeout(ctx, returnFor)
	await(home, n.isHome)
	done()
	if err := n.member.Node.Leave(ctx, false); err != nil {
		n.log.Warn("Others were not told that this node leaves", "error", err)
		return
	}
	n.member.SetLayout()
	err := n.driver.Leave(ctx)
	if err == nil {
		err = n.member.Node.Leave(ctx, true)
	}
	if err != nil {
		n.log.Warn("Not everything was handed over; it waits here for the next start", "error", err)
	}
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
	if last := n.lastGood.Load(); last != nil {
		return library.SearchSettings(last.Index)
	}
	return library.SearchSettings(n.opts.Config.Index)
}

// indexStatus says how the search index stands.
func (n *Node) indexStatus() api.IndexStatus {
	if n.finder == nil {
		return api.IndexStatus{On: n.indexSettings().On}
	}
	return library.TellIndex(n.finder.Status())
}

// indexAllowed reports whether the user's limits allow that the search index is worked on beside what is fetched.
func (n *Node) indexAllowed() bool { return n.governor != nil && n.governor.works() }
