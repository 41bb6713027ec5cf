package p2p

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/flood"
	"github.com/forage-net/forage/p2p/history"
	"github.com/forage-net/forage/p2p/members"
	"github.com/forage-net/forage/p2p/requests"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/vouches"
	"github.com/forage-net/forage/p2p/wire"
)

// Finder finds and connects peers; *peerhost.Finder is one.
type Finder interface {
	// PeerGone says that a peer does not answer any more.
	PeerGone(p peer.ID)
	// FindPeer looks up where a peer is.
	FindPeer(ctx context.Context, id peer.ID) (peer.AddrInfo, error)
}

// Store keeps what a member must remember between runs.
type Store interface {
	// LoadRoster returns the signed items of the last run and the last sequence
	// number this node used.
	LoadRoster() (items [][]byte, seq uint64, err error)
	// SaveRoster keeps them.
	SaveRoster(items [][]byte, seq uint64) error
}

// Times are how long a network waits for its members.
type Times struct {
	// Beat is the time between two signs of life, Misses how many may be missing.
	Beat   time.Duration
	Misses int
	// Probe is how long a third member may take to find out about another.
	Probe time.Duration
	// Out is how long a member must be down to be declared out; Unheard the same for one that was never heard: there
	// may be nobody.
	Out, Unheard time.Duration
	// Join is how long a node that knows of others looks for them before it
	// believes itself alone; JoinKnown the same if it knew members in its last run.
	Join, JoinKnown time.Duration
	// Ownership is how long a node must have been up to own domains, while others do.
	Ownership time.Duration
	// Compare is how often rosters are compared with another member.
	Compare time.Duration
	// Save is how often the roster is saved; changes among few owners are saved at once.
	Save time.Duration
}

// PublicTimes are those of every network but labs, LabTimes those of labs.
func PublicTimes() Times {
	return Times{
		Beat: 4 * time.Second, Misses: 2, Probe: 3 * time.Second, Out: time.Hour, Unheard: 5 * time.Minute,
		Join: 30 * time.Second, JoinKnown: 30 * time.Minute,
		Ownership: time.Hour, Compare: time.Minute, Save: time.Minute,
	}
}

// LabTimes are those of closed test networks.
func LabTimes() Times {
	return Times{
		Beat: 2 * time.Second, Misses: 2, Probe: 2 * time.Second, Out: 20 * time.Second, Unheard: 20 * time.Second,
		Join: 30 * time.Second, JoinKnown: time.Minute,
		Compare: 10 * time.Second, Save: time.Minute,
	}
}

// Config says how a Node works.
type Config struct {
	Host    host.Host
	Key     crypto.PrivKey
	Network string
	// Lab says that this is a closed test network: loopback addresses count as
	// dialable.
	Lab bool
	// Capacity returns how many units this node owns once it may, 0 if it only
	// fetches.
	Capacity func() uint8
	// Takes, if set, reports whether this node may begin to own domains now. What it owns it keeps.
	Takes func() bool
	// Expects says that there are addresses of others to begin with.
	Expects bool
	// Finder, Store and Counter may be nil.
	Finder  Finder
	Store   Store
	Counter calls.Counter
	Limiter calls.Limiter
	// Addrs returns where this node can be reached, Reach from where; nil means
	// the host's addresses, from everywhere.
	Addrs func() []ma.Multiaddr
	Reach func() roster.Reach
	// Places may be nil.
	Places requests.Places
	// Gate, if set, puts requests off.
	Gate requests.Gate
	// MayDial, if set, reports whether a member may be dialled at an address that its record names.
	MayDial func(peer.ID, ma.Multiaddr) bool
	// Founders are members that count without a vouch, and whose vouches count: those that an invite names.
	Founders []peer.ID
	// Version is this program's.
	Version string
	Times   Times
	// Now is the wall clock of records; nil means time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// Node is a member of a network. Its methods are safe for concurrent use.
type Node struct {
	// Members are those of the network.
	Members *members.Members
	// Requests go to others, and come from them. Handlers must be set before Serve.
	Requests *requests.Requests
	// Vouches are what others say of this node.
	Vouches *vouches.Vouches

	cfg      Config
	self     peer.ID
	log      *slog.Logger
	started  time.Time
	beats    *beats
	exchange *exchange
	gossip   *gossip
	history  *history.History
	untrue   chan struct{} // told when others know something of this node that is not true
	joined   chan struct{} // closed when others were met, or none were found
	join     sync.Once
	greeted  chan struct{} // gets a token when a peer without owners was met
	alone    atomic.Bool
	wg       sync.WaitGroup

	mu      sync.Mutex
	own     atomic.Pointer[roster.Record] // the last one of this run; mu guards changes
	seq     uint64                        // of the last own record
	leaving roster.State                  // what it says of itself; 0 while it stays
	away    bool                          // while it rests it owns nothing
	known   [][]byte                      // items of the last run, until others were met
}

// New returns a node. Handlers must be set before Serve.
func New(cfg Config) (*Node, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	n := &Node{
		cfg: cfg, self: cfg.Host.ID(), log: cfg.Log, started: time.Now(),
		untrue: make(chan struct{}, 1), joined: make(chan struct{}), greeted: make(chan struct{}, 1),
	}
	var err error
	news := flood.New()
	n.Members = members.New(members.Config{
		Roster: roster.Config{
			Network: cfg.Network, Self: n.self, Now: cfg.Now, Lab: cfg.Lab, MaxPerNet: maxPerNet,
			Founders: cfg.Founders, Pace: news.May,
		},
		Conns: cfg.Host.ConnManager(), Own: n.heardOwn,
	})
	if n.Requests, err = requests.New(requests.Config{
		Host: cfg.Host, Members: n.Members, Gate: cfg.Gate, Finder: cfg.Finder, Places: cfg.Places, Log: cfg.Log,
		Calls: calls.Config{
			Network: cfg.Network, Dictionary: wire.Dictionary(), Meter: cfg.Counter, Limiter: cfg.Limiter, Log: cfg.Log,
		},
	}); err != nil {
		return nil, err
	}
	if cfg.Store != nil {
		if n.known, n.seq, err = cfg.Store.LoadRoster(); err != nil {
			return nil, fmt.Errorf("read roster: %w", err)
		}
	}
	n.history = history.New(n.self, cfg.Network, n.seq)
	n.Vouches = vouches.New(vouches.Config{
		Host: cfg.Host, Key: cfg.Key, Network: cfg.Network, Lab: cfg.Lab, Roster: n.Members.Roster,
		MayDial: cfg.MayDial, Compare: cfg.Times.Compare, Known: n.known, Own: n.own.Load, Record: n.Record,
		Silent: n.Requests.Silent, Reissue: n.reissue, Call: n.Requests.Call, Offend: n.Requests.Offend,
		Now: cfg.Now, Log: cfg.Log,
	})
	n.gossip = &gossip{cfg: cfg, self: n.self, members: n.Members, requests: n.Requests, news: news}
	n.beats = newBeats(cfg, n.Members, n.Requests)
	n.exchange = &exchange{
		cfg: cfg, self: n.self, members: n.Members, requests: n.Requests, vouches: n.Vouches, history: n.history,
		down: n.beats.Down, met: n.met, greet: n.greet, reissue: n.reissue,
		resync: make(chan peer.ID, 64), synced: newPaces(), disputed: disputes{notes: make(chan warning, 16)},
	}
	n.beats.resync, n.beats.publish = n.exchange.soon, n.gossip.publish
	n.Members.Roster.Recall(n.known)
	n.exchange.settled.Store(n.knewOthers())
	n.Members.Refresh()
	n.Requests.Handle(wire.KindSync, n.exchange.handleSync)
	n.Requests.Handle(wire.KindPing, n.beats.handlePing)
	n.Requests.Handle(wire.KindProbe, n.beats.handleProbe)
	n.Requests.Handle(wire.KindSign, n.beats.handleSign)
	n.Requests.Handle(wire.KindVouch, n.Vouches.Handle)
	return n, nil
}

// maxPerNet is the most owners in one IPv4 /24 or IPv6 /48: part of the protocol.
const maxPerNet = 2

// Serve takes part in the network until ctx is done.
func (n *Node) Serve(ctx context.Context) error {
	heard, err := n.gossip.join(ctx)
	if err != nil {
		return err
	}
	n.wg.Go(func() { // what the validator let through is in the roster already
		for {
			if _, err := heard.Next(ctx); err != nil {
				return
			}
		}
	})
	n.connectKnown(ctx)
	ended := make(chan error, 1)
	n.wg.Go(func() { ended <- n.Requests.Serve(ctx) })
	for _, part := range []func(context.Context){
		n.watchRoster, n.spreadOwn, n.exchange.serve, n.beats.serve, n.findOthers, n.seekVouches,
	} {
		n.wg.Go(func() { part(ctx) })
	}
	defer n.wg.Wait()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-ended:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("answer peers: %w", err)
	}
}

// seekVouches asks for vouches once this node knows who the members are.
func (n *Node) seekVouches(ctx context.Context) {
	select {
	case <-n.joined:
		n.Vouches.Serve(ctx)
	case <-ctx.Done():
	}
}

// Joined is closed when this node knows who the members are: it has met one,
// or found none.
func (n *Node) Joined() <-chan struct{} { return n.joined }

// SetBack is closed when others have a later record of this node than its store knows of: the store is an older
// copy. By the time Joined is closed those have been asked who were met first. It stays open for a store that
// is new.
func (n *Node) SetBack() <-chan struct{} { return n.history.SetBack() }

// Doubled is closed when another node goes on to issue records with the key of this one, and this one is to
// give way: it came later, or the other has not given way for long.
func (n *Node) Doubled() <-chan struct{} { return n.history.Doubled() }

// Alone reports whether no other member was found.
func (n *Node) Alone() bool { return n.alone.Load() }

// Self returns this node's ID as bytes.
func (n *Node) Self() string { return string(n.self) }
