package peerhost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	dht "github.com/libp2p/go-libp2p-kad-dht"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost/sockets"
)

// ErrNotServing is returned by searches before Serve runs and after it ended.
var ErrNotServing = errors.New("peer search is not running")

const (
	// maxDials is how many peers are dialled at a time, by Connect and so by
	// everything here.
	maxDials = 8
	// connectTime bounds a Connect, waiting for a turn not included.
	connectTime = 10 * time.Second
)

// FinderConfig describes a Finder.
type FinderConfig struct {
	// Host and Gater are those of New. Required; the Finder closes neither.
	Host  host.Host
	Gater *Gater
	// World and Role are those of the host.
	World World
	Role  Role
	// Mode says whether this host answers those who look for others.
	Mode TableMode
	// Network is the name of the network; hosts of different networks never
	// meet in the DHT nor on the LAN. Required.
	Network string
	// Bootstrap are peers to begin with. A lab looks up no names and allows none.
	Bootstrap Peers
	// Book keeps peers between runs, if not nil.
	Book Book
	// MDNS looks for peers on the local network.
	MDNS bool
	// Resolver looks up the names in Bootstrap; nil is the system's.
	Resolver Resolver
	// Spent, if not nil, is told of bytes that multicast on the local network takes,
	// by estimate. It must not block.
	Spent sockets.Count
	// Log is told what users would want to read; nil is none.
	Log *slog.Logger
}

// Finder finds peers for a host. Its methods may be called at any time from
// any goroutine.
type Finder struct {
	cfg   FinderConfig
	log   *slog.Logger
	dials chan struct{} // a token for each dial under way

	serving atomic.Bool
	table   atomic.Pointer[dht.IpfsDHT] // nil unless Serve runs
	joined  chan struct{}               // told when a peer was reached after none was

	memory memory
	names  resolved
	reach  reachWatch
}

// NewFinder returns a Finder that does nothing until Serve is called.
func NewFinder(c FinderConfig) (*Finder, error) {
	switch {
	case c.Host == nil || c.Gater == nil:
		return nil, errors.New("finder has no host")
	case c.World != c.Gater.world:
		return nil, errors.New("finder and host are in different worlds")
	case c.Network == "" || len(c.Network) > maxNetwork:
		return nil, fmt.Errorf("network name %.100q: must have 1 to %d bytes", c.Network, maxNetwork)
	case c.World == Lab && len(c.Bootstrap.Names) > 0:
		return nil, fmt.Errorf("bootstrap address %s: a lab looks up no names; use an IP address", c.Bootstrap.Names[0])
	}
	if c.Role == 0 {
		c.Role = Member
	}
	if c.Resolver == nil {
		c.Resolver = net.DefaultResolver
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Finder{cfg: c, log: c.Log, dials: make(chan struct{}, maxDials), joined: make(chan struct{}, 1)}, nil
}

// Serve looks for peers until ctx is done, which it returns, and saves those
// it found last. It leaves connections open. An error before that means that
// the search could not start.
func (f *Finder) Serve(ctx context.Context) error {
	if !f.serving.CompareAndSwap(false, true) {
		return errors.New("peer search is already running")
	}
	defer f.serving.Store(false)
	events, err := f.reach.subscribe(f.cfg.Host.EventBus())
	if err != nil {
		return fmt.Errorf("watch reachability: %w", err)
	}
	defer events.Close()
	table, err := newTable(f.cfg)
	if err != nil {
		return err
	}
	f.load()
	f.table.Store(table)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { f.keepJoined(ctx) })
	wg.Go(func() { f.keepFresh(ctx, table) })
	wg.Go(func() { f.keepSaved(ctx) })
	wg.Go(func() { f.keepSingle(ctx) })
	wg.Go(func() { f.reach.watch(ctx, events) })
	if f.cfg.MDNS {
		wg.Go(func() { f.watchLAN(ctx) })
	}
	wg.Wait()
	f.save()
	f.table.Store(nil)
	return errors.Join(ctx.Err(), table.Close())
}

// Connect connects the host to p, if it is not yet, at the addresses given and
// known. It waits its turn while many dials are under way, and then at most 5 s.
func (f *Finder) Connect(ctx context.Context, p peer.AddrInfo) error {
	if f.cfg.Host.Network().Connectedness(p.ID) == network.Connected {
		return nil
	}
	select {
	case f.dials <- struct{}{}:
		defer func() { <-f.dials }()
	case <-ctx.Done():
		return fmt.Errorf("connect to peer %s: %w", p.ID, ctx.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	addrs := slices.DeleteFunc(slices.Clone(p.Addrs),
		func(a ma.Multiaddr) bool { return !f.cfg.Gater.InterceptAddrDial(p.ID, a) })
	addrs = addrs[:min(len(addrs), maxPeerAddrs)]
	if err := f.cfg.Host.Connect(ctx, peer.AddrInfo{ID: p.ID, Addrs: addrs}); err != nil {
		return fmt.Errorf("connect to peer %s: %w", p.ID, err)
	}
	return nil
}

// FindPeer asks the network for the addresses of id. They are good for
// everybody: local ones are not told.
func (f *Finder) FindPeer(ctx context.Context, id peer.ID) (peer.AddrInfo, error) {
	table := f.table.Load()
	if table == nil {
		return peer.AddrInfo{}, ErrNotServing
	}
	found, err := table.FindPeer(ctx, id)
	if err != nil {
		return peer.AddrInfo{}, fmt.Errorf("find peer %s: %w", id, err)
	}
	return peer.AddrInfo{ID: id, Addrs: f.cfg.Gater.Announce(found.Addrs)}, nil
}

// PeerGone removes p from the routing table: the caller knows that it is dead or
// left, which the DHT would notice much later.
func (f *Finder) PeerGone(p peer.ID) {
	if table := f.table.Load(); table != nil {
		table.RoutingTable().RemovePeer(p)
	}
}

// TableSize returns how many peers the routing table holds.
func (f *Finder) TableSize() int {
	if table := f.table.Load(); table != nil {
		return table.RoutingTable().Size()
	}
	return 0
}
