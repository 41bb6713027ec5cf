package guard

import (
	"net/netip"
	"slices"
	"sync/atomic"
)

// OwnNetwork is what surrounds this computer and is no part of the public web, although its addresses may be
// public: the networks of its interfaces, its addresses as others see them, and what its network puts in the
// place of IPv4 addresses. The zero OwnNetwork is empty. It is safe for concurrent use.
type OwnNetwork struct {
	near  atomic.Pointer[[]netip.Prefix]
	nat64 atomic.Pointer[netip.Prefix]
}

const (
	// ownIPv6 is the prefix that a provider gives a home, at most: one interface shows a /64 of it (RFC 6177).
	ownIPv6 = 56
	// A shorter prefix of an interface, as that of a tunnel for everything, says nothing of what is near.
	shortestIPv4, shortestIPv6 = 16, 32
)

// Set replaces what is known: prefixes of interfaces, with the interface's address, and addresses as others see them.
func (o *OwnNetwork) Set(interfaces []netip.Prefix, seen []netip.Addr) {
	near := make([]netip.Prefix, 0, len(interfaces)+len(seen))
	for _, p := range interfaces {
		addr, bits := p.Addr().Unmap().WithZone(""), p.Bits()
		switch {
		case addr.Is6() && bits >= shortestIPv6:
			near = append(near, netip.PrefixFrom(addr, min(bits, ownIPv6)).Masked())
		case addr.Is4() && bits >= shortestIPv4:
			near = append(near, netip.PrefixFrom(addr, bits).Masked())
		default:
			seen = append(seen, addr)
		}
	}
	for _, a := range seen {
		bits := 32
		if a = a.Unmap().WithZone(""); a.Is6() {
			bits = ownIPv6
		}
		if a.IsValid() {
			near = append(near, netip.PrefixFrom(a, bits).Masked())
		}
	}
	o.near.Store(&near)
}

// Translates notes the addresses of "ipv4only.arpa." as this network gives them: IPv6 addresses among them tell
// where it puts IPv4 addresses (RFC 7050).
func (o *OwnNetwork) Translates(answer []netip.Addr) {
	for _, a := range answer {
		if !a.Is6() || a.Is4In6() {
			continue
		}
		for _, bits := range nat64Lengths {
			if p := netip.PrefixFrom(a, bits).Masked(); wellKnown[embedded(a, bits)] {
				o.nat64.Store(&p)
				return
			}
		}
	}
	o.nat64.Store(nil)
}

// nat64Lengths are those that RFC 6052 §2.2 allows, wellKnown what "ipv4only.arpa." has.
var (
	nat64Lengths = [...]int{96, 64, 56, 48, 40, 32}
	wellKnown    = map[netip.Addr]bool{netip.AddrFrom4([4]byte{192, 0, 0, 170}): true,
		netip.AddrFrom4([4]byte{192, 0, 0, 171}): true}
)

// embedded returns the IPv4 address behind a prefix: byte 8 stands between its parts (RFC 6052 §2.2).
func embedded(a netip.Addr, bits int) netip.Addr {
	var v4 [4]byte
	from, at := a.As16(), bits/8
	for i := range v4 {
		if at == 8 {
			at++
		}
		v4[i] = from[at]
		at++
	}
	return netip.AddrFrom4(v4)
}

// origin returns the IPv4 address that the network put an address in the place of, else the address.
func (o *OwnNetwork) origin(a netip.Addr) netip.Addr {
	if o == nil {
		return a
	}
	if p := o.nat64.Load(); p != nil && p.Contains(a) {
		return embedded(a, p.Bits())
	}
	return a
}

// has reports whether an address is near.
func (o *OwnNetwork) has(a netip.Addr) bool {
	if o == nil {
		return false
	}
	near := o.near.Load()
	if near == nil {
		return false
	}
	return slices.ContainsFunc(*near, func(p netip.Prefix) bool { return p.Contains(a) })
}
