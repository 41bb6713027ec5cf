// Package address reads the addresses of peers that a node uses, and no others, and says of what kind they are.
// It looks nothing up.
package address

import (
	"net/netip"
	"strconv"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// Endpoint is what an address of a peer comes down to.
type Endpoint struct {
	IP      netip.Addr // not valid in a circuit that names its relay by peer ID alone
	Port    uint16
	Peer    peer.ID // of the peer, or of the relay in a circuit; "" if not named
	Circuit bool    // by way of a relay, whose address this is
}

// Parse reads the addresses we use and no others: an IP address with
// TCP or QUIC, perhaps followed by /p2p/ID; or that, or /p2p/ID alone, followed
// by /p2p-circuit and perhaps /p2p/ID. Zones and IPv4 in IPv6 form are not among
// them: they say one thing and mean another.
func Parse(a ma.Multiaddr) (Endpoint, bool) {
	var e Endpoint
	rest := a
	if len(rest) > 0 && (rest[0].Code() == ma.P_IP4 || rest[0].Code() == ma.P_IP6) {
		ip, ok := netip.AddrFromSlice(rest[0].RawValue())
		if !ok || ip.Is4In6() {
			return e, false
		}
		e.IP = ip
		if e.Port, rest, ok = Port(rest[1:]); !ok {
			return e, false
		}
	}
	if len(rest) > 0 && rest[0].Code() == ma.P_P2P {
		id, err := peer.IDFromBytes(rest[0].RawValue())
		if err != nil {
			return e, false
		}
		e.Peer, rest = id, rest[1:]
	}
	if len(rest) > 0 && rest[0].Code() == ma.P_CIRCUIT && e.Peer != "" {
		e.Circuit, rest = true, rest[1:]
		if len(rest) == 1 && rest[0].Code() == ma.P_P2P {
			rest = nil
		}
	}
	return e, len(rest) == 0 && (e.IP.IsValid() || e.Circuit)
}

// Port reads "/tcp/PORT" or "/udp/PORT/quic-v1", and returns what follows.
func Port(a ma.Multiaddr) (port uint16, rest ma.Multiaddr, ok bool) {
	if len(a) == 0 {
		return 0, nil, false
	}
	n, err := strconv.ParseUint(a[0].Value(), 10, 16)
	if err != nil {
		return 0, nil, false
	}
	switch {
	case a[0].Code() == ma.P_TCP:
		return uint16(n), a[1:], true
	case a[0].Code() == ma.P_UDP && len(a) > 1 && a[1].Code() == ma.P_QUIC_V1:
		return uint16(n), a[2:], true
	}
	return 0, nil, false
}

// Lab reports whether a lab may use ip.
func Lab(ip netip.Addr) bool {
	return ip.IsLoopback() || ip.IsPrivate()
}

// Nearby reports whether ip is an address of a local network: RFC 1918,
// RFC 4193, IPv4 link-local, and the range of carrier-grade NAT, which some
// routers and VPNs use for it.
func Nearby(ip netip.Addr) bool {
	return ip.IsPrivate() || ip.Is4() && ip.IsLinkLocalUnicast() || carrierNAT.Contains(ip)
}

// carrierNAT is the shared address space of RFC 6598.
var carrierNAT = netip.MustParsePrefix("100.64.0.0/10")

// Public reports whether ip is an address of the internet.
func Public(ip netip.Addr) bool {
	if !ip.IsValid() || ip.Zone() != "" || ip.Is4In6() {
		return false
	}
	for _, p := range neverPublic {
		if p.Contains(ip) {
			return false
		}
	}
	c, err := manet.FromIP(ip.AsSlice())
	return err == nil && manet.IsPublicAddr(c)
}

// neverPublic are the ranges of the IANA special-purpose registries (RFC 6890)
// that go-multiaddr takes for public: those that serve the network itself, and
// those that embed IPv4 addresses and so could lead anywhere. It is never
// changed.
var neverPublic = func() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range []string{
		"192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", // protocol assignments, AS112, AMT
		"64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2002::/16", // NAT64, Teredo and kin, 6to4
		"2620:4f:8000::/48", "3fff::/20", // AS112, documentation
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}()
