package peerhost

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	"github.com/libp2p/go-libp2p/p2p/transport/quic"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/peerhost/sockets"
)

// dialTimeout bounds the dial of one address, with the handshake. Six round trips over a line that loses every tenth
// packet mostly fit; libp2p's 15 s would make every search wait for the dead.
const dialTimeout = 10 * time.Second

// New returns a listening host and its gater. The caller closes the host. It
// fails only if it can listen on none of the addresses; a computer without IPv6
// is normal.
func New(c Config) (host.Host, *Gater, error) {
	opts, g, err := Options(c)
	if err != nil {
		return nil, nil, err
	}
	h, err := libp2p.New(opts...)
	if err != nil {
		return nil, nil, fmt.Errorf("start host: %w", err)
	}
	g.relays.host.Store(&h)
	return h, g, nil
}

// Options returns the options of the host that c describes, for libp2p.New, and
// its gater. They serve one host, which owns what they have started; so one must be
// made of them.
func Options(c Config) ([]libp2p.Option, *Gater, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	resources, err := newResourceManager(c)
	if err != nil {
		return nil, nil, err
	}
	conns, err := newConnManager(c)
	if err != nil {
		return nil, nil, err
	}
	peers, err := newPeerstore()
	if err != nil {
		return nil, nil, err
	}
	g := newGater(c.World)
	g.valve.Count, g.mapping.Spent = c.Sockets, c.Spent
	opts := []libp2p.Option{
		libp2p.Identity(c.Key),
		libp2p.ListenAddrs(c.listen()...),
		sockets.TCP(c.Sockets, dialTimeout),
		libp2p.Security(noise.ID, noise.New),
		libp2p.Muxer(yamux.ID, yamux.DefaultTransport),
		libp2p.UserAgent(crawl.Token + "/" + crawl.Version),
		libp2p.DisableMetrics(),
		libp2p.WithDialTimeout(dialTimeout),
		libp2p.ConnectionManager(conns),
		libp2p.ResourceManager(resources),
		libp2p.Peerstore(peers),
		libp2p.ConnectionGater(g),
		libp2p.AddrsFactory(func(own []ma.Multiaddr) []ma.Multiaddr {
			return g.Announce(slices.Concat(c.External,
				own))
		}),
		libp2p.MultiaddrResolver(noNames{}),
	}
	if c.Secret.IsZero() {
		opts = append(opts, libp2p.Transport(libp2pquic.NewTransport), sockets.QUIC(&g.valve, c.ListenUDP, c.QUIC))
	} else {
		opts = append(opts, libp2p.PrivateNetwork(c.Secret.PSK()))
	}
	if c.Bandwidth != nil {
		opts = append(opts, libp2p.BandwidthReporter(c.Bandwidth))
	}
	opts = append(opts, worldOptions(c, g)...)
	return append(opts, c.Extra...), g, nil
}

// worldOptions is what depends on world and role: how to be reached.
func worldOptions(c Config, g *Gater) []libp2p.Option {
	if c.World == Lab || c.Simulated {
		// Taking itself for reachable keeps the host from asking others to
		// dial it back.
		out := []libp2p.Option{libp2p.ForceReachabilityPublic(), libp2p.DisableRelay()}
		if c.Simulated {
			out = append(out, libp2p.DisableIdentifyAddressDiscovery())
		}
		return out
	}
	out := []libp2p.Option{libp2p.EnableRelay(), libp2p.EnableHolePunching(), libp2p.EnableAutoNATv2()}
	if c.PortMap {
		out = append(out, libp2p.NATManager(g.mapping.Watch))
	}
	switch {
	case c.Role == Bootstrap:
		out = append(out, libp2p.ForceReachabilityPublic(), relayService(), libp2p.EnableNATService())
	case len(c.Relays) > 0:
		out = append(out, libp2p.EnableAutoRelayWithStaticRelays(c.Relays))
	default:
		out = append(out, g.relays.option())
	}
	return out
}

// noNames is the resolver of the host. It resolves nothing: a stranger's
// address must not make this computer look up a name. The Finder resolves
// the names of the bootstrap list before the host sees them.
type noNames struct{}

func (noNames) ResolveDNSAddr(context.Context, peer.ID, ma.Multiaddr, int, int) ([]ma.Multiaddr, error) {
	return nil, nil
}

func (noNames) ResolveDNSComponent(context.Context, ma.Multiaddr, int) ([]ma.Multiaddr, error) {
	return nil, nil
}

var _ network.MultiaddrDNSResolver = noNames{}
