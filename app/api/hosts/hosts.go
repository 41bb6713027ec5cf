// Package hosts knows the names by which calls may reach this computer. A page of another site whose name leads
// here (DNS rebinding) has another one.
package hosts

import (
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/api/conns"
)

// Gate says which hosts a call may name.
type Gate struct {
	port string
	lan  map[string]bool // on connections of others, besides the address that they called
}

// New returns one for a port. names are those by which other computers may call this one, some with a port, besides
// its addresses and its own name.
func New(port string, names []string) Gate {
	g := Gate{port: port, lan: make(map[string]bool)}
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

func (g Gate) allow(name string) {
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

// Knows reports whether a call names this computer.
func (g Gate) Knows(r *http.Request, host string) bool {
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
	return slices.Contains(hostsOf(conns.AddrOf(end).String(), g.port), host)
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
