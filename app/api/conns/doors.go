package conns

import (
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
)

const (
	// maxOthers bounds the connections of other computers together, and maxEach those of one: this computer's
	// own user always gets through.
	maxOthers = 40
	maxEach   = 16
)

// doors counts the connections of other computers, and turns away those that are not of the local network.
type doors struct {
	tls   *tls.Config
	local func(netip.Addr) bool

	mu     sync.Mutex
	others map[netip.Addr]int
	total  int
}

func newDoors(config *tls.Config) *doors {
	return &doors{tls: config, local: isNeighbour, others: make(map[netip.Addr]int)}
}

func (d *doors) leave(from netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total--
	if d.others[from]--; d.others[from] == 0 {
		delete(d.others, from)
	}
}

// take counts a connection in, if there may be one more.
func (d *doors) take(from netip.Addr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !from.IsValid() || d.total >= maxOthers || d.others[from] >= maxEach || !d.local(from) {
		return false
	}
	d.total++
	d.others[from]++
	return true
}

// isOwn reports whether a connection is this computer's own.
func isOwn(c net.Conn) bool {
	return AddrOf(c.RemoteAddr()).IsLoopback() && AddrOf(c.LocalAddr()).IsLoopback()
}

// AddrOf returns the address of one end of a connection, the zero Addr if it has none.
func AddrOf(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap().WithZone("")
}

// shared is what providers and private overlay networks use between customers and themselves (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")

// isNeighbour reports whether an address is one of a local network: private, or, for IPv6, in a network that
// this computer is part of.
func isNeighbour(a netip.Addr) bool {
	if a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsLoopback() || shared.Contains(a) {
		return true
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, one := range addrs {
		p, err := netip.ParsePrefix(one.String())
		if err != nil {
			continue
		}
		// An address of our own is this computer. Whole networks count for IPv6 alone, where homes have public
		// ones; neighbours by a public IPv4 address are other customers of a provider.
		if p.Addr() == a || a.Is6() && p.Addr().Is6() && p.Bits() >= 48 && p.Masked().Contains(a) {
			return true
		}
	}
	return false
}
