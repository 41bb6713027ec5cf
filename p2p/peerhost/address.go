package peerhost

import (
	"net/netip"
	"strconv"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// endpoint is what an address of a peer comes down to.
type endpoint struct {
	ip      netip.Addr // not valid in a circuit that names its relay by peer ID alone
	port    uint16
	peer    peer.ID // of the peer, or of the relay in a circuit; "" if not named
	circuit bool    // by way of a relay, whose address this is
}

// parseEndpoint reads the addresses we use and no others: an IP address with
// TCP or QUIC, perhaps followed by /p2p/ID; or that, or /p2p/ID alone, followed
// by /p2p-circuit and perhaps /p2p/ID. Zones and IPv4 in IPv6 form are not among
// them: they say one thing and mean another.
func parseEndpoint(a ma.Multiaddr) (endpoint, bool) {
	var e endpoint
	rest := a
	if len(rest) > 0 && (rest[0].Code() == ma.P_IP4 || rest[0].Code() == ma.P_IP6) {
		ip, ok := netip.AddrFromSlice(rest[0].RawValue())
		if !ok || ip.Is4In6() {
			return e, false
		}
		e.ip = ip
		if rest, ok = e.takePort(rest[1:]); !ok {
			return e, false
		}
	}
	if len(rest) > 0 && rest[0].Code() == ma.P_P2P {
		id, err := peer.IDFromBytes(rest[0].RawValue())
		if err != nil {
			return e, false
		}
		e.peer, rest = id, rest[1:]
	}
	if len(rest) > 0 && rest[0].Code() == ma.P_CIRCUIT && e.peer != "" {
		e.circuit, rest = true, rest[1:]
		if len(rest) == 1 && rest[0].Code() == ma.P_P2P {
			rest = nil
		}
	}
	return e, len(rest) == 0 && (e.ip.IsValid() || e.circuit)
}

// takePort reads "/tcp/PORT" or "/udp/PORT/quic-v1" and returns what follows.
func (e *endpoint) takePort(rest ma.Multiaddr) (ma.Multiaddr, bool) {
	if len(rest) == 0 {
		return nil, false
	}
	n, err := strconv.ParseUint(rest[0].Value(), 10, 16)
	if err != nil {
		return nil, false
	}
	e.port = uint16(n)
	switch {
	case rest[0].Code() == ma.P_TCP:
		return rest[1:], true
	case rest[0].Code() == ma.P_UDP && len(rest) > 1 && rest[1].Code() == ma.P_QUIC_V1:
		return rest[2:], true
	}
	return nil, false
}

// labAddress reports whether a lab may use ip.
func labAddress(ip netip.Addr) bool {
	return ip.IsLoopback() || ip.IsPrivate()
}

// nearby reports whether ip is an address of a local network: RFC 1918,
// RFC 4193, IPv4 link-local, and the range of carrier-grade NAT, which some
// routers and VPNs use for it.
func nearby(ip netip.Addr) bool {
	return ip.IsPrivate() || ip.Is4() && ip.IsLinkLocalUnicast() || carrierNAT.Contains(ip)
}

// carrierNAT is the shared address space of RFC 6598.
var carrierNAT = netip.MustParsePrefix("100.64.0.0/10")

// publicAddress reports whether ip is an address of the internet.
func publicAddress(ip netip.Addr) bool {
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
