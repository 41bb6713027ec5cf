// Package p2ptest makes simulated networks of hosts for tests: QUIC over
// packets that take their time, with every clock that of a testing/synctest bubble.
// The hosts are those of p2p/peerhost with all their limits; only the sockets
// below them are simulated.
//
// Everything is made, used and closed inside one bubble. Nothing in it may read
// from a real socket: while one does, time stands still. Pipes and files are fine.
package p2ptest

import (
	"crypto/ed25519"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	"github.com/libp2p/go-libp2p/x/simlibp2p"
	"github.com/marcopolo/simnet"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost"
)

const (
	// uplink and downlink are those of a home, in bits per second.
	uplink   = 10 * simlibp2p.OneMbps
	downlink = 50 * simlibp2p.OneMbps
	// never is how long a packet takes over a line that is cut: longer than any
	// test lasts.
	never = 1000 * time.Hour
	port  = 8000
)

// Latency returns how long a packet is on its way from one address to another.
type Latency func(from, to netip.Addr) time.Duration

// Between returns a Latency from low to high, the same for each pair of
// addresses both ways.
func Between(low, high time.Duration) Latency {
	return func(from, to netip.Addr) time.Duration {
		l := lineOf(from, to)
		h := fnv.New64a()
		h.Write(l.a.AsSlice())
		h.Write(l.b.AsSlice())
		return low + time.Duration(h.Sum64()%uint64(high-low+1))
	}
}

// Network is a simulated network. Its methods may be called from any goroutine
// of its bubble.
type Network struct {
	net     simnet.Simnet
	latency Latency
	packets atomic.Int64

	mu     sync.Mutex
	keys   *rand.ChaCha8
	hosts  []*Host
	byIP   map[netip.Addr]*Host
	cut    map[line]bool
	oneWay map[line]bool // from a to b
	slow   map[netip.Addr]time.Duration
}

// line is what a packet goes over, the lower address first. One with a single
// address is a host's own.
type line struct{ a, b netip.Addr }

func lineOf(a, b netip.Addr) line {
	if b.Less(a) {
		a, b = b, a
	}
	return line{a, b}
}

// Host is a host of a Network. Its closing closes its sockets.
type Host struct {
	host.Host
	Key   crypto.PrivKey
	Gater *peerhost.Gater
	IP    netip.Addr
	sent  *atomic.Int64
}

// Sent returns how many packets the host has sent so far.
func (h *Host) Sent() int64 { return h.sent.Load() }

// New starts a network without hosts. The seed decides the identities of its
// hosts. It must be closed, after its hosts.
func New(latency Latency, seed uint64) *Network {
	n := &Network{latency: latency, keys: rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)}),
		cut: make(map[line]bool), byIP: make(map[netip.Addr]*Host),
		oneWay: make(map[line]bool), slow: make(map[netip.Addr]time.Duration)}
	n.net.LatencyFunc = n.delay
	n.net.Logger = slog.New(slog.DiscardHandler) // packets to hosts that are gone are part of life
	n.net.Start()
	return n
}

// Close ends the network. The hosts must be closed.
func (n *Network) Close() { n.net.Close() }

// NewHost adds a host of the Lab world: the i-th is at 10.1.i.1, each in a
// network of its own.
func (n *Network) NewHost() (*Host, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var seed [ed25519.SeedSize]byte
	n.keys.Read(seed[:]) // never fails
	key, err := crypto.UnmarshalEd25519PrivateKey(ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	return n.add(key)
}

// source is the address that a host's packets come from.
type source net.IP

// PreferredSourceIPForDestination implements quicreuse.SourceIPSelector.
func (s source) PreferredSourceIPForDestination(*net.UDPAddr) (net.IP, error) {
	return net.IP(s), nil
}

// Again adds a host with the identity of one that was closed or cut off for good, at
// another address.
func (n *Network) Again(old *Host) (*Host, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.add(old.Key)
}

// add adds a host. n.mu is held.
func (n *Network) add(key crypto.PrivKey) (*Host, error) {
	i := len(n.hosts)
	h := &Host{Key: key, sent: new(atomic.Int64), IP: netip.AddrFrom4([4]byte{10, byte(1 + i/250), byte(i % 250), 1})}
	listen, err := ma.NewMultiaddr(fmt.Sprintf("/ip4/%s/udp/%d/quic-v1", h.IP, port))
	if err != nil {
		return nil, fmt.Errorf("make address: %w", err)
	}
	link := simnet.NodeBiDiLinkSettings{
		Downlink: simnet.LinkSettings{BitsPerSecond: downlink}, Uplink: simnet.LinkSettings{BitsPerSecond: uplink},
	}
	h.Host, h.Gater, err = peerhost.New(peerhost.Config{
		Key: key, World: peerhost.Lab, Simulated: true, Listen: []ma.Multiaddr{listen},
		ListenUDP: func(_ string, at *net.UDPAddr) (net.PacketConn, error) { return n.net.NewEndpoint(at, link), nil },
		QUIC: []quicreuse.Option{quicreuse.OverrideSourceIPSelector(func() (quicreuse.SourceIPSelector, error) {
			return source(h.IP.AsSlice()), nil
		})},
	})
	if err != nil {
		return nil, err
	}
	n.hosts = append(n.hosts, h)
	n.byIP[h.IP] = h
	return h, nil
}

// Door returns the address by which others can begin with this host.
func (h *Host) Door() string {
	return fmt.Sprintf("/ip4/%s/udp/%d/quic-v1/p2p/%s", h.IP, port, h.ID())
}

// Cut takes a host off the network, or puts it back. Packets sent while it is
// off never arrive; nobody is told.
func (n *Network) Cut(h *Host, off bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut[line{a: h.IP}] = off
}

// CutBetween does the same to the line between two hosts. Each reaches all others.
func (n *Network) CutBetween(a, b *Host, off bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut[lineOf(a.IP, b.IP)] = off
}

// CutFrom does the same to what one host sends to another; what comes back arrives.
func (n *Network) CutFrom(from, to *Host, off bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.oneWay[line{from.IP, to.IP}] = off
}

// Slow lets every packet to and from a host take longer by so much.
func (n *Network) Slow(h *Host, by time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.slow[h.IP] = by
}

// Packets returns how many packets were sent so far.
func (n *Network) Packets() int64 { return n.packets.Load() }

// delay returns how long a packet takes.
func (n *Network) delay(p *simnet.Packet) time.Duration {
	n.packets.Add(1)
	from, to := addrOf(p.From), addrOf(p.To)
	n.mu.Lock()
	if h := n.byIP[from]; h != nil {
		h.sent.Add(1)
	}
	off := n.cut[line{a: from}] || n.cut[line{a: to}] || n.cut[lineOf(from, to)] || n.oneWay[line{from, to}]
	more := n.slow[from] + n.slow[to]
	n.mu.Unlock()
	if off {
		return never
	}
	return n.latency(from, to) + more
}

func addrOf(a net.Addr) netip.Addr {
	if udp, ok := a.(*net.UDPAddr); ok {
		return udp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
