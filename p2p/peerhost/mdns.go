package peerhost

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/discovery/mdns"
	ma "github.com/multiformats/go-multiaddr"
	"golang.org/x/time/rate"

	"github.com/forage-net/forage/p2p/peerhost/address"
)

// What multicast moves on sockets of the library cannot be counted, so it is estimated: payload, as at a socket call.
const (
	// mdnsQuery is a question for peers, with the answers that are known; one goes out
	// after 4 s, then at twice the wait up to a minute, over IPv4 and IPv6: so
	// many in a lanRound. Other computers ask as often.
	mdnsQuery   = 120
	mdnsQueries = 2 * 14
	// mdnsAnswer is what a peer says of itself, twice in a round for each of the two.
	mdnsAnswer  = 600
	mdnsAnswers = 2 * 2
)

const (
	// lanTTL is how long a peer heard of by mDNS may be dialled at local
	// addresses: a few rounds of lanRound.
	lanTTL = 35 * time.Minute
	// lanAddrTTL must differ from every TTL in libp2p's peerstore package: identify
	// drops addresses whose TTL equals peerstore.TempAddrTTL, and a peer never
	// identifies itself with its local ones in the Public world.
	lanAddrTTL = lanTTL + time.Second
	// lanRound is how often mDNS starts over. It asks again, and announces the
	// addresses of the networks this computer is on now; what it kept of
	// announcements, true or not, is dropped.
	lanRound = 10 * time.Minute
	// lanQueue is how many peers found wait for their turn; more are dropped
	// until the next round.
	lanQueue = 64
	// lanRate and lanBurst limit dials, in peers per second, so that garbage
	// on the network does not become traffic.
	lanRate  = 1
	lanBurst = 16
)

// watchLAN looks for peers on the local network until ctx is done.
func (f *Finder) watchLAN(ctx context.Context) {
	found := make(foundPeers, lanQueue)
	limit := rate.NewLimiter(lanRate, lanBurst)
	level := slog.LevelInfo // once; later rounds fail for the same reason
	for ctx.Err() == nil {
		service := mdns.NewMdnsService(lanHost{f.cfg.Host, f.cfg.World}, serviceName(f.cfg.Network), found)
		err := service.Start()
		if err != nil {
			f.log.LogAttrs(ctx, level, "Not looking for peers on the local network", slog.Any("err", err))
			level = slog.LevelDebug
		}
		if err == nil {
			f.spendRound()
		}
		f.greetLAN(ctx, found, limit)
		if err == nil {
			_ = service.Close() // it always succeeds
		}
	}
}

// greetLAN connects to the peers found in one round.
func (f *Finder) greetLAN(ctx context.Context, found foundPeers, limit *rate.Limiter) {
	ctx, cancel := context.WithTimeout(ctx, lanRound)
	defer cancel()
	for {
		select {
		case p := <-found:
			f.spendNeighbour()
			f.greet(ctx, p, limit)
		case <-ctx.Done():
			return
		}
	}
}

// greet connects to a peer that says it is on the local network, if what it
// says can be so.
func (f *Finder) greet(ctx context.Context, p peer.AddrInfo, limit *rate.Limiter) {
	if p.ID == f.cfg.Host.ID() || p.ID.Validate() != nil {
		return
	}
	addrs := slices.DeleteFunc(slices.Clone(p.Addrs), func(a ma.Multiaddr) bool {
		if f.cfg.World == Lab {
			return !f.cfg.Gater.general(a)
		}
		return !f.cfg.Gater.neighbour(a)
	})
	if len(addrs) == 0 || !f.cfg.Gater.AllowLAN(p.ID, lanTTL) {
		return
	}
	addrs = addrs[:min(len(addrs), maxPeerAddrs)]
	f.cfg.Host.Peerstore().AddAddrs(p.ID, addrs, lanAddrTTL)
	if f.cfg.Host.Network().Connectedness(p.ID) == network.Connected || limit.Wait(ctx) != nil {
		return
	}
	if err := f.Connect(ctx, peer.AddrInfo{ID: p.ID, Addrs: addrs}); err != nil {
		f.log.LogAttrs(ctx, slog.LevelDebug, "Peer on the local network not reached", slog.Any("err", err))
		return
	}
	f.log.LogAttrs(ctx, slog.LevelInfo, "Connected to a peer on the local network", slog.String("peer", p.ID.String()))
	poke(f.joined)
}

// serviceName is the mDNS service of a network. It tells the local network
// nothing but that there is one: names may be private.
func serviceName(network string) string {
	sum := sha256.Sum256([]byte(network))
	return "_forage-" + hex.EncodeToString(sum[:3]) + "._udp"
}

// foundPeers takes what mDNS finds; it calls from a new goroutine for each.
type foundPeers chan peer.AddrInfo

// HandlePeerFound implements mdns.Notifee and never waits.
func (c foundPeers) HandlePeerFound(p peer.AddrInfo) {
	select {
	case c <- p:
	default:
	}
}

// lanHost is the host as mDNS sees it: with the listening addresses only that
// are worth announcing on a local network.
type lanHost struct {
	host.Host
	world World
}

// Network returns the host's network with those addresses.
func (h lanHost) Network() network.Network { return lanNetwork{h.Host.Network(), h.world} }

type lanNetwork struct {
	network.Network
	world World
}

// InterfaceListenAddresses returns the listening addresses of local networks,
// and in a lab those of loopback.
func (n lanNetwork) InterfaceListenAddresses() ([]ma.Multiaddr, error) {
	all, err := n.Network.InterfaceListenAddresses()
	return slices.DeleteFunc(slices.Clone(all), func(a ma.Multiaddr) bool {
		e, ok := address.Parse(a)
		return !ok || e.Circuit || !address.Nearby(e.IP) && (n.world != Lab || !e.IP.IsLoopback())
	}), err
}

// spendRound tells what looking for peers on the local network takes.
func (f *Finder) spendRound() {
	f.cfg.Spent.Add(true, mdnsQueries*mdnsQuery+mdnsAnswers*mdnsAnswer)
	f.cfg.Spent.Add(false, mdnsAnswers*mdnsAnswer) // multicast comes back
}

// spendNeighbour tells what a peer found on the local network takes.
func (f *Finder) spendNeighbour() {
	f.cfg.Spent.Add(false, mdnsQueries*mdnsQuery/2+mdnsAnswers/2*mdnsAnswer)
	f.cfg.Spent.Add(true, mdnsAnswers/2*mdnsAnswer)
}
