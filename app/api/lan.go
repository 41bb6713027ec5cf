package api

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
)

// LAN lets other computers of the local network in: by TLS, and who knows the password.
type LAN struct {
	// TLS has a certificate (app/api/certificate).
	TLS *tls.Config
	// State is the directory with the password (SetPassword).
	State string
	// Hosts are names by which they may call this computer, some with a port, besides its addresses and its
	// own name.
	Hosts []string
}

const (
	// maxOthers bounds the connections of other computers together, and maxEach those of one: this computer's
	// own user always gets through.
	maxOthers = 40
	maxEach   = 16
)

// doors counts the connections of other computers, and turns away who is not of the local network.
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

// isOwn reports whether a connection is this computer's own.
func isOwn(c net.Conn) bool {
	return addrOf(c.RemoteAddr()).IsLoopback() && addrOf(c.LocalAddr()).IsLoopback()
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

func (d *doors) leave(from netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total--
	if d.others[from]--; d.others[from] == 0 {
		delete(d.others, from)
	}
}

// addrOf returns the address of one end of a connection, the zero Addr if it has none.
func addrOf(a net.Addr) netip.Addr {
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

// isAfar reports whether a call comes from another computer: those of this one come without TLS.
func isAfar(r *http.Request) bool { return r.TLS != nil }

// gate says which hosts a call may name.
type gate struct {
	port string
	lan  map[string]bool // on connections of others, besides the address that they called
}

func newGate(port string, lan *LAN) gate {
	g := gate{port: port, lan: make(map[string]bool)}
	if lan == nil {
		return g
	}
	names := lan.Hosts
	if name, err := os.Hostname(); err == nil {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		short, _, _ := strings.Cut(name, ".")
		names = append([]string{name, short, short + ".local"}, names...)
	}
	for _, name := range names {
		if _, _, err := net.SplitHostPort(name); err == nil {
			g.lan[name] = true
			continue
		}
		g.allow(strings.Trim(name, "[]"))
	}
	return g
}

func (g gate) allow(name string) {
	for _, host := range hostsOf(name, g.port) {
		g.lan[host] = true
	}
}

// hostsOf returns what a browser may write for a name or an address at our port, by TLS.
func hostsOf(name, port string) []string {
	list := []string{net.JoinHostPort(name, port)}
	if port == "443" {
		host, _ := strings.CutSuffix(list[0], ":443")
		list = append(list, host)
	}
	return list
}

// knows reports whether a call names this computer.
func (g gate) knows(r *http.Request, host string) bool {
	if r.TLS == nil {
		return isOwnName(host)
	}
	if g.lan[host] {
		return true
	}
	end, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	for _, one := range hostsOf(addrOf(end).String(), g.port) {
		if one == host {
			return true
		}
	}
	return false
}

// isOwnName reports whether a Host header, in lower case, is of this computer's own calls. The port may be any: a
// tunnel ends at another one. No other site has these names, and what comes from another port of this computer has
// another Origin.
func isOwnName(host string) bool {
	name := host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		n, err := strconv.ParseUint(host[i+1:], 10, 16)
		if err != nil || n == 0 || strconv.FormatUint(n, 10) != host[i+1:] {
			return false
		}
		name = host[:i]
	}
	return name == "127.0.0.1" || name == "localhost" || name == "[::1]"
}
