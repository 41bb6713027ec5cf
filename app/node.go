package app

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/absence"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/erase"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/footing"
	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/app/journal"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/app/pace"
	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/app/recaller"
	"github.com/forage-net/forage/app/requestlog"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/fetch/guard"
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
	opts Options
	files
	late
	tally
	nodeapi.Backend

	frontier   nodeapi.Books
	scope      *scope.Scope
	rules      *robots.Cache
	ledger     *ledger.Ledger
	finder     *find.Finder // nil if there is no search index
	claims     *claims.Own  // on the user's own sites
	client     *fetch.Client
	ownNetwork guard.OwnNetwork
	pool       *worker.Pool
	governor   *limiter.Governor
	pacer      *pace.Pacer
	bandwidth  *bandwidth.Budget
	gate       *footing.Gate
	member     *membership.Member
	founding   *membership.Founding
	recaller   *recaller.Recaller
	seeds      *seeder

	stop     chan struct{} // closed by Stop
	stopOnce atomic.Bool
}

// tally is what a node counts while it runs.
type tally struct {
	stats  *stats.Statistics
	helped stats.Helped
	meter  fetch.Meter
	health *health.Watch
	teller *journal.Teller
}

// New opens the store and the archive and wires the parts of a node. Nothing
// leaves the machine before Serve. If the home is in use the error is
// storage.ErrLocked. Close must be called in the end.
func New(opts Options) (*Node, error) {
	n := &Node{opts: opts, stop: make(chan struct{}), pacer: pace.New(pace.Options{}), bandwidth: bandwidth.New()}
	if err := n.assemble(); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// assemble makes the parts in the order in which they depend on each other. What runs the other way goes through late,
// or through a function that is not called before Serve.
func (n *Node) assemble() (err error) {
	o, late := &n.opts, &n.late
	n.Eraser = &erase.Eraser{Paths: o.Paths, Stop: n.Stop, Log: o.Log}
	if err := o.Paths.CheckArchive(); err != nil {
		return err
	}
	if err := erase.Resume(o.Paths, o.Log); err != nil {
		return err
	}
	n.files.opts = o
	if err := n.files.open(); err != nil {
		return err
	}
	facts, err := factsOf(o, n.db)
	if err != nil {
		return err
	}
	n.Journal = journal.New(time.Now)
	if n.health, err = health.Open(n.db, n.Journal.Add, o.Log); err != nil {
		return err
	}
	n.stats = &stats.Statistics{Run: facts.BootID, Meters: n.readMeters}
	n.Counter = stats.NewCounter(n.db)
	n.Examiner = &nodeapi.Examiner{Look: o.Examine}
	if n.scope, err = newScope(o); err != nil {
		return err
	}
	politeness := o.politeness()
	politeness.Slow = n.health.Slow
	keeper, err := newFrontier(o, n.clock, politeness)
	if err != nil {
		return err
	}
	n.frontier = nodeapi.Books{DB: n.db, Frontier: keeper, Leased: late.leased}

	calls := new(calls.Meter)
	n.gate = newGate(o, calls, n.pacer)
	if n.member, err = newMember(o, n.db, n.bandwidth, n.gate, calls, n.takes); err != nil {
		return err
	}
	self := crawl.PeerID(n.member.Node.Self())
	n.founding = &membership.Founding{DB: n.db, Member: n.member}
	n.recaller = recaller.New(recaller.Config{
		Keys: o.RecallKeys, Member: n.member, Visits: !facts.Bootstrap, Wake: func() { n.Arbiter.Wake() },
		State: o.Paths.State, Log: o.Log,
	})
	n.Picture = &nodeapi.Picture{Books: n.frontier, Member: n.member}
	n.Recorder = &requestlog.Recorder{
		Log: n.requests, Dir: requestlog.Dir(o.Paths.State), Days: o.Config.Log.RequestsDays, Network: facts.Network,
		Self: string(self), CheckOf: func(url string) crawl.PeerID { return late.swarm.CheckOf(url) },
	}
	if n.requests != nil {
		n.Picture.Record = n.Recorder.Dir
	}
	if n.Refuser, err = never.New(never.Config{
		File: o.Paths.Config, Settings: o.Config, Lab: facts.Lab, Tell: n.Journal.Add, Log: o.Log,
		Domains: func(ctx context.Context, after string, limit int) ([]api.Domain, error) {
			return n.Domains(ctx, after, limit)
		},
	}); err != nil {
		return err
	}
	n.rules = robots.NewCache(n.robots, 0)
	n.seeds = &seeder{late: late, scope: n.scope, identity: o.identity(), seeds: o.Seeds, log: o.Log}
	n.claims = claims.OpenOwn(n.claimsConfig(self), claims.Domains(o.Config.Sites.Mine))
	n.stats.Own = n.claims.Lists
	n.finder = openFinder(o, find.Config{
		Settings: func() find.Settings { return library.SearchSettings(n.Keeper.Now().Index) },
		Allowed:  func() bool { return n.governor != nil && n.governor.Works() }, Hidden: n.Refuses,
	})
	n.archivist.Finder = n.finder
	if n.finder != nil {
		n.Picture.Languages = n.finder.Languages
	}
	n.Library = library.Live(o.Paths, n.Refuses, n.finder)
	n.Exporter = export.NewExporter(export.ExporterConfig{Paths: o.Paths, Node: n, Log: o.Log})
	if o.Sim == nil {
		if n.Absence, err = absence.Open(n.db, n.Library, o.Log, time.Now()); err != nil {
			return err
		}
		n.stats.Away = n.Absence.Count
	}

	n.teller = &journal.Teller{
		Journal: n.Journal, Tally: journal.NewTally(facts.Before.Pages), Self: self, Clock: n.clock, Own: n.claims,
		Visited: n.Picture.Visited, Log: o.Log,
	}
	n.ledger = ledger.New(ledger.Config{
		Archivist: n.archivist, Robots: n.robots, Stats: n.stats, Soon: late.commitSoon, Found: late.takeFound,
		Tell: n.teller.Outcomes,
		Also: func(tx *storage.Tx) error { return errors.Join(n.Arbiter.Commit(tx), n.clock.Save(tx)) },
	})
	if n.client, err = newClient(o, &n.meter, &n.ownNetwork, n.bandwidth); err != nil {
		return err
	}
	pace := n.pacer.Wait
	if o.Sim != nil { // there, time does not pass while something is computed
		pace = nil
	}
	n.pool = worker.New(worker.Config{
		Client: n.client, Robots: n.rules, Scope: n.scope, Archive: n.archivist,
		Owner:      &owner{late: late, health: n.health, own: n.claims},
		Politeness: politeness, Lab: o.Lab != nil, Fetchers: o.Config.Limits.Budget.Full.Fetchers,
		PagesPerMin: o.pagesPerMin(),
		Now:         n.clock.Now, Latest: n.clock.Latest, RobotsRead: n.robotsRead, Requested: n.Recorder.Requested(),
		Log:     o.Log,
		Trouble: func(err error) { n.governor.ArchiveFailed(err) }, Challenged: health.Challenged,
		Refuses:       func(u crawl.URL) string { return n.Refusals().Reason(u).Stored() },
		RefusesDomain: func(d crawl.Domain) string { return n.Refusals().Domain(d).Stored() },
		First:         n.claims.Proved, Archived: n.archivist.Has, Words: n.finder.Counter, Pace: pace, Slots: late,
	})
	n.governor = limiter.NewGovernor(n.pool, n.teller.State, o.rules().Follow(), o.Footing)
	n.archivist.Works = n.governor.ArchiveWorks
	if n.Arbiter, err = limiter.New(limiter.Config{
		Rules: o.rules(), Settings: o.Config, Sense: o.Sense, Archive: o.Paths.WARC(), Sim: o.Sim != nil,
		DB: n.db, Clock: n.clock, Log: o.Log, Gate: n.gate, Governor: n.governor, Fetchers: n.pool, Sites: n.client,
		Pacer:     n.pacer,
		Bandwidth: n.bandwidth, Archived: n.archive.Size,
		Room:   func() (int64, int64, error) { return ledger.RoomFor(o.Paths) },
		Recall: n.recaller.Asked, Pages: n.teller.Tally.Pages.Load, Rate: n.teller.Tally.Rate.PerSecond,
		Take: late.take,
		Change: func(ctx context.Context, c api.SettingsChange) (api.SettingsChanged, error) {
			return n.ChangeSettings(ctx, c)
		},
		Sockets: func() (sites, peers int) { return n.meter.Sockets(), n.member.Conns() },
		Present: n.Absence.Sense, Quiet: o.Quiet, End: func() { n.Stop(context.Background()) },
	}); err != nil {
		return err
	}
	n.Keeper = settings.New(settings.Config{
		Paths: o.Paths, Started: o.Config, Read: o.Reload, Take: n.takeSettings, Limits: n.Arbiter,
		Startup: o.Startup, Log: o.Log,
	})

	n.swarm = swarm.New(swarm.Config{
		Self: self, DB: n.db, Frontier: keeper, Fetcher: n.pool, Loop: late, Owners: n.member.Owners,
		Admits:   n.admits,
		Enqueues: n.gate.Enqueues, Lends: n.gate.Lends, Chance: rand.Uint64, Now: n.clock.Now,
		Here: n.member.Place.At, Place: n.member.Place.Told, Home: n.ledger.Add,
		Delay: func(d crawl.Domain) time.Duration { return ledger.KnownDelay(n.db, n.rules, n.clock.Latest(), d) },
		Sync:  n.files.sync,
		Tell:  n.teller.Swarm, Log: o.Log, Trusts: o.Lab != nil && o.Lab.Trusts, Established: n.established,
		Network: n.networkOf,
		Checked: n.Recorder.Checked,
	})
	n.driver = driver.New(n.driverConfig(self))
	n.foot = footing.New(footing.Config{
		Gate: n.gate, Member: n.member, Fetchers: n.pool, Shards: n.driver, Sockets: n.SocketsForPeers,
		Waits: func() int { return n.swarm.Waiting() + n.swarm.Held() }, Tell: n.governor.SetFooting,
		Work: n.swarm.Look,
		Log:  o.Log,
	})
	n.Overview = &nodeapi.Overview{
		Facts: facts, Books: n.frontier, Clock: n.clock, Fetchers: n.pool, Governor: n.governor, Member: n.member,
		Swarm: n.swarm, Driver: n.driver, Joined: n.joined.Load, Journal: n.Journal, Tally: n.teller.Tally,
		Health: n.health, Arbiter: n.Arbiter, Keeper: n.Keeper, Refuser: n.Refuser, Absence: n.Absence,
		Files: n.archive, Finder: n.finder, Sockets: &n.meter, Bytes: n.siteBytes,
	}
	n.Inquiry = &nodeapi.Inquiry{
		Books: n.frontier, Member: n.member, Driver: n.driver, Joined: n.joined.Load, Now: n.clock.Now,
		Ground: nodeapi.Ground{
			Refusals: n.Refusals, Scope: n.scope, Rules: n.rules, Identity: o.identity(), Calendar: n.clock.Latest,
		},
	}
	n.member.Node.Requests.Handle(wire.KindKeeps, n.founding.Handle)
	n.member.Node.Requests.Handle(wire.KindWhy, n.Inquiry.Handle)
	return nil
}

// robotsRead takes what came of asking for a robots.txt.
func (n *Node) robotsRead(origin string, r robots.Record, cost worker.RobotsCost) {
	n.teller.Robots(origin, r, cost)
	n.claims.RobotsRead(origin, cost.Received)
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
	t, err := nodeapi.Read(n.frontier, n.frontier.Frontier.Totals)
	return err == nil && t.Domains > 0
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
		n.opts.Log.Warn("Other programs may be slowed down", "error", err)
	})
	if errors.Is(err, errors.ErrUnsupported) {
		n.opts.Log.Info("This system does not let forage step back behind other programs")
		return nil
	}
	return err
}

// Stop implements api.Node.
func (n *Node) Stop(context.Context) error {
	if n.stopOnce.CompareAndSwap(false, true) {
		close(n.stop)
	}
	return nil
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
	return errors.Join(append(errs, n.Eraser.FinishErase())...)
}

var _ api.Node = (*Node)(nil)
