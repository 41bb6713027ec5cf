package app

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/footing"
	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/pace"
	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// Node is a running forage. Its methods are safe for concurrent use.
type Node struct {
	opts    Options
	log     *slog.Logger
	bootID  string
	token   string
	started time.Time

	files
	late
	tally
	stats.Counter
	*export.Exporter
	*never.Refuser
	*library.Library
	*limiter.Arbiter
	*settings.Keeper
	*absence
	inquiry

	frontier   books
	keeper     *frontier.Frontier
	scope      *scope.Scope
	rules      *robots.Cache
	ledger     *ledger.Ledger
	finder     *find.Finder // nil if there is no search index
	claims     *claims.Own  // on the user's own sites
	client     *fetch.Client
	ownNetwork fetch.OwnNetwork
	owner      *owner
	pool       *worker.Pool
	governor   *limiter.Governor
	pacer      *pace.Pacer
	bandwidth  *bandwidth.Budget
	gate       *footing.Gate
	member     *membership.Member
	founding   *membership.Founding
	recalls    *recalls
	seeded     atomic.Bool // the seeds are where they belong
	picture    ringPicture

	stop      chan struct{} // closed by Stop
	stopOnce  atomic.Bool
	erasing   atomic.Bool // Close shall erase
	erased    bool        // it has erased everything
	again     atomic.Bool // and the node is to be started again
	examining sync.Mutex  // held by Doctor
}

// tally is what a node counts while it runs.
type tally struct {
	stats     *stats.Statistics
	helped    stats.Helped
	journal   *journal
	meter     fetch.Meter
	health    health.Tracker
	rate      *rateMeter
	sites     *recentSites
	base      totals       // before this start
	pages     atomic.Int64 // fetched since ever
	fruitless atomic.Int64 // requests in a row that brought no page
}

// totals are bytes on the wire.
type totals struct{ received, sent, pages int64 }

// New opens the store and the archive and wires the parts of a node. Nothing
// leaves the machine before Serve. If the home is in use the error is
// storage.ErrLocked. Close must be called in the end.
func New(opts Options) (*Node, error) {
	n := &Node{
		opts: opts, log: opts.Log, bootID: api.NewBootID(), token: api.NewToken(), started: time.Now(),
		stop:  make(chan struct{}),
		pacer: pace.New(pace.Options{}), bandwidth: bandwidth.New(),
	}
	if err := n.assemble(); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// assemble makes the parts in the order in which they depend on each other. What runs the other way goes through late,
// or through a function that is not called before Serve.
func (n *Node) assemble() (err error) {
	o, late := &n.opts, &n.late
	if err := o.Paths.CheckArchive(); err != nil {
		return err
	}
	if err := finishErase(o); err != nil {
		return err
	}
	n.files.opts = o
	if err := n.files.open(); err != nil {
		return err
	}
	if err := n.tally.open(n.db, n.bootID, n.log); err != nil {
		return err
	}
	n.stats.Meters, n.Counter = n.readMeters, stats.NewCounter(n.db)
	if n.scope, err = newScope(o); err != nil {
		return err
	}
	politeness := o.politeness()
	politeness.Slow = n.slow
	if n.keeper, err = newFrontier(o, n.clock, politeness); err != nil {
		return err
	}
	n.frontier = books{db: n.db, f: n.keeper, leased: late.leased}

	calls := new(calls.Meter)
	n.gate = newGate(o, calls, n.pacer)
	if n.member, err = newMember(o, n.db, n.bandwidth, n.gate, calls, n.takes); err != nil {
		return err
	}
	self := crawl.PeerID(n.member.Node.Self())
	n.founding = &membership.Founding{DB: n.db, Member: n.member}
	n.recalls = newRecalls(o, n.member, func() { n.Arbiter.Wake() })
	if n.Refuser, err = never.New(never.Config{
		File: o.Paths.Config, Settings: o.Config, Lab: o.Lab != nil, Domains: n.Domains, Tell: n.journal.add,
		Log: n.log,
	}); err != nil {
		return err
	}
	n.rules = robots.NewCache(n.robots, 0)
	n.claims = claims.OpenOwn(n.claimsConfig(self), claims.Domains(o.Config.Sites.Mine))
	n.stats.Own = n.claims.Lists
	n.finder = openFinder(o, find.Config{Settings: n.indexSettings, Allowed: n.indexAllowed, Hidden: n.Refuses})
	n.archivist.Finder = n.finder
	n.Library = library.Live(o.Paths, n.Refuses, n.finder)
	n.Exporter = export.NewExporter(export.ExporterConfig{Paths: o.Paths, Node: n, Log: n.log})
	if o.Sim == nil {
		if n.absence, err = openAbsence(n.db, n.Library, n.log, time.Now()); err != nil {
			return err
		}
		n.stats.Away = n.absence.count
	}

	n.ledger = ledger.New(ledger.Config{
		Archivist: n.archivist, Robots: n.robots, Stats: n.stats, Soon: late.commitSoon, Found: late.takeFound,
		Tell: n.tellOutcomes,
		Also: func(tx *storage.Tx) error { return errors.Join(n.Arbiter.Commit(tx), n.clock.Save(tx)) },
	})
	n.owner = &owner{
		self: string(self), clock: n.clock, journal: n.journal, meter: n.rate, sites: n.sites,
		latest: &n.picture.latest,
		own:    n.claims, observe: n.observe, late: late,
	}
	if n.client, err = newClient(o, &n.meter, &n.ownNetwork, n.bandwidth); err != nil {
		return err
	}
	n.inquiry = inquiry{
		late: late, frontier: n.frontier, keeper: n.keeper, member: n.member, now: n.clock.Now,
		whyGround: whyGround{
			refusals: n.Refusals, scope: n.scope, rules: n.rules, identity: o.identity(), calendar: n.clock.Latest,
		},
	}
	pace := n.pacer.Wait
	if o.Sim != nil { // there, time does not pass while something is computed
		pace = nil
	}
	n.pool = worker.New(worker.Config{
		Client: n.client, Robots: n.rules, Scope: n.scope, Archive: n.archivist, Owner: n.owner,
		Politeness: politeness, Lab: o.Lab != nil, Fetchers: o.Config.Limits.Budget.Full.Fetchers,
		PagesPerMin: o.pagesPerMin(),
		Now:         n.clock.Now, Latest: n.clock.Latest, RobotsRead: n.robotsRead, Requested: n.requested(),
		Log:     n.log,
		Trouble: func(err error) { n.governor.ArchiveFailed(err) }, Challenged: health.Challenged,
		Refuses:       func(u crawl.URL) string { return n.Refusals().Reason(u) },
		RefusesDomain: func(d crawl.Domain) string { return n.Refusals().Domain(d) },
		First:         n.claims.Proved, Archived: n.archivist.Has, Words: n.counter, Pace: pace, Slots: late,
	})
	n.governor = limiter.NewGovernor(n.pool, n.tellState, o.rules().Follow(), o.Footing)
	n.archivist.Works = n.governor.ArchiveWorks
	if n.Arbiter, err = limiter.New(limiter.Config{
		Rules: o.rules(), Settings: o.Config, Sense: o.Sense, Archive: o.Paths.WARC(), Sim: o.Sim != nil,
		DB: n.db, Clock: n.clock, Log: n.log, Gate: n.gate, Governor: n.governor, Fetchers: n.pool, Sites: n.client,
		Pacer:     n.pacer,
		Bandwidth: n.bandwidth, Archived: n.archive.Size,
		Room:   func() (int64, int64, error) { return ledger.RoomFor(o.Paths) },
		Recall: n.recalls.asked, Pages: n.pages.Load, Rate: n.rate.rate, Take: late.take, Change: n.change,
		Sockets: func() (sites, peers int) { return n.meter.Sockets(), n.member.Conns() },
		Present: n.absence.sense, Quiet: o.Quiet, End: func() { n.Stop(context.Background()) },
	}); err != nil {
		return err
	}
	n.Keeper = settings.New(settings.Config{
		Paths: o.Paths, Started: o.Config, Read: o.Reload, Take: n.takeSettings, Limits: n.Arbiter, Log: n.log,
	})

	n.swarm = swarm.New(swarm.Config{
		Self: self, DB: n.db, Frontier: n.keeper, Fetcher: n.pool, Loop: late, Owners: n.member.Owners,
		Admits:   n.admits,
		Enqueues: n.gate.Enqueues, Lends: n.gate.Lends, Chance: rand.Uint64, Now: n.clock.Now,
		Here: n.member.Place.At, Place: n.member.Place.Told, Home: n.ledger.Add, Delay: n.knownDelay,
		Sync: n.files.sync,
		Tell: n.tellSwarm, Log: n.log, Trusts: o.Lab != nil && o.Lab.Trusts, Established: n.established,
		Network: n.networkOf,
		Checked: n.recordCheck,
	})
	n.driver = driver.New(n.driverConfig(self))
	n.foot = footing.New(footing.Config{
		Gate: n.gate, Member: n.member, Fetchers: n.pool, Shards: n.driver, Sockets: n.SocketsForPeers,
		Waits: func() int { return n.returning() + n.swarm.Held() }, Tell: n.governor.SetFooting, Work: n.swarm.Look,
		Log: n.log,
	})
	n.member.Node.Handle(wire.KindKeeps, n.founding.Handle)
	n.member.Node.Handle(wire.KindWhy, n.inquiry.handle)
	return nil
}

// robotsRead takes what came of asking for a robots.txt.
func (n *Node) robotsRead(origin string, r robots.Record, cost worker.RobotsCost) {
	n.owner.tellRobots(origin, r, cost)
	n.claims.RobotsRead(origin, cost.Received)
}

// change is limiter.Config.Change.
func (n *Node) change(ctx context.Context, c api.SettingsChange) (api.SettingsChanged, error) {
	return n.ChangeSettings(ctx, c)
}

// takeSettings puts in force what settings say of what is never visited, and of the user's own sites.
func (n *Node) takeSettings(read func() (config.Config, error)) (config.Config, error) {
	cfg, err := n.Refuser.Take(read)
	if err == nil {
		n.claims.Put(claims.Domains(cfg.Sites.Mine))
	}
	return cfg, err
}

// takes reports whether the node may begin to own domains.
func (n *Node) takes() bool {
	given := n.opts.Lab != nil && n.opts.Sim == nil && n.opts.Footing != limits.Duty
	if given || n.gate.Now() == limits.Duty {
		return true
	}
	t, err := view(n.frontier, n.keeper.Totals)
	return err == nil && t.Domains > 0
}

// tellOutcomes tells what is committed, and counts the pages that this node fetched, whoever's their domains are in the
// swarm.
func (n *Node) tellOutcomes(outcomes []crawl.Outcome) {
	for _, o := range outcomes {
		n.owner.tell(o)
		if o.Result == crawl.Fetched && !n.claims.Lists(o.Domain) {
			n.pages.Add(1)
		}
	}
}

// admits reports whether a link is one of this node's crawl, in its spelling.
func (n *Node) admits(l crawl.Outlink) bool {
	if l.Source > 0 {
		return n.scope.AdmitSource(l.URL)
	}
	u, ok := n.scope.Admit(l.URL, int(l.Depth))
	return ok && u == l.URL
}

// stepBack lets whatever else runs on the computer go first, until ctx is done.
func (n *Node) stepBack(ctx context.Context) error {
	err := priority.Keep(ctx, n.opts.Launcher, func(err error) {
		n.log.Warn("Other programs may be slowed down", "error", err)
	})
	if errors.Is(err, errors.ErrUnsupported) {
		n.log.Info("This system does not let forage step back behind other programs")
		return nil
	}
	return err
}

func (n *Node) tellState(state api.State, causes []limiter.Cause) {
	n.journal.add(stateEvent(state, causes))
	n.log.Info("State changed", "state", string(state), "reasons", limiter.Reasons(words.English, causes))
}

// Close closes archive and store, and erases them if that was asked for. It must not be called while Serve runs.
func (n *Node) Close() error {
	var errs []error
	if n.client != nil {
		n.client.Close()
	}
	if n.archive != nil {
		errs = append(errs, n.archive.Close(), n.finder.Close())
	}
	errs = append(errs, n.requests.Close(), n.member.Close())
	if n.db != nil {
		errs = append(errs, n.db.Close())
	}
	return errors.Join(append(errs, n.eraseIfAsked())...)
}

func stateEvent(state api.State, causes []limiter.Cause) api.Event {
	code := api.CodeState
	if state == api.StateStopping {
		code = api.CodeStopping
	}
	return api.Event{
		Kind: api.KindNode, Code: code, Text: stateText(words.English, state, causes),
		German: stateText(words.German, state, causes),
	}
}

// stateText says in a language what state a node is in, and why.
func stateText(lang string, state api.State, causes []limiter.Cause) string {
	if len(causes) > 0 {
		return strings.Join(limiter.Reasons(lang, causes), " · ")
	}
	return words.Said(lang, string(state))
}

var _ api.Node = (*Node)(nil)
