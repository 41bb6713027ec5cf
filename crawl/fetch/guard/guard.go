// Package guard decides which addresses a node may connect to. A node lives in the public web or in a closed
// lab, never in both.
//
// A Guard judges an address, and not a name: whatever a name resolved to, what counts is where a socket is
// about to connect (Control). The networks around this computer are no part of the public web; OwnNetwork knows
// them.
//
// All of it is safe for concurrent use, and nothing here connects or looks up anything.
package guard

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// ErrBlocked is in the chain of every error that says that an address may not
// be connected to.
var ErrBlocked = errors.New("address not allowed")

// World says to which addresses a node connects. A node is never in both.
type World uint8

const (
	// Public is the internet: globally routable unicast addresses, ports 80
	// and 443.
	Public World = 1
	// Lab is a closed test network: loopback and private addresses (RFC 1918,
	// RFC 4193), any port.
	Lab World = 2
)

// BlockedError says why an address or a name may not be connected to.
// errors.Is(err, ErrBlocked) holds for it.
type BlockedError struct {
	// Addr is the address; it is not valid where a name was refused before
	// any look-up.
	Addr netip.AddrPort
	// Reason says in plain words what is wrong with it: "loopback".
	Reason string
}

// Error returns the address and the reason.
func (e *BlockedError) Error() string {
	if !e.Addr.IsValid() {
		return ErrBlocked.Error() + ": " + e.Reason
	}
	return fmt.Sprintf("%v: %v is %s", ErrBlocked, e.Addr, e.Reason)
}

// Is reports whether target is ErrBlocked.
func (e *BlockedError) Is(target error) bool { return target == ErrBlocked }

// Guard decides which addresses may be connected to. The zero value allows
// none.
type Guard struct {
	World World
	// Own is not connected to in the public world. It may be nil.
	Own *OwnNetwork
}

// Check returns nil if a may be connected to, else a *BlockedError.
func (g Guard) Check(a netip.AddrPort) error {
	if reason := g.objection(a); reason != "" {
		return &BlockedError{Addr: a, Reason: reason}
	}
	return nil
}

// objection returns what is wrong with a, "" if nothing is.
func (g Guard) objection(a netip.AddrPort) string {
	addr := a.Addr()
	switch {
	case !addr.IsValid():
		return "no address"
	case addr.Zone() != "":
		return "a scoped address"
	case addr.Is4In6():
		return "an IPv4 address in IPv6 form"
	case a.Port() == 0:
		return "without a port"
	}
	switch g.World {
	case Public:
		return g.publicObjection(a)
	case Lab:
		return labObjection(addr)
	}
	return "in no world"
}

func (g Guard) publicObjection(a netip.AddrPort) string {
	addr := g.Own.origin(a.Addr())
	for _, s := range special {
		if s.prefix.Contains(addr) {
			return s.what
		}
	}
	if addr.Is6() && !globalUnicast.Contains(addr) {
		return "outside the public IPv6 range"
	}
	if p := a.Port(); p != 80 && p != 443 {
		return "not on port 80 or 443"
	}
	if g.Own.has(addr) {
		return "in your own network"
	}
	return ""
}

func labObjection(addr netip.Addr) string {
	if addr.IsLoopback() || addr.IsPrivate() {
		return ""
	}
	return "neither private nor loopback, which a lab requires"
}

// Control is called by the dialer with the address of a socket that is about
// to connect. It is the last word: whatever a name resolved to before, this
// is where the packets go.
func (g Guard) Control(_ context.Context, network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return &BlockedError{Reason: "not TCP"}
	}
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return &BlockedError{Reason: "no address"}
	}
	return g.Check(a)
}

// globalUnicast is all of IPv6 that IANA gives out for the internet.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// special holds the ranges that are no place for a public web site: the IANA
// registries of special-purpose addresses (RFC 6890, as of 2025), multicast,
// and the ranges that embed IPv4 addresses and so could lead anywhere. Ranges
// that are globally reachable but serve the network itself (AS112, AMT, PCP)
// are among them. It is never changed.
var special = func() []specialRange {
	table := []struct{ what, prefix string }{
		{"in 0.0.0.0/8, \"this network\"", "0.0.0.0/8"},
		{"private", "10.0.0.0/8"},
		{"in the range of carrier-grade NAT", "100.64.0.0/10"},
		{"loopback", "127.0.0.0/8"},
		{"link-local", "169.254.0.0/16"},
		{"for services of the provider", "168.63.129.16/32"}, // Azure's, which any machine there reaches
		{"private", "172.16.0.0/12"},
		{"for protocol assignments", "192.0.0.0/24"},
		{"for documentation", "192.0.2.0/24"},
		{"for AS112", "192.31.196.0/24"},
		{"for AMT", "192.52.193.0/24"},
		{"a 6to4 relay", "192.88.99.0/24"},
		{"private", "192.168.0.0/16"},
		{"for AS112", "192.175.48.0/24"},
		{"for benchmarking", "198.18.0.0/15"},
		{"for documentation", "198.51.100.0/24"},
		{"for documentation", "203.0.113.0/24"},
		{"multicast", "224.0.0.0/4"},
		{"broadcast", "255.255.255.255/32"},
		{"reserved", "240.0.0.0/4"},

		{"unspecified", "::/128"},
		{"loopback", "::1/128"},
		{"a NAT64 address", "64:ff9b::/96"},
		{"a NAT64 address", "64:ff9b:1::/48"},
		{"discard-only", "100::/64"},
		{"a Teredo address", "2001::/32"},
		{"for protocol assignments", "2001::/23"},
		{"for documentation", "2001:db8::/32"},
		{"a 6to4 address", "2002::/16"},
		{"for AS112", "2620:4f:8000::/48"},
		{"for documentation", "3fff::/20"},
		{"for segment routing", "5f00::/16"},
		{"private", "fc00::/7"},
		{"link-local", "fe80::/10"},
		{"site-local", "fec0::/10"},
		{"multicast", "ff00::/8"},
	}
	ranges := make([]specialRange, len(table))
	for i, row := range table {
		ranges[i] = specialRange{row.what, netip.MustParsePrefix(row.prefix)}
	}
	return ranges
}()

type specialRange struct {
	what   string
	prefix netip.Prefix
}
