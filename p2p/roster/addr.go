package roster

import (
	"net/netip"
	"slices"

	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// Usable returns the addresses that a record of this reach may carry, in order and
// without repeats, at most MaxAddrs. The slice is new.
//
// Those are an IP address with a TCP port or with a UDP port and QUIC and, for a
// relayed member, the same followed by one relay. Names are left out, since looking
// one up would let a stranger choose where our packets go.
func Usable(addrs []ma.Multiaddr, reach Reach) []ma.Multiaddr {
	var kept []ma.Multiaddr
	for _, a := range addrs {
		if len(kept) == MaxAddrs {
			break
		}
		if checkAddr(a, reach) == nil && !ma.Contains(kept, a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// checkAddr tells whether a record of this reach may carry the address.
func checkAddr(a ma.Multiaddr, reach Reach) error {
	if size := len(a.Bytes()); size == 0 || size > MaxAddr {
		return invalid("address of %d bytes", size)
	}
	ip, ok := addrIP(a)
	if !ok || ip.IsUnspecified() || ip.IsMulticast() || ip.Is4In6() {
		return invalid("address %s has no usable IP", a)
	}
	rest, ok := skipTransport(a[1:])
	if !ok {
		return invalid("address %s is neither TCP nor QUIC", a)
	}
	if len(rest) == 0 {
		return nil
	}
	relayed := len(rest) == 2 && rest[0].Code() == ma.P_P2P && rest[1].Code() == ma.P_CIRCUIT
	if !relayed || reach != ReachRelayed {
		return invalid("address %s goes on after the transport", a)
	}
	return nil
}

// skipTransport returns what follows a TCP port, or a UDP port and QUIC.
func skipTransport(a ma.Multiaddr) (rest ma.Multiaddr, ok bool) {
	switch {
	case len(a) >= 1 && a[0].Code() == ma.P_TCP:
		rest = a[1:]
	case len(a) >= 2 && a[0].Code() == ma.P_UDP && a[1].Code() == ma.P_QUIC_V1:
		rest = a[2:]
	default:
		return nil, false
	}
	port := a[0].RawValue()
	return rest, len(port) == 2 && (port[0] != 0 || port[1] != 0)
}

// addrIP returns the IP address a multiaddr begins with.
func addrIP(a ma.Multiaddr) (netip.Addr, bool) {
	if len(a) == 0 || (a[0].Code() != ma.P_IP4 && a[0].Code() != ma.P_IP6) {
		return netip.Addr{}, false
	}
	return netip.AddrFromSlice(a[0].RawValue())
}

// places is where the addresses of a record are.
type places struct {
	public   bool           // one of them is publicly routable
	loopback bool           // one of them is this machine
	ips      []netip.Addr   // as Record.IPs
	net      string         // as Record.Net
	nets     []netip.Prefix // of the public ones, IPv4 /24 or IPv6 /48 and IPv4 /16 or IPv6 /32, each once
}

// isRelayed tells whether an address that checkAddr lets pass leads by way of a relay.
func isRelayed(a ma.Multiaddr) bool { return a[len(a)-1].Code() == ma.P_CIRCUIT }

// placesOf leaves out addresses through relays: they say where the relay is.
func placesOf(addrs []ma.Multiaddr) places {
	var p places
	for _, a := range addrs {
		ip, ok := addrIP(a)
		if !ok || isRelayed(a) {
			continue
		}
		p.loopback = p.loopback || ip.IsLoopback()
		if !manet.IsPublicAddr(a) {
			continue
		}
		p.public = true
		for _, n := range []netip.Prefix{netOf(ip, 24, 48), netOf(ip, 16, 32)} {
			if !slices.Contains(p.nets, n) {
				p.nets = append(p.nets, n)
			}
		}
	}
	return p
}

// netOf returns the network an address is in, by the length of its prefix.
func netOf(ip netip.Addr, bits4, bits6 int) netip.Prefix {
	bits := bits6
	if ip.Is4() {
		bits = bits4
	}
	return netip.PrefixFrom(ip, bits).Masked()
}

// Net returns the network of the record's first publicly routable address, an
// IPv4 /16 or an IPv6 /32: members with the same one may fail together. It is
// empty if there is none.
func (r *Record) Net() string {
	for _, a := range r.Addrs {
		ip, ok := addrIP(a)
		if ok && !isRelayed(a) && manet.IsPublicAddr(a) {
			return netOf(ip, 16, 32).String()
		}
	}
	return ""
}
