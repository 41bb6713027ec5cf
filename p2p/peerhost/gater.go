package peerhost

import (
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost/address"
	"github.com/forage-net/forage/p2p/peerhost/portmap"
	"github.com/forage-net/forage/p2p/peerhost/sockets"
)

// maxAnnounced is the most own addresses we tell others: two families, two
// transports, a few interfaces and relays. More would crowd out the record that
// carries them.
const maxAnnounced = 16

// Gater decides which connections a host makes and takes, and which of its own
// addresses it tells. It is safe for concurrent use.
//
// Peers decide what addresses we hear of, so none is dialled unless its world
// allows it: else a stranger could aim us at printers and routers. In the Public
// world that also excludes ports below 1024 other than 443, where no peer
// listens but other people's services do. Names are never dialled nor
// looked up here; the Finder resolves those the user gave.
//
// In the Public world a connection from an address of a local network is taken:
// it comes from a network that this computer is attached to (or from a router
// that shows its own address), and taking it sends us nowhere. One from loopback
// is not, as both ends of it are this computer. In the Lab world only loopback
// and private addresses are taken.
type Gater struct {
	world   World
	lan     lanPeers
	subnets func() []netip.Prefix
	mapping portmap.Mapping
	banned  atomic.Pointer[func(peer.ID) bool]
	silent  atomic.Bool // nobody is dialled, and nobody taken
	valve   sockets.Valve
	relays  relays
}

var _ connmgr.ConnectionGater = (*Gater)(nil)

func newGater(world World) *Gater {
	s := &ownSubnets{}
	return &Gater{world: world, subnets: s.get}
}

// SetBanned sets the function that says whom never to talk to; nil bans
// nobody. It is called on every connection, from many goroutines, and must not block.
func (g *Gater) SetBanned(f func(peer.ID) bool) {
	if f == nil {
		g.banned.Store(nil)
		return
	}
	g.banned.Store(&f)
}

// AllowLAN lets the host dial p at addresses in this computer's own subnets for
// the next ttl, which replaces an earlier one. It reports false, and allows
// nothing, while too many peers are allowed already.
func (g *Gater) AllowLAN(p peer.ID, ttl time.Duration) bool {
	return g.lan.allow(p, time.Now().Add(ttl))
}

// IsLAN reports whether p is allowed at local addresses.
func (g *Gater) IsLAN(p peer.ID) bool { return g.lan.has(p, time.Now()) }

// Announce returns those of the host's own addresses that others may be told:
// public ones in the Public world, loopback and private ones in a lab. Peers on
// the local network learn local addresses from mDNS.
func (g *Gater) Announce(addrs []ma.Multiaddr) []ma.Multiaddr {
	out := make([]ma.Multiaddr, 0, min(len(addrs), maxAnnounced))
	for _, a := range addrs {
		if len(out) < maxAnnounced && g.general(a) {
			out = append(out, a)
		}
	}
	return out
}

// general reports whether a is good for everybody in this world, not only for
// neighbours on a local network.
func (g *Gater) general(a ma.Multiaddr) bool {
	e, ok := address.Parse(a)
	switch {
	case !ok:
		return false
	case g.world == Lab:
		return !e.Circuit && address.Lab(e.IP)
	case e.Circuit && !e.IP.IsValid():
		return true // the relay's own address is checked when it is dialled
	}
	return address.Public(e.IP) && (e.Port >= 1024 || e.Port == 443)
}

// neighbour reports whether a is an address in one of this computer's own
// subnets, as those of peers on the same local network are.
func (g *Gater) neighbour(a ma.Multiaddr) bool {
	e, ok := address.Parse(a)
	if !ok || e.Circuit || !address.Nearby(e.IP) {
		return false
	}
	return slices.ContainsFunc(g.subnets(), func(s netip.Prefix) bool { return s.Contains(e.IP) })
}

// InterceptPeerDial implements connmgr.ConnectionGater.
func (g *Gater) InterceptPeerDial(p peer.ID) bool { return g.mayDial(p) }

// InterceptAddrDial implements connmgr.ConnectionGater.
func (g *Gater) InterceptAddrDial(p peer.ID, a ma.Multiaddr) bool {
	return g.general(a) || g.world == Public && g.IsLAN(p) && g.neighbour(a)
}

// InterceptAccept implements connmgr.ConnectionGater.
func (g *Gater) InterceptAccept(c network.ConnMultiaddrs) bool {
	e, ok := address.Parse(c.RemoteMultiaddr())
	switch {
	case !ok || g.silent.Load():
		return false
	case g.world == Lab:
		return !e.Circuit && address.Lab(e.IP)
	case e.Circuit:
		return !e.IP.IsValid() || address.Public(e.IP)
	}
	return address.Public(e.IP) || address.Nearby(e.IP)
}

// InterceptSecured implements connmgr.ConnectionGater.
func (g *Gater) InterceptSecured(_ network.Direction, p peer.ID, _ network.ConnMultiaddrs) bool {
	return g.mayDial(p)
}

// InterceptUpgraded implements connmgr.ConnectionGater.
func (g *Gater) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) { return true, 0 }

func (g *Gater) isBanned(p peer.ID) bool {
	f := g.banned.Load()
	return f != nil && (*f)(p)
}
