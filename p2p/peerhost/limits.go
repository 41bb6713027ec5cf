package peerhost

import (
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/p2p/host/peerstore/pstoremem"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	"github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/x/rate"
)

const (
	// memberMemory is what libp2p may reserve for buffers on a volunteer's
	// computer; refused reservations mean smaller windows, then refused streams.
	memberMemory = 64 << 20
	// bootstrapMemory is the same for a server that relays.
	bootstrapMemory = 512 << 20
	// peerConns leaves room for a TCP and a QUIC connection dialled from both
	// ends at once.
	peerConns = 4
	// streamsPerSocket is generous: a peer that works has two or three open.
	streamsPerSocket = 16
	// trimGrace is how long a new connection is safe from trimming: long enough
	// to say what it is good for.
	trimGrace = 30 * time.Second
)

// newResourceManager returns the hard limits: whatever exceeds them is refused.
func newResourceManager(c Config) (network.ResourceManager, error) {
	defaults := rcmgr.DefaultLimits
	libp2p.SetDefaultServiceLimits(&defaults)
	memory := int64(memberMemory)
	opts := []rcmgr.Option{rcmgr.WithMetricsDisabled()}
	if c.Role == Bootstrap {
		memory = bootstrapMemory
		opts = append(opts, rcmgr.WithLimitPerSubnet(serverSubnets()), rcmgr.WithConnRateLimiters(serverRates()))
	} else {
		opts = append(opts, rcmgr.WithLimitPerSubnet(homeSubnets()))
	}
	limits := rcmgr.PartialLimitConfig{
		System:      systemLimits(c.MaxSockets, memory),
		Transient:   transientLimits(c.MaxSockets, memory),
		PeerDefault: rcmgr.ResourceLimits{Conns: peerConns, ConnsInbound: peerConns, ConnsOutbound: peerConns},
	}
	m, err := rcmgr.NewResourceManager(rcmgr.NewFixedLimiter(limits.Build(defaults.Scale(memory, c.MaxSockets))),
		opts...)
	if err != nil {
		return nil, fmt.Errorf("make resource manager: %w", err)
	}
	return m, nil
}

// systemLimits keeps a quarter of the sockets for connections of our own, so
// that strangers cannot cut us off by connecting.
func systemLimits(sockets int, memory int64) rcmgr.ResourceLimits {
	n, streams := rcmgr.LimitVal(sockets), rcmgr.LimitVal(sockets*streamsPerSocket)
	return rcmgr.ResourceLimits{
		Conns: n, ConnsInbound: n * 3 / 4, ConnsOutbound: n, FD: n,
		Streams: 2 * streams, StreamsInbound: streams, StreamsOutbound: streams,
		Memory: rcmgr.LimitVal64(memory),
	}
}

// transientLimits is for connections and streams that have not yet said who
// and what they are.
func transientLimits(sockets int, memory int64) rcmgr.ResourceLimits {
	n, streams := rcmgr.LimitVal(sockets), rcmgr.LimitVal(sockets*2)
	return rcmgr.ResourceLimits{
		Conns: n, ConnsInbound: max(n/2, 4), ConnsOutbound: max(n/2, 4), FD: n,
		Streams: 2 * streams, StreamsInbound: streams, StreamsOutbound: streams,
		Memory: rcmgr.LimitVal64(memory / 4),
	}
}

// homeSubnets limits connections per address: 8 from an IPv4 address or an
// IPv6 /56, which is a household, 64 from an IPv6 /48.
func homeSubnets() (v4, v6 []rcmgr.ConnLimitPerSubnet) {
	return []rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: 8}},
		[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: 8}, {PrefixLength: 48, ConnCount: 64}}
}

// serverSubnets has room for a school or a carrier's NAT behind one address.
func serverSubnets() (v4, v6 []rcmgr.ConnLimitPerSubnet) {
	return []rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: 64}},
		[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: 32}, {PrefixLength: 48, ConnCount: 256}}
}

// serverRates limits new connections per address and second likewise; those of
// a home are libp2p's own (one in 5 s, 16 at once).
func serverRates() *rate.Limiter {
	return &rate.Limiter{SubnetRateLimiter: rate.SubnetLimiter{
		IPv4SubnetLimits: []rate.SubnetLimit{{PrefixLength: 32, Limit: rate.Limit{RPS: 2, Burst: 128}}},
		IPv6SubnetLimits: []rate.SubnetLimit{
			{PrefixLength: 56, Limit: rate.Limit{RPS: 2, Burst: 64}},
			{PrefixLength: 48, Limit: rate.Limit{RPS: 8, Burst: 512}},
		},
		GracePeriod: time.Minute,
	}}
}

// newPeerstore bounds what strangers can make us remember of strangers; libp2p's
// own bounds are a million addresses and 100,000 records of up to 8 KB. A full
// roster with its addresses fits.
func newPeerstore() (peerstore.Peerstore, error) {
	p, err := pstoremem.NewPeerstore(
		pstoremem.WithMaxAddresses(50_000), pstoremem.WithMaxSignedPeerRecords(5_000),
		pstoremem.WithMaxAddressesPerPeer(2*maxPeerAddrs))
	if err != nil {
		return nil, fmt.Errorf("make peerstore: %w", err)
	}
	return p, nil
}

// newConnManager returns the soft limits: above three quarters of the sockets,
// the least useful connections are closed down to half.
func newConnManager(c Config) (*connmgr.BasicConnMgr, error) {
	m, err := connmgr.NewConnManager(c.MaxSockets/2, c.MaxSockets*3/4, connmgr.WithGracePeriod(trimGrace))
	if err != nil {
		return nil, fmt.Errorf("make connection manager: %w", err)
	}
	return m, nil
}
