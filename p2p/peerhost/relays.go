package peerhost

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/host/autorelay"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/proto"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
)

const (
	// relayLook is how often a host that nobody can reach looks for a relay while it has none.
	relayLook = 15 * time.Second
	// relayAgain is how long one that refused is left alone.
	relayAgain = 2 * time.Minute
	// relayedFor and relayedBytes are how long a relay keeps a connection and how much it
	// carries each way: a day's outcomes and links of a home, or some minutes of logs. Two
	// homes whose routers let them through need it for a moment only.
	relayedFor   = time.Hour
	relayedBytes = 16 << 20
	// relayedPeers is how many others may talk to one peer by way of a relay, relayedHome
	// how many peers behind one address may be talked to.
	relayedPeers = 64
	relayedHome  = 16
)

// relays finds, for a host that nobody can reach, peers that forward connections: those that it is connected to, which
// are bootstrap nodes.
type relays struct{ host atomic.Pointer[host.Host] }

// option has the host use them.
func (r *relays) option() libp2p.Option {
	return libp2p.EnableAutoRelayWithPeerSource(r.find, autorelay.WithBootDelay(0), autorelay.WithMinCandidates(1),
		autorelay.WithMinInterval(relayLook), autorelay.WithBackoff(relayAgain))
}

// find returns at most n of them.
func (r *relays) find(_ context.Context, n int) <-chan peer.AddrInfo {
	h := r.host.Load()
	out := make(chan peer.AddrInfo, max(n, 0))
	defer close(out)
	if h == nil {
		return out
	}
	for _, p := range (*h).Network().Peers() {
		if len(out) == cap(out) {
			break
		}
		if info, ok := relayAt(*h, p); ok {
			out <- info
		}
	}
	return out
}

// relayAt returns where a peer was dialled that forwards connections.
func relayAt(h host.Host, p peer.ID) (peer.AddrInfo, bool) {
	if speaks, err := h.Peerstore().SupportsProtocols(p, proto.ProtoIDv2Hop); err != nil || len(speaks) == 0 {
		return peer.AddrInfo{}, false
	}
	conns := h.Network().ConnsToPeer(p)
	i := slices.IndexFunc(conns, func(c network.Conn) bool {
		return c.Stat().Direction == network.DirOutbound && !c.Stat().Limited
	})
	if i < 0 {
		return peer.AddrInfo{}, false
	}
	info := peer.AddrInfo{ID: p}
	info.Addrs = append(info.Addrs, conns[i].RemoteMultiaddr())
	return info, true
}

// relayService has a bootstrap node forward connections.
func relayService() libp2p.Option {
	limits := relay.DefaultResources()
	limits.Limit = &relay.RelayLimit{Duration: relayedFor, Data: relayedBytes}
	limits.MaxCircuits, limits.MaxReservationsPerIP = relayedPeers, relayedHome
	return libp2p.EnableRelayService(relay.WithResources(limits))
}
