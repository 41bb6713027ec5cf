package app

import (
	"errors"
	"fmt"
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
	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/pace"
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
	governor   *governor
	arbiter    *arbiter
	pacer      *pace.Pacer
	bandwidth  *bandwidth.Budget
	ram        int64     // the soft limit in force; of the arbiter alone
	worked     time.Time // when work was allowed last; of the arbiter alone
	ease       ease
	quiet      bool        // what Options.Quiet was told; of the arbiter alone
	rests      atomic.Bool // nothing has been fetched for a while
	health     health.Tracker
	member     *membership.Member
	foot       *footing
	joined     atomic.Bool // it is known who the other members are
	picture    ringPicture
	claims     *claims.Book  // on the user's own sites
	ownBytes   ownBytes      // that those took
	requests   *requests.Log // nil if none are recorded
	tray       atomic.Int32  // see SetTray
	core
	*never.Refuser
	inquiry
	*absence
	lastGood atomic.Pointer[config.Config] // the settings that were read last and are right; nil at first
	*library.Library
	finder *find.Finder // nil if there is no search index

	base      totals       // bytes sent and received before this start
	pages     atomic.Int64 // fetched since ever
	stats     *stats.Statistics
	diskFree  atomic.Int64
	stop      chan struct{} // closed by Stop
	stopOnce  atomic.Bool
	finish    chan struct{} // of capacity 1: Finish was called
	erasing   atomic.Bool   // Close shall erase
	erased    bool          // it has erased everything
	again     atomic.Bool   // and the node is to be started again
	examining sync.Mutex    // held by Doctor
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
		stop: make(chan struct{}), finish: make(chan struct{}, 1), pacer: pace.New(pace.Options{}), bandwidth: bandwidth.New(),
	}
	n.inquiry = inquiry{n}
	for _, part := range []func() error{
		n.opts.Paths.CheckArchive, n.finishErase, n.openStore, n.openArchive, n.makeMember, n.makeRecalls, n.makeClaims, n.openFrontier, n.openLibrary, n.openRequests, n.makeClient, n.makePool, n.makeArbiter, n.makeSwarm,
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
	open := clock.Open
	if n.opts.Sim != nil {
		open = func(s clock.State) *clock.Clock { return clock.OpenWith(s, n.opts.Sim.Clocks) }
	}
	if n.clock, err = openClockWith(n.db, open); err != nil {
		return err
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
	n.foot = newFooting(n, meter)
	lab := n.opts.Lab
	cfg := membership.Config{
		Paths: n.opts.Paths, Settings: n.opts.Config, Network: n.opts.network(), Public: n.opts.publicName(), Secret: n.opts.secret,
		Lab: lab != nil, LocalOnly: lab != nil && !lab.MDNS, ShortTimes: lab != nil && !lab.RealTimes,
		MDNS: n.opts.Config.Peer.MDNS && n.opts.Sim == nil, DB: n.db, Bandwidth: n.bandwidth, Meter: meter,
		Counter: n.foot.admission, Gate: n.foot, Takes: n.foot.takes, Log: n.log,
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
		Trouble: func(err error) { n.governor.archiveFailed(err) }, Challenged: health.Challenged,
		Refuses:       func(u crawl.URL) string { return n.Refusals().Reason(u) },
		RefusesDomain: func(d crawl.Domain) string { return n.Refusals().Domain(d) },
		First:         n.claims.Proved,
		Archived:      n.archivist.Has,
		Words:         n.counter,
		Pace:          n.pace(),
		Slots:         n,
	})
	n.recallTokens()
	n.governor = newGovernor(n.pool, n.tellState)
	n.governor.follows = n.opts.hasUser() || n.opts.awaitsConsent()
	n.governor.footing = n.opts.Footing.why()
	n.archivist.Works = n.governor.archiveWorks
	return nil
}

func (n *Node) makeArbiter() (err error) {
	n.arbiter, err = newArbiter(n)
	return err
}

// politeness returns the rules towards sites, with how much slower than they ask for
// the node goes.
func (n *Node) politeness() crawl.Politeness {
	p := n.opts.politeness()
	p.Slow = n.slow
	return p
}

func (n *Node) tellState(state api.State, causes []cause) {
	n.journal.add(stateEvent(state, causes))
	n.log.Info("State changed", "state", string(state), "reasons", reasonsIn(words.English, causes))
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

func stateEvent(state api.State, causes []cause) api.Event {
	code := api.CodeState
	if state == api.StateStopping {
		code = api.CodeStopping
	}
	return api.Event{
		Kind: api.KindNode, Code: code, Text: stateText(words.English, state, causes), German: stateText(words.German, state, causes),
	}
}

// stateText says in a language what state a node is in, and why.
func stateText(lang string, state api.State, causes []cause) string {
	if len(causes) > 0 {
		return strings.Join(reasonsIn(lang, causes), " · ")
	}
	return words.Said(lang, string(state))
}

var _ api.Node = (*Node)(nil)
