package swarm

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/app/swarm/index"
	"github.com/forage-net/forage/app/swarm/slots"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

const (
	// workEvery is how often what waits is looked at, at least, and restEvery the same while nothing is under way.
	workEvery = 250 * time.Millisecond
	restEvery = 2 * time.Second
	// wantEvery is how often others are told of fetchers without work, and wantAtRest the same where there is none:
	// they remember it for WantFor, also if one time of two is lost.
	wantEvery, wantAtRest = 5 * time.Second, WantFor / 2
	// WantFor is how long a leader remembers that a fetcher wants work.
	WantFor = time.Minute
)

// Loop runs functions on the goroutine that owns the Node of the group.
type Loop interface {
	// Do runs a function and returns when it has run. It must not be called from that goroutine.
	Do(ctx context.Context, do func(*group.Node) error) error
	// DoSoon is Do without waiting; false: do is not called.
	DoSoon(do func(*group.Node)) bool
}

// Fetcher works leases; *worker.Pool is one. Its methods may be called at any time and do not block.
type Fetcher interface {
	// Want returns how many leases it would take now; 0 while its user does not allow work.
	Want() int
	// Wanting receives when Want may have grown.
	Wanting() <-chan struct{}
	// Take hands over a lease that was asked for at that time.
	Take(l crawl.Lease, asked time.Time)
	// Grant takes an answer to Swarm.Ask.
	Grant(at netip.AddrPort, m gates.Grant)
	// RefusesDomain returns why its user does not want a domain visited, "" if nothing speaks against it.
	RefusesDomain(d crawl.Domain) string
}

// Config says what a Swarm works with. Everything is required.
type Config struct {
	Self     crawl.PeerID
	DB       *storage.DB
	Frontier *frontier.Frontier
	Fetcher  Fetcher
	Loop     Loop
	// Owners returns members that may act for domains.
	Owners func() []crawl.PeerID
	// Admits reports whether a link is one of this node's crawl: in its scope, not too deep, in its spelling.
	Admits func(crawl.Outlink) bool
	// Enqueues reports whether links of others, and leases that bring some, may be taken in now; Lends whether
	// one more lease may be offered to another fetcher: it is asked once for each.
	Enqueues, Lends func() bool
	// Here returns where this node is, Place what it tells others of that, "" for nothing.
	Here  func() near.Coordinate
	Place func() string
	// Chance returns random bits.
	Chance func() uint64
	// Now is the clock that fetchers count leases by.
	Now func() time.Time
	// Home is told of outcomes that the leader of their domain has. It must not block.
	Home func([]crawl.Outcome)
	// Delay returns the crawl delay that is known of a domain, 0 if none is.
	Delay func(crawl.Domain) time.Duration
	// Sync makes durable what was fetched so far: no other member is told of it before.
	Sync func() error
	// Tell is told what happened between members. It must not block.
	Tell func(Event)
	// Trusts says that nobody is checked: all nodes are of one user.
	Trusts bool
	// Established reports whether a fetcher is believed from the start, Network what two fetchers must not have in
	// common for one to check the other.
	Established func(crawl.PeerID) bool
	Network     func(crawl.PeerID) string
	// Checked is told of checks that fetchers elsewhere made. It must not block.
	Checked func(checks.Checked)
	Log     *slog.Logger
}

// Swarm joins the group, the frontier and the fetchers of a node.
type Swarm struct {
	cfg      Config
	wake     chan struct{} // something may be due
	node     *group.Node   // that was opened last
	wait     time.Duration // until the next one
	offers   offers
	fetches  fetches
	reports  reports
	links    links
	index    *index.Index
	sweep    sweep
	slots    *slots.Slots
	checking checking
	counts   counts
	found    frontier.Applied // since it was taken last
	taken    atomic.Int64     // puts of others
}

// TakeFound returns what the frontier has taken in since it was called last. It is for the end of the transaction that
// takes it in.
func (s *Swarm) TakeFound() (urls, domains int) {
	urls, domains = s.found.New, s.found.Domains
	s.found = frontier.Applied{}
	return urls, domains
}

// New returns a Swarm that does nothing before Serve.
func New(cfg Config) *Swarm {
	s := &Swarm{cfg: cfg, wake: make(chan struct{}, 1)}
	s.offers.begin(s)
	s.fetches.begin(s)
	s.reports.begin(s)
	s.links.begin(s)
	s.index = index.New(index.Config{DB: cfg.DB, Frontier: cfg.Frontier, Now: cfg.Now, Look: s.Look})
	s.sweep.cfg, s.sweep.undo = &s.cfg, s.checking.revisit
	if err := s.checking.begin(s); err != nil {
		s.cfg.Log.Warn("What is known of fetchers cannot be read", "error", err)
	}
	return s
}

// Serve looks for work until ctx is done.
func (s *Swarm) Serve(ctx context.Context) error {
	timer, sync := time.NewTimer(0), time.NewTimer(syncEvery)
	defer timer.Stop()
	defer sync.Stop()
	var synced time.Time
	for {
		do, looks := s.work, true
		select {
		case <-ctx.Done():
			return nil
		case <-s.reports.fetched:
			sync.Reset(time.Until(synced.Add(syncEvery)))
			continue
		case <-sync.C:
			do, looks, synced = s.bringHome, false, time.Now()
		case <-timer.C:
		case <-s.cfg.Fetcher.Wanting():
		case <-s.wake:
		}
		switch err := do(ctx); {
		case ctx.Err() != nil, err == nil && !looks:
		case err == nil:
			timer.Reset(s.wait)
		case !errors.Is(err, driver.ErrNotOpen):
			s.cfg.Log.Warn("The swarm stands still for a moment", "error", err)
			timer.Reset(workEvery)
			sync.Reset(workEvery)
		default: // the Node rests: Look tells when it does so no more
			timer.Stop()
			if s.Waiting() > 0 {
				sync.Reset(restEvery)
			}
		}
	}
}

// work does what waits. What the store says is read beside the goroutine of the Node.
func (s *Swarm) work(ctx context.Context) error {
	due, wait, err := s.offers.due()
	if err != nil {
		return err
	}
	parcels, err := s.links.waiting()
	if err != nil {
		return err
	}
	return s.cfg.Loop.Do(ctx, func(n *group.Node) error {
		err := errors.Join(s.index.Build(n), s.index.Drop(n))
		s.fetches.giveBack(n)
		s.offers.make(n, due)
		s.fetches.want(n)
		s.reports.repeat(n)
		s.links.send(n, parcels)
		s.slots.Step(n)
		s.wait = s.untilNext(len(due)+len(parcels) > 0, wait)
		return errors.Join(err, s.checking.step(n), s.sweep.step(n))
	})
}

// untilNext returns how long nothing need be looked at unless something happens: while nothing is under way and
// somebody wants work, until more is due.
func (s *Swarm) untilNext(found bool, wait time.Duration) time.Duration {
	wanted := s.fetches.room() > 0 || len(s.offers.wants) > 0
	switch {
	case s.Held()+s.Waiting()+len(s.links.flying)+len(s.links.late) > 0, s.slots.Waits(), wanted && found:
		return workEvery
	case wanted && wait < restEvery:
		return max(wait, workEvery)
	}
	return pulse.Until(restEvery)
}

// Taken counts what others have put here, outcomes and links.
func (s *Swarm) Taken() int64 { return s.taken.Load() }

// Leased returns who fetches each domain for which a lease counts here.
func (s *Swarm) Leased(ctx context.Context) (map[crawl.Domain]crawl.PeerID, error) {
	by := make(map[crawl.Domain]crawl.PeerID)
	err := s.cfg.Loop.Do(ctx, func(n *group.Node) error {
		for _, l := range n.Leases() {
			by[l.Domain] = l.Fetcher
		}
		return nil
	})
	return by, err
}

// Opened is for driver.Config.Opened. What was stored last for its way to other domains may be lost.
func (s *Swarm) Opened(n *group.Node) {
	s.links.told.forget()
	s.node = n
	s.Look()
}

// Look has Serve look for work at once.
func (s *Swarm) Look() { signal(s.wake) }

// signal tells whoever waits at a channel with room for one, and does not wait itself.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Ask implements gates.Slots.
func (s *Swarm) Ask(at netip.AddrPort, m gates.Ask) {
	s.cfg.Loop.DoSoon(func(n *group.Node) { s.slots.Ask(n, at, m) })
}

// Hooks sets what the group asks of the frontier.
func (s *Swarm) Hooks(cfg *group.Config) {
	cfg.Merge, cfg.Stale = store.Merge, stale
	cfg.Changed = func(tx stream.Tx, d crawl.Domain, list []crawl.Change) error {
		return store.Changed(stream.Storage(tx), d, list)
	}
	s.slots = slots.New(slots.Config{
		Self: s.cfg.Self, Owners: s.cfg.Owners, Chance: s.cfg.Chance, Now: s.cfg.Now, Grant: s.cfg.Fetcher.Grant,
	}, cfg.Times)
	cfg.Turned = func(note group.Note) {
		s.slots.Turned(note)
		s.index.Hurry() // domains that have come need indexes
		s.Look()
	}
	cfg.Take, cfg.Lend, cfg.Told, cfg.Gap = s.take, s.offers.lendTo, s.told, s.gap
}
