package peerhost

import (
	"fmt"
	"net/url"
	"time"

	dht "github.com/libp2p/go-libp2p-kad-dht"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/core/protocol"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost/dhtrpc"
)

const (
	// bucketSize is Kademlia's k: the peers per distance and per answer. 64 would
	// make the local table exact at 50 peers, but every lookup ask 200.
	bucketSize = 20
	// resiliency is how many of the closest peers must have answered before a
	// search ends. At the default, 3, a fifth of the owners found after a power
	// cut were wrong.
	resiliency = 8
	// bucketAge is the age from which a refresh renews a bucket; peers not heard
	// of for four times as long are pinged then. Our own timer decides when.
	bucketAge = time.Minute
	// refreshQuery bounds one search of a refresh.
	refreshQuery = 10 * time.Second
)

// TableMode says whether a host answers others' questions about who is where.
type TableMode uint8

const (
	// TableAuto answers where others can reach this host directly, and in a lab.
	TableAuto TableMode = iota
	// TableClient asks and does not answer: less traffic, and others do not keep this host in their tables.
	TableClient
	// TableServer answers always. Where nobody can reach this host, others wait for it in vain.
	TableServer
)

// tableMode returns what the DHT is to do. A bootstrap node is there to answer.
func (c FinderConfig) tableMode() dht.ModeOpt {
	switch {
	case c.Role == Bootstrap, c.Mode == TableServer:
		return dht.ModeServer
	case c.Mode == TableClient:
		return dht.ModeClient
	case c.World == Lab:
		return dht.ModeServer
	}
	return dht.ModeAutoServer
}

// newTable starts the DHT of a network. It keeps neither values nor providers,
// and refreshes nothing by itself. The caller closes it.
//
// By TableAuto, in a lab everybody answers others' questions. In the Public world so does who
// may be reachable, until others found that it is not: on a local network without
// internet nobody ever finds out, and it must work there too.
func newTable(c FinderConfig) (*dht.IpfsDHT, error) {
	d, err := dht.New(tableHost{c.Host, c.Gater},
		dht.ProtocolPrefix(protocol.ID("/forage/"+url.PathEscape(c.Network))),
		dht.Mode(c.tableMode()),
		dht.BucketSize(bucketSize),
		dht.Resiliency(resiliency),
		dht.RoutingTableRefreshPeriod(bucketAge),
		dht.RoutingTableRefreshQueryTimeout(refreshQuery),
		dht.DisableAutoRefresh(),
		dht.DisableValues(),
		dht.DisableProviders(),
		dht.AddressFilter(c.Gater.Announce),
		dht.WithCustomMessageSender(dhtrpc.NewSender),
	)
	if err != nil {
		return nil, fmt.Errorf("start DHT: %w", err)
	}
	return d, nil
}

// tableHost is the host as the DHT sees it: with those addresses of peers only
// that are good for everybody. Otherwise it would tell strangers where in this
// home's network which peers are, since mDNS puts that into the same peerstore.
type tableHost struct {
	host.Host
	gater *Gater
}

// Peerstore returns the host's peerstore without local addresses.
func (h tableHost) Peerstore() peerstore.Peerstore {
	return generalPeerstore{h.Host.Peerstore(), h.gater}
}

type generalPeerstore struct {
	peerstore.Peerstore
	gater *Gater
}

// Addrs returns the addresses of p that are good for everybody.
func (s generalPeerstore) Addrs(p peer.ID) []ma.Multiaddr {
	return s.gater.Announce(s.Peerstore.Addrs(p))
}

// PeerInfo returns p with its addresses that are good for everybody.
func (s generalPeerstore) PeerInfo(p peer.ID) peer.AddrInfo {
	return peer.AddrInfo{ID: p, Addrs: s.Addrs(p)}
}
