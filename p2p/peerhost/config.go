package peerhost

import (
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/metrics"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/peerhost/address"
	"github.com/forage-net/forage/p2p/peerhost/identity"
	"github.com/forage-net/forage/p2p/peerhost/sockets"
)

// World says to which addresses a host connects.
type World uint8

const (
	// Public is the internet: globally routable addresses, and peers found by
	// mDNS in this computer's own subnets.
	Public World = 1
	// Lab is a closed test network: loopback and private addresses (RFC 1918,
	// RFC 4193).
	Lab World = 2
)

// Role says what a host does for others.
type Role uint8

const (
	// Member is a volunteer's computer, usually behind a NAT.
	Member Role = 1
	// Bootstrap is a public server that newcomers know: it takes itself for
	// reachable, relays for those that are not, and tells peers whether it can
	// reach them.
	Bootstrap Role = 2
)

// DefaultMaxSockets is what a home router and a home computer do not notice.
// Routers of home users begin to choke at a few hundred flows; a peer costs about
// 90 KB.
const DefaultMaxSockets = 80

// DefaultBootstrapSockets is the same for a server with role Bootstrap.
const DefaultBootstrapSockets = 1024

// minSockets and maxSockets bound Config.MaxSockets.
const (
	minSockets = 8
	maxSockets = 8192
)

// Config describes a host.
type Config struct {
	// Key is the host's identity, from LoadOrCreateKey. Required.
	Key crypto.PrivKey
	// Listen are the addresses to listen on, TCP or QUIC. Empty means all
	// interfaces, IPv4 and IPv6, TCP and QUIC, at Port.
	Listen []ma.Multiaddr
	// Port is used if Listen is empty; 0 is any free port.
	Port int
	// External are addresses that lead here without the host knowing: of a
	// port forwarded by hand, or of a server behind its provider's NAT. They are
	// announced first, unprobed.
	External []ma.Multiaddr
	// Secret makes the host one of a private network: whoever lacks it gets no connection, and so no answer of
	// any protocol. Such a host uses TCP alone; QUIC addresses are left out of Listen and External.
	Secret identity.Secret
	// World is required.
	World World
	// Role is Member if zero. Bootstrap exists in the Public world only.
	Role Role
	// MaxSockets is the most connections at a time, at least 8; from three
	// quarters of it on, the least useful are closed. 0 is the default of
	// the role.
	MaxSockets int
	// PortMap asks the router for a port (UPnP, NAT-PMP), from Gater.MapPorts on. Ignored in a lab.
	PortMap bool
	// Relays are servers that forward connections to this computer while
	// nobody can reach it directly; their addresses must be IP addresses.
	// Ignored in a lab and for role Bootstrap.
	Relays []peer.AddrInfo
	// Bandwidth counts bytes, if not nil.
	Bandwidth metrics.Reporter
	// Sockets, if not nil, is told of every byte that the host's sockets to peers
	// send and receive, TCP and QUIC. It must not block. Multicast and port mapping
	// have sockets of their own.
	Sockets sockets.Count
	// Spent, if not nil, is told of bytes that port mapping takes, by estimate. It must
	// not block.
	Spent sockets.Count
	// Simulated is for hosts on a simulated network: nothing is probed, mapped
	// or learned from what others observe, since the machinery for that uses
	// real sockets, and its workers keep a synctest bubble from going idle.
	Simulated bool
	// ListenUDP, if not nil, opens the sockets of a simulated network, and QUIC says
	// how QUIC uses them.
	ListenUDP func(network string, at *net.UDPAddr) (net.PacketConn, error)
	QUIC      []quicreuse.Option
	// Extra are further options.
	Extra []libp2p.Option
}

// withDefaults returns c with every default filled in, or says what is wrong.
func (c Config) withDefaults() (Config, error) {
	if c.Key == nil {
		return c, errors.New("host has no identity key")
	}
	if c.World != Public && c.World != Lab {
		return c, fmt.Errorf("host is in no world (%d)", c.World)
	}
	if c.Role == 0 {
		c.Role = Member
	}
	switch {
	case c.Role != Member && c.Role != Bootstrap:
		return c, fmt.Errorf("host has no role (%d)", c.Role)
	case c.Role == Bootstrap && c.World == Lab:
		return c, errors.New("a lab has no bootstrap servers; any member of it serves")
	}
	if c.MaxSockets == 0 {
		c.MaxSockets = DefaultMaxSockets
		if c.Role == Bootstrap {
			c.MaxSockets = DefaultBootstrapSockets
		}
	}
	if c.MaxSockets < minSockets || c.MaxSockets > maxSockets {
		return c, fmt.Errorf("%d sockets: must be %d to %d", c.MaxSockets, minSockets, maxSockets)
	}
	if c.Port < 0 || c.Port > 65535 {
		return c, fmt.Errorf("port %d: must be 0 to 65535", c.Port)
	}
	if err := c.checkAddresses(); err != nil || c.Secret.IsZero() {
		return c, err
	}
	c.External = onlyTCP(c.External)
	if c.Listen = onlyTCP(c.listen()); len(c.Listen) == 0 {
		return c, words.New("said.cli.a-private-network-uses-tcp", nil)
	}
	return c, nil
}

// checkAddresses checks listening and external addresses and relays, and is
// called with everything else in order.
func (c Config) checkAddresses() error {
	for _, a := range c.Listen {
		e, ok := address.Parse(a)
		switch {
		case !ok || e.Circuit || e.Peer != "":
			return fmt.Errorf("listen on %s: write it as /ip4/ADDRESS/tcp/PORT or /ip4/ADDRESS/udp/PORT/quic-v1", a)
		case c.World == Lab && !e.IP.IsUnspecified() && !address.Lab(e.IP):
			return fmt.Errorf("listen on %s: a lab uses loopback and private addresses only", a)
		}
	}
	for _, a := range c.External {
		if e, ok := address.Parse(a); !ok || e.Circuit || e.Peer != "" || !newGater(c.World).general(a) {
			return fmt.Errorf("external address %s: not one that others in this world would dial", a)
		}
	}
	for _, r := range c.Relays {
		if !slices.ContainsFunc(r.Addrs, func(a ma.Multiaddr) bool { _, ok := address.Parse(a); return ok }) {
			return fmt.Errorf("relay %s: has no IP address with TCP or QUIC", r.ID)
		}
	}
	return nil
}

// listen returns the addresses to listen on.
func (c Config) listen() []ma.Multiaddr {
	if len(c.Listen) > 0 {
		return slices.Clone(c.Listen)
	}
	var out []ma.Multiaddr
	for _, ip := range []string{"/ip4/0.0.0.0", "/ip6/::"} {
		out = append(out, ma.StringCast(fmt.Sprintf("%s/tcp/%d", ip, c.Port)),
			ma.StringCast(fmt.Sprintf("%s/udp/%d/quic-v1", ip, c.Port)))
	}
	return out
}
