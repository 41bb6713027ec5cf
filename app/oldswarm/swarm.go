package swarm

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/p2p/wire"
)

// Handler answers a request of a peer.
type Handler = func(ctx context.Context, from string, body []byte) ([]byte, error)

// Net is what the swarm needs of the network. Peers are named by their ID's bytes.
type Net interface {
	// Self is this node, or the owner that it acts for; Here is this node.
	Self() string
	Here() string
	// Call asks a peer. What it does not like about the request it says with an error.
	Call(ctx context.Context, to string, kind wire.Kind, body []byte) ([]byte, error)
	// Handle sets who answers requests of a kind.
	Handle(kind wire.Kind, h Handler)
	// Owner returns whose a domain is; ok is false while no member owns anything.
	Owner(d crawl.Domain) (peer string, ok bool)
	// Heirs returns the next n members in line for a domain but this one, those
	// among them that are about to leave.
	Heirs(d crawl.Domain, n int) []string
	// InLine reports whether a peer is, or as a member would be, among the first n in line
	// for a domain, those not counted that came lately.
	InLine(peer string, d crawl.Domain, n int) bool
	// WasOut reports whether a peer was out of late, and is there again.
	WasOut(peer string) bool
	// Member reports whether a peer is a member of the network, owner or not.
	Member(peer string) bool
	// Neighbours returns at most n other members, the nearest first.
	Neighbours(n int) []string
	// Others returns at most n other members that own domains, taken by chance.
	Others(n int) []string
	// Announce tells the members that domains of this node wait and nobody asks for them;
	// Announced returns at most n members that have told so, taken by chance.
	Announce(ctx context.Context, domains int) error
	Announced(n int) []string
	// Digest stands for who the members are.
	Digest() [16]byte
	// Owners stands for who owns what.
	Owners() [16]byte
	// Resync compares notes about the members with a peer soon.
	Resync(peer string)
	// Offend counts what a peer should not have said; too much of it costs it its
	// connection for a while.
	Offend(peer, what string, weight int)
	// Holds reports whether a peer may hold domains: it is a member that is
	// neither out nor gone.
	Holds(peer string) bool
	// Left reports whether a peer has left the network, after all it had was handed over.
	Left(peer string) bool
	// Down reports whether a peer is known not to answer.
	Down(peer string) bool
	// Changed receives when domains may have got another owner.
	Changed() <-chan struct{}
}

// Router grants leases.
type Router interface {
	GrantTo(ctx context.Context, fetcher string, n int) (leases []crawl.Lease, due int, err error)
	// TakeBack ends leases that their fetchers were not told of. It must not block.
	TakeBack(leases ...frontier.Release)
	// Due returns how many domains of this node the fetcher here has no room for.
	Due() int
	// Backlog returns how many domains of this node wait for a fetcher, at most as many as given.
	Backlog(most int) (int, error)
}

// Fetcher works leases.
type Fetcher interface {
	Want() int
	Take(l crawl.Lease, asked time.Time)
	Recall(granter string, id crawl.LeaseID)
	Extend(granter string, id crawl.LeaseID, asked time.Time)
}

// Config says how a Swarm works. All fields but Tell, Refuses and First are needed.
type Config struct {
	Net      Net
	Frontier *frontier.Frontier
	// Router is nil for who grants nothing, and only gives domains away.
	Router Router
	// Fetcher is nil for who acts for the owner of a log that is down.
	Fetcher Fetcher
	Scope   *scope.Scope
	// Now is the clock of leases.
	Now func() time.Time
	// Hurry says that gaps are short: nothing waits for company.
	Hurry bool
	// Leaderless is how long a log that nobody leads, and which may have domains that this one
	// hears of, is waited for before they are begun: as long as logs wait for who keeps
	// them before they begin anew.
	Leaderless time.Duration
	// LeaseFor is how long a lease lasts at most.
	LeaseFor time.Duration
	// Refuses, if set, says why the user does not want a domain visited, "" if
	// nothing speaks against it.
	Refuses func(crawl.Domain) string
	// First, if set, returns the few domains whose owners are asked for work as neighbours are, wherever they are.
	First func() []crawl.Domain
	// Keep remembers leases of others before they are worked.
	Keep func([]crawl.Lease) error
	// Settled is told of outcomes that their granter has for good, and of leases
	// (granter and number) that it has back; Lost of outcomes that it will never take.
	Settled func(outcomes []crawl.Outcome, over []crawl.Lease)
	Lost    func([]crawl.Outcome)
	// Sync makes sure that what was fetched is on disk before anybody hears of it.
	Sync func() error
	// Tell, if set, is told what happens between members, for people.
	Tell func(Event)
	Log  *slog.Logger
	// Leads, if set, reports whether this node leads the log of Frontier now: else
	// another acts for its owner, and this Swarm does nothing but fetch.
	Leads func() bool
	// Still, if set, returns for how long domains shall not be moved here, 0 if
	// they may; while it is not 0, none are moved away either.
	Still func() time.Duration
	// Slow, if set, reports whether this node stands by: it fetches nothing for others, and domains move in small parts.
	Slow func() bool
	// Counts, if set, are those that events are counted in.
	Counts *Counts
}

// Event is something that happened between members.
type Event struct {
	Kind    EventKind
	Peer    string
	Domain  crawl.Domain // of one, where there is one
	Domains int
	Count   int
	// All are the domains of PagesTaken, each once.
	All []crawl.Domain
}

// EventKind says what happened. Its text is part of the API.
type EventKind string

const (
	LinksSent  EventKind = "links sent"  // to the owner of their domains, which has them for good
	LinksTaken EventKind = "links taken" // from another member, into this frontier
	LeasesLent EventKind = "leases lent" // to a fetcher elsewhere
	LeasesHeld EventKind = "leases held" // from another owner, for the fetchers here
	// LeasesBack are leases lent that came home, LeasesBrought those of others that were
	// brought home: their owners have the outcomes for good.
	LeasesBack    EventKind = "leases back"
	LeasesBrought EventKind = "leases brought"
	DomainsGiven  EventKind = "domains given" // to their new owner
	DomainsTaken  EventKind = "domains taken" // from their former owner
	// PagesTaken are pages of this node's domains that a fetcher elsewhere fetched and told of.
	PagesTaken  EventKind = "pages taken"
	LiesRefused EventKind = "lies refused"
)

// Swarm joins this node's frontier and fetchers with those of others.
type Swarm struct {
	cfg   Config
	net   Net
	log   *slog.Logger
	acked *acked

	handlers  map[wire.Kind]Handler
	returns   *returns
	wants     *wants
	credits   *credits
	seeds     *rates // of seeds
	unpacked  *rates // of URLs of moves that are taken as links
	brought   unpackings
	begun     *rates // of domains never heard of
	waits     *rates // of long waits that a fetcher says a site asked for
	doubts    *doubts
	arrived   *recentDomains[*arrival]
	expected  *recentDomains[struct{}] // to come from others soon: their leases here are called home
	asker     *asker
	crier     crier
	sender    *sender
	mover     *mover
	inquirer  *inquirer
	stalled   *stalled
	lostLogs  *lostLogs
	overdue   *overdue
	late      *late
	lone      *lone
	keeper    *slotKeeper
	addresses *addresses

	open      atomic.Bool // leases are granted and domains taken in
	leaving   atomic.Bool
	received  atomic.Int64
	turns     turns           // of those that bring domains while this node stands by
	restUntil atomic.Int64    // nothing is leased before, Unix nanoseconds
	life      context.Context // ends with Serve
	end       context.CancelFunc
	wg        sync.WaitGroup
	counts    *Counts
}

// expectedFor is how long a domain is not leased after another member has asked to
// bring it here. It asks again as long as it means to.
const expectedFor = 30 * time.Second

// New wires a Swarm into the network: from now on requests are answered.
func New(cfg Config) *Swarm {
	s := &Swarm{cfg: cfg, net: cfg.Net, log: cfg.Log, acked: newAcked(), counts: cfg.Counts}
	if s.counts == nil {
		s.counts = NewCounts()
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.returns = newReturns(s)
	s.wants = newWants(cfg.Now, ChooseKnown, func(peer string) int { return s.credits.left(peer) })
	s.credits, s.seeds, s.arrived = newCredits(cfg.Now), newRates(seedBurst, seedEvery), newRecent[*arrival](lateFor)
	s.expected = newRecent[struct{}](min(cfg.LeaseFor, expectedFor))
	s.unpacked = newRates(movedBurst, movedEvery)
	s.begun, s.waits, s.doubts = newRates(beginBurst, beginEvery), newRates(waitBurst, waitEvery), newDoubts()
	if cfg.Hurry {
		s.begun = newRates(hurriedBurst, beginEvery/hurriedBurst)
	}
	s.asker = newAsker(s)
	s.sender = newSender(s)
	s.mover = newMover(s)
	s.inquirer = newInquirer(s)
	s.stalled = newStalled(s)
	s.lostLogs = &lostLogs{s: s, list: make(map[string]search)}
	s.overdue, s.late = newOverdue(cfg.LeaseFor), newLate()
	s.lone = newLone(s.None, cfg.Now)
	s.keeper = newSlotKeeper(s)
	s.addresses = newAddresses(s)
	s.handlers = map[wire.Kind]Handler{
		wire.KindAsk: s.handleAsk, wire.KindReport: s.handleReport, wire.KindLinks: s.handleLinks, wire.KindHave: s.handleHave,
		wire.KindMove: s.handleMove, wire.KindSlot: s.handleSlot, wire.KindTakeSlot: s.handleTakeSlot, wire.KindUnslot: s.handleUnslot,
		wire.KindHeldSlots: s.handleHeldSlots, wire.KindTellSlots: s.handleTellSlots, wire.KindWanted: s.handleWanted,
	}
	if s.cfg.Router == nil {
		delete(s.handlers, wire.KindAsk)
	}
	if s.fetches() {
		s.handlers[wire.KindOffer], s.handlers[wire.KindRecall] = s.handleOffer, s.handleRecall
	}
	for kind, h := range s.handlers {
		s.net.Handle(kind, h)
	}
	return s
}

// fetches reports whether this Swarm is that of a node, not of a log it acts for.
func (s *Swarm) fetches() bool { return s.cfg.Fetcher != nil }

// leads reports whether this node leads the log.
func (s *Swarm) leads() bool { return s.cfg.Leads == nil || s.cfg.Leads() }

// still returns for how long no domains are moved.
func (s *Swarm) still() time.Duration {
	if s.cfg.Still == nil {
		return 0
	}
	return s.cfg.Still()
}

// slow reports whether this node stands by.
func (s *Swarm) slow() bool { return s.cfg.Slow != nil && s.cfg.Slow() }

// callSelf answers what is meant for a member that this node has taken over from.
func (s *Swarm) callSelf(ctx context.Context, _ string, kind wire.Kind, body []byte) ([]byte, error) {
	return s.handlers[kind](ctx, s.net.Self(), body)
}

// Serve works until ctx is done.
func (s *Swarm) Serve(ctx context.Context) error {
	var all sync.WaitGroup
	parts := []func(context.Context) error{s.sender.Serve, s.mover.Serve, s.inquirer.Serve, s.stalled.Serve, s.keeper.Serve, s.addresses.Serve}
	if s.fetches() {
		parts = append(parts, s.returns.Serve, s.asker.Serve)
	} else if s.cfg.Router != nil {
		parts = append(parts, s.beckon)
	}
	for _, part := range parts {
		all.Go(func() { part(ctx) }) // they end with ctx alone
	}
	all.Wait()
	s.end()
	s.wg.Wait()
	return ctx.Err()
}

// Open lets leases be granted and domains be taken in: this node knows who the
// members are.
func (s *Swarm) Open() {
	s.open.Store(true)
	s.bringOwn()
	s.mover.look()
	signal(s.inquirer.wake)
}

// Look makes it look for domains to hand over now, and for those to ask about.
func (s *Swarm) Look() {
	s.addresses.arm()
	s.bringOwn()
	s.mover.look()
	signal(s.inquirer.wake)
	signal(s.asker.wake)
}

// bringOwn brings outcomes of this node's own leases to its log now that it leads it: before
// it grants their tasks again.
func (s *Swarm) bringOwn() {
	if s.fetches() && s.leads() {
		s.returns.hurry(s.net.Self())
	}
}

// Tally returns what counts the events of this Swarm.
func (s *Swarm) Tally() *Counts { return s.counts }

// Owns reports whether a domain belongs to this node.
func (s *Swarm) Owns(d crawl.Domain) bool {
	owner, ok := s.net.Owner(d)
	return !ok || owner == s.net.Self()
}

// MayLease implements route.Others.
func (s *Swarm) MayLease(d crawl.Domain) bool {
	_, expected := s.expected.get(d, s.now())
	return s.Owns(d) && !expected && s.now().UnixNano() >= s.restUntil.Load()
}

// Rest keeps this node from leasing its domains for a while.
func (s *Swarm) Rest(d time.Duration) { s.restUntil.Store(s.now().Add(d).UnixNano()) }

// AsksFirst reports whether former owners must be asked before a domain is begun.
func (s *Swarm) AsksFirst() bool { return !s.open.Load() || len(s.net.Neighbours(1)) > 0 }

// Settle takes the outcome of a lease that another node granted.
func (s *Swarm) Settle(ctx context.Context, o crawl.Outcome) error { return s.returns.Settle(ctx, o) }

// SettleAtStart is Settle for what an earlier run could not settle, before Serve. It reports false if there is no room for it.
func (s *Swarm) SettleAtStart(o crawl.Outcome) bool { return s.returns.SettleAtStart(o) }

// Forward is Settle for who must not wait.
func (s *Swarm) Forward(o crawl.Outcome) {
	s.wg.Go(func() {
		if err := s.returns.Settle(s.life, o); err != nil {
			s.lost([]crawl.Outcome{o})
		}
	})
}

// Release gives such a lease back.
func (s *Swarm) Release(l crawl.Lease) {
	s.asker.over(l)
	s.returns.Release(l)
}

// None implements route.Others.
func (s *Swarm) None() bool { return len(s.net.Neighbours(1)) == 0 }

// Wanted implements route.Others.
func (s *Swarm) Wanted() int { return s.wants.total() }

// Wants implements route.Others.
func (s *Swarm) Wants(fetcher string) bool { return s.wants.has(fetcher) }

// Declines implements route.Others.
func (s *Swarm) Declines(fetcher string, d crawl.Domain) bool { return s.wants.refuses(fetcher, d) }

func (s *Swarm) now() time.Time { return s.cfg.Now() }

func (s *Swarm) tell(e Event) {
	switch e.Kind {
	case LinksTaken, LeasesHeld, DomainsTaken:
		s.received.Add(1)
	}
	s.counts.add(e)
	if s.cfg.Tell != nil {
		s.cfg.Tell(e)
	}
}

func (s *Swarm) told(list []crawl.Outcome, over []crawl.Lease) {
	if len(list)+len(over) > 0 {
		s.cfg.Settled(list, over)
	}
}

func (s *Swarm) lost(list []crawl.Outcome) {
	if len(list) > 0 {
		s.cfg.Lost(list)
	}
}

// lies reports whether no honest member brings a URL: it leads to where no crawl of this network goes. One that is merely
// not of this node's crawl is not taken either, but that is no lie: settings and versions of others may take in more.
func (s *Swarm) lies(u crawl.URL) bool { return !s.cfg.Scope.World(u) }

// admits reports whether an outlink is one of this crawl, in its spelling.
func (s *Swarm) admits(l crawl.Outlink, now time.Time) bool {
	if l.Source > 0 {
		return s.cfg.Scope.AdmitSource(l.URL)
	}
	u, ok := s.cfg.Scope.Admit(l.URL, int(l.Depth), now)
	return ok && u == l.URL
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// call asks a peer and reads its answer.
func call[A any, P wire.Pointer[A]](ctx context.Context, s *Swarm, to string, kind wire.Kind, m wire.Message) (A, error) {
	var none A
	ask := s.net.Call
	if to == s.net.Self() && s.leads() && s.handlers[kind] != nil {
		ask = s.callSelf
	}
	raw, err := ask(ctx, to, kind, wire.Encode(m))
	if err != nil {
		return none, err
	}
	answer, err := wire.Decode[A, P](raw)
	if err != nil {
		s.refuse(to, "malformed answer", 20)
	}
	return answer, err
}

// sleep waits, and reports whether ctx is not done.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// peerName is a short form of a peer's ID, for the log.
func peerName(id string) string {
	p := peer.ID(ownerOf(id)).String()
	return p[max(len(p)-8, 0):]
}

// Returning returns how many leases of others wait for their outcomes to get
// home.
func (s *Swarm) Returning() int { return s.returns.Waiting() }

// Received counts what came from others: links, leases, domains, questions.
func (s *Swarm) Received() int64 { return s.received.Load() }
