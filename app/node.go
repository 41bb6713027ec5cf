package app

import (
	"context"
	"errors"
	"fmt"
	"github.com/forage-net/forage/app/limiter"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/footing"
	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/pace"
	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/requests"
	"github.com/forage-net/forage/storage/warc"
)

// Node is a running forage. Its methods are safe for concurrent use.
type Node struct {
	opts    Options
	log     *slog.Logger
	bootID  string
	started time.Time

	db         *storage.DB
	storeFile  os.FileInfo // as it was when it was opened
	clock      *clock.Clock
	archive    *warc.Archive
	archivist  *ledger.Archivist
	robots     *ledger.RobotsStore
	rules      *robots.Cache
	scope      *scope.Scope
	meter      *fetch.Meter
	client     *fetch.Client
	ownNetwork fetch.OwnNetwork
	recalls    *recalls
	journal    *journal
	rate       *rateMeter
	fruitless  atomic.Int64 // requests in a row that brought no page
	sites      *recentSites
	owner      *owner
	pool       *worker.Pool
	governor   *limiter.Governor
	*limiter.Arbiter
	pacer     *pace.Pacer
	bandwidth *bandwidth.Budget
	health    health.Tracker
	member    *membership.Member
	gate      *footing.Gate
	foot      *footing.Changer
	joined    atomic.Bool // it is known who the other members are
	picture   ringPicture
	claims    *claims.Book  // on the user's own sites
	ownBytes  ownBytes      // that those took
	requests  *requests.Log // nil if none are recorded
	tray      atomic.Int32  // see SetTray
	core
	*never.Refuser
	inquiry
	*absence
	reloading sync.Mutex                    // one reading of the settings file after the other
	lastGood  atomic.Pointer[config.Config] // the settings that were read last and are right; nil at first
	*library.Library
	finder *find.Finder // nil if there is no search index

	base      totals       // bytes sent and received before this start
	pages     atomic.Int64 // fetched since ever
	stats     *stats.Statistics
	stop      chan struct{} // closed by Stop
	stopOnce  atomic.Bool
	erasing   atomic.Bool // Close shall erase
	erased    bool        // it has erased everything
	again     atomic.Bool // and the node is to be started again
	examining sync.Mutex  // held by Doctor
	token     string
}

// totals are bytes on the wire.
type totals struct{ received, sent, pages int64 }

// New opens the store and the archive and wires the parts of a node. Nothing
// leaves the machine before Serve. If the home is in use the error is
// storage.ErrLocked. Close must be called in the end.
func New(opts Options) (*Node, error) {
	n := &Node{
		opts: opts, log: opts.Log, bootID: api.NewBootID(), token: api.NewToken(), started: time.Now(),
		stop: make(chan struct{}), pacer: pace.New(pace.Options{}), bandwidth: bandwidth.New(),
	}
	n.inquiry = inquiry{n}
	for _, part := range []func() error{
		n.opts.Paths.CheckArchive, n.finishErase, n.openStore, n.openArchive, n.makeMember, n.makeRecalls, n.makeClaims, n.openFrontier, n.openLibrary, n.openRequests, n.makeClient, n.makePool, n.makeArbiter, n.makeSwarm, n.makeFooting,
	} {
		if err := part(); err != nil {
			return nil, errors.Join(err, n.Close())
		}
	}
	return n, nil
}

func (n *Node) openStore() (err error) {
	if n.opts.Config.Net.Private {
		if n.opts.secret, err = membership.LoadSecret(n.log, n.opts.Paths.State); err != nil {
			return err
		}
	}
	if n.db, err = storage.Open(n.opts.Paths.Store(), storage.Options{NoSync: n.opts.NoSync}); err != nil {
		return err
	}
	if n.storeFile, err = os.Stat(n.opts.Paths.Store()); err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	if err := n.checkNetwork(); err != nil {
		return err
	}
	was, err := clock.Stored(n.db)
	if err != nil {
		return err
	}
	if n.clock = clock.Open(was); n.opts.Sim != nil {
		n.clock = clock.OpenWith(was, n.opts.Sim.Clocks)
	}
	n.robots = ledger.NewRobotsStore(n.db)
	n.stats = &stats.Statistics{Run: n.bootID, Meters: n.readMeters}
	n.Counter = stats.NewCounter(n.db)
	if n.opts.Sim == nil {
		if n.absence, err = openAbsence(n, time.Now()); err != nil {
			return err
		}
		n.stats.Away = n.absence.count
	}
	stats, err := stats.Read(n.db, 0)
	n.base = totals{received: stats.Totals.BytesReceived, sent: stats.Totals.BytesSent, pages: stats.Totals.Pages}
	n.pages.Store(stats.Totals.Pages)
	return err
}

func (n *Node) openArchive() (err error) {
	n.archive, err = warc.Open(warc.Config{
		Dir: n.opts.Paths.WARC(), MaxSize: n.opts.rotateAt(),
		Info: ledger.ArchiveInfo(n.opts.Lab != nil, n.opts.network()),
	})
	if err != nil {
		return err
	}
	for _, r := range n.archive.Recovered() {
		if r.Err != nil {
			n.log.Warn("Archive file cannot be repaired now", "file", r.File, "error", r.Err)
			continue
		}
		n.log.Info("Archive file repaired", "file", r.File, "bytes_cut", r.Cut, "index_lines_added", r.IndexLines)
	}
	if n.archivist, err = ledger.NewArchivist(n.archive, n.db, n.log); err != nil {
		return err
	}
	n.Exporter = export.NewExporter(export.ExporterConfig{Paths: n.opts.Paths, Node: n, Log: n.log})
	return n.archivist.CheckLast(n.opts.Paths.WARC())
}

func (n *Node) makeMember() (err error) {
	meter := new(calls.Meter)
	lab := n.opts.Lab
	var used func() float64
	if n.opts.Sim == nil && (lab == nil || lab.RealTimes) { // other labs look after everything far more often
		used = n.pacer.Used
	}
	n.gate = footing.NewGate(n.opts.Footing, meter, n.opts.leaseFor(), used)
	cfg := membership.Config{
		Paths: n.opts.Paths, Settings: n.opts.Config, Network: n.opts.network(), Public: n.opts.publicName(), Secret: n.opts.secret,
		Lab: lab != nil, LocalOnly: lab != nil && !lab.MDNS, ShortTimes: lab != nil && !lab.RealTimes,
		MDNS: n.opts.Config.Peer.MDNS && n.opts.Sim == nil, DB: n.db, Bandwidth: n.bandwidth, Meter: meter,
		Counter: n.gate, Gate: n.gate, Takes: n.takes, Log: n.log,
	}
	if lab != nil {
		cfg.MDNS = lab.MDNS
	}
	if s := n.opts.Sim; s != nil {
		cfg.OwnAtOnce, cfg.Given = s.OwnAtOnce, &membership.Given{Host: s.Host, Key: s.Key, Gater: s.Gater}
	}
	n.member, err = membership.New(cfg)
	return err
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

// openLibrary opens the search index, and what answers from it. An index that cannot be opened leaves the node without one:
// it is no reason not to crawl.
func (n *Node) openLibrary() error {
	if n.opts.Sim == nil && !membership.IsBootstrap(n.opts.Config) {
		cfg := library.IndexConfig(n.opts.Paths, n.opts.Config)
		cfg.Settings, cfg.Allowed, cfg.Log, cfg.Hidden = n.indexSettings, n.indexAllowed, n.log, n.Refuses
		f, err := find.Open(cfg)
		if err != nil {
			n.log.Warn("There is no search index for now: pages are found by title and address alone", "error", err)
		} else {
			n.finder, n.archivist.Finder = f, f
		}
	}
	n.Library = library.Live(n.opts.Paths, n.Refuses, n.finder)
	return nil
}

func (n *Node) openFrontier() (err error) {
	n.journal = newJournal(time.Now)
	n.rate = newRateMeter(time.Now)
	n.sites = newRecentSites(time.Now)
	if n.Refuser, err = never.New(never.Config{
		File: n.opts.Paths.Config, Settings: n.opts.Config, Lab: n.opts.Lab != nil, Domains: n.Domains, Tell: n.journal.add, Log: n.log,
	}); err != nil {
		return err
	}
	if err := n.restoreHealth(); err != nil {
		return err
	}
	if n.scope, err = scope.New(scope.Config{
		Patterns: n.opts.Config.Crawl.Scope, Depth: int(n.opts.Config.Crawl.Depth), Lab: n.labNames(), Identity: n.opts.identity(), Seeds: n.opts.Seeds,
	}); err != nil {
		return err
	}
	return n.openCore()
}

// syncArchive makes sure that what a commit is about to settle is on disk.
func (n *Node) syncArchive() error {
	if n.opts.NoSync {
		return nil
	}
	return n.archive.Sync()
}

// countPages counts pages that this node fetched, whoever's their domains are in the swarm.
func (n *Node) countPages(outcomes []crawl.Outcome) {
	for i := range outcomes {
		if outcomes[i].Result == crawl.Fetched && !n.claims.Lists(outcomes[i].Domain) {
			n.pages.Add(1)
		}
	}
}

// labNames returns the scope of a lab: the names of its hosts file and the
// seeds, which may be addresses. Pages link to addresses too, but nobody said
// that those belong to the test network.
func (n *Node) labNames() func(string) bool {
	if n.opts.Lab == nil {
		return nil
	}
	seeds := make(map[string]bool)
	for _, u := range n.opts.Seeds {
		seeds[u.Hostname()] = true
	}
	return func(name string) bool {
		_, ok := n.opts.Lab.Hosts.Lookup(name, 80)
		return ok || seeds[name]
	}
}

func (n *Node) makeClient() (err error) {
	n.meter = new(fetch.Meter)
	cfg := fetch.Config{
		World: fetch.Public, UserAgent: crawl.UserAgent(n.opts.Lab != nil), Meter: n.meter,
		MaxConns: n.opts.Config.Limits.Budget.Full.Sockets, Own: &n.ownNetwork,
	}
	membership.LookAround(&n.ownNetwork, nil)
	if n.opts.Lab != nil {
		cfg.World, cfg.Hosts, cfg.Limits = fetch.Lab, n.opts.Lab.Hosts, n.opts.Lab.Fetch
		if cfg.Limits == (fetch.Limits{}) && !n.opts.Lab.RealTimes { // a request must fit into a lease
			cfg.Limits = fetch.Limits{Total: labLease / 2, Connect: labLease / 3}
		}
	}
	if n.opts.Sim != nil {
		cfg.Dial = n.opts.Sim.Dial
	} else {
		cfg.Pacer, cfg.Lookup = n.bandwidth.Sites(), n.bandwidth.Names(bandwidth.Pages, nil)
	}
	n.client, err = fetch.New(cfg)
	return err
}

func (n *Node) makePool() error {
	n.rules = robots.NewCache(n.robots, 0)
	n.pool = worker.New(worker.Config{
		Client: n.client, Robots: n.rules, Scope: n.scope, Archive: n.archivist, Owner: n.owner,
		Politeness: n.politeness(), Lab: n.opts.Lab != nil, Fetchers: n.opts.Config.Limits.Budget.Full.Fetchers,
		PagesPerMin: n.opts.pagesPerMin(), Now: n.clock.Now, Latest: n.clock.Latest, RobotsRead: n.robotsRead, Requested: n.requested(), Log: n.log,
		Trouble: func(err error) { n.governor.ArchiveFailed(err) }, Challenged: health.Challenged,
		Refuses:       func(u crawl.URL) string { return n.Refusals().Reason(u) },
		RefusesDomain: func(d crawl.Domain) string { return n.Refusals().Domain(d) },
		First:         n.claims.Proved,
		Archived:      n.archivist.Has,
		Words:         n.counter,
		Pace:          n.pace(),
		Slots:         n,
	})
	n.recallTokens()
	n.governor = limiter.NewGovernor(n.pool, n.tellState, n.opts.rules().Follow(), n.opts.Footing)
	n.archivist.Works = n.governor.ArchiveWorks
	return nil
}

func (n *Node) makeArbiter() (err error) {
	n.Arbiter, err = limiter.New(limiter.Config{
		Rules: n.opts.rules(), Settings: n.opts.Config, Sense: n.opts.Sense, Archive: n.opts.Paths.WARC(), Sim: n.opts.Sim != nil,
		DB: n.db, Clock: n.clock, Log: n.log, Gate: n.gate, Governor: n.governor, Fetchers: n.pool, Sites: n.client, Pacer: n.pacer,
		Bandwidth: n.bandwidth, Archived: n.archive.Size, Room: func() (int64, int64, error) { return ledger.RoomFor(n.opts.Paths) },
		Recall: n.recalls.asked, Sockets: func() (sites, peers int) { return n.meter.Sockets(), n.member.Conns() }, Pages: n.pages.Load, Rate: n.rate.rate,
		Take: func(ctx context.Context, to limits.Footing, until time.Time) error {
			return n.foot.Take(ctx, to, until)
		},
		Change: n.ChangeSettings, Present: n.absence.sense, Quiet: n.opts.Quiet, End: func() { n.Stop(context.Background()) },
	})
	return err
}

// makeFooting makes what takes the footings that the limits ask for.
func (n *Node) makeFooting() error {
	n.foot = footing.New(footing.Config{
		Gate: n.gate, Member: n.member, Fetchers: n.pool, Shards: n.driver, Sockets: n.SocketsForPeers,
		Waits: func() int { return n.returning() + n.swarm.Held() }, Tell: n.governor.SetFooting, Work: n.swarm.Look, Log: n.log,
	})
	return nil
}

// pace returns what work waits for, nil in a simulation: there, time does not pass while something is computed.
func (n *Node) pace() func(context.Context) error {
	if n.opts.Sim != nil {
		return nil
	}
	return n.pacer.Wait
}

// stepBack lets whatever else runs on the computer go first, until ctx is done.
func (n *Node) stepBack(ctx context.Context) error {
	err := priority.Keep(ctx, n.opts.Launcher, func(err error) { n.log.Warn("Other programs may be slowed down", "error", err) })
	if errors.Is(err, errors.ErrUnsupported) {
		n.log.Info("This system does not let forage step back behind other programs")
		return nil
	}
	return err
}

// politeness returns the rules towards sites, with how much slower than they ask for
// the node goes.
func (n *Node) politeness() crawl.Politeness {
	p := n.opts.politeness()
	p.Slow = n.slow
	return p
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
		Kind: api.KindNode, Code: code, Text: stateText(words.English, state, causes), German: stateText(words.German, state, causes),
	}
}

// stateText says in a language what state a node is in, and why.
func stateText(lang string, state api.State, causes []limiter.Cause) string {
	text := words.Said(lang, string(state))
	if len(causes) > 0 {
		text += ": " + strings.Join(limiter.Reasons(lang, causes), ", ")
	}
	return text
}

var _ api.Node = (*Node)(nil)
