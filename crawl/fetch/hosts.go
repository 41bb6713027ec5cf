package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch/guard"
)

const (
	// maxHostsFile and maxHostsNames bound a hosts file: a hundred thousand
	// made-up sites are plenty for one lab, and fit in about 10 MB.
	maxHostsFile  = 1 << 20
	maxHostsNames = 100_000
)

var errHostsName = words.New("said.cli.hosts-name", nil)

// Hosts says where the sites of a lab are. It never changes once it is read.
type Hosts struct {
	names map[string]hostsEntry
}

type hostsEntry struct {
	addr netip.Addr
	port uint16 // 0: that of the URL
	line int
}

// ParseHosts reads the hosts file of a lab: lines of "ADDRESS[:PORT] NAME...", an IPv6 address with a port in
// brackets; # starts a comment. Where PORT is given it replaces the URL's port when connecting. The file may
// have 1 MiB and 100,000 names; addresses must be private or loopback. A name may be repeated only with the
// same address and port. The error of a bad line begins with its number and does not quote it: the file may be
// another than its user meant.
func ParseHosts(r io.Reader) (*Hosts, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxHostsFile+1))
	if err != nil {
		return nil, fmt.Errorf("read hosts file: %w", err)
	}
	if len(text) > maxHostsFile {
		return nil, fmt.Errorf("hosts file is larger than %d bytes", maxHostsFile)
	}
	h := &Hosts{names: make(map[string]hostsEntry)}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	lines.Buffer(nil, maxHostsFile+1)
	for n := 1; lines.Scan(); n++ {
		if err := h.add(n, lines.Text()); err != nil {
			return nil, words.New("said.cli.line", words.Args{"line": strconv.Itoa(n), "error": err})
		}
	}
	return h, nil
}

// add takes in one line.
func (h *Hosts) add(n int, line string) error {
	line, _, _ = strings.Cut(line, "#")
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return nil
	}
	e, err := parseHostsAddr(fields[0])
	if err != nil {
		return err
	}
	e.line = n
	if len(fields) == 1 {
		return errHostsName
	}
	for _, field := range fields[1:] {
		name, err := hostsName(field)
		if err != nil {
			return err
		}
		old, again := h.names[name]
		if again && (old.addr != e.addr || old.port != e.port) {
			return fmt.Errorf("a name is on line %d already, with another address", old.line)
		}
		if !again && len(h.names) == maxHostsNames {
			return fmt.Errorf("more than %d names", maxHostsNames)
		}
		if !again {
			h.names[name] = e
		}
	}
	return nil
}

// parseHostsAddr reads "1.2.3.4", "1.2.3.4:80", "::1", "[::1]" or "[::1]:80".
func parseHostsAddr(s string) (hostsEntry, error) {
	var e hostsEntry
	if a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")); err == nil {
		e.addr = a
	} else {
		ap, err := netip.ParseAddrPort(s)
		if err != nil {
			return e, words.New("said.cli.hosts-address", nil)
		}
		if ap.Port() == 0 {
			return e, words.New("said.cli.hosts-port", nil)
		}
		e.addr, e.port = ap.Addr(), ap.Port()
	}
	if err := (guard.Guard{World: Lab}).Check(netip.AddrPortFrom(e.addr, max(e.port, 1))); err != nil {
		blocked, _ := errors.AsType[*guard.BlockedError](err)
		return e, fmt.Errorf("the address is %s", blocked.Reason)
	}
	return e, nil
}

// hostsName returns the name as crawl.URL.Hostname would.
func hostsName(s string) (string, error) {
	if !strings.ContainsAny(s, "/\\:@?[]") {
		u, err := crawl.ParseURL("http://" + s + "/")
		if err == nil {
			if _, err := netip.ParseAddr(u.Hostname()); err != nil {
				return u.Hostname(), nil
			}
		}
	}
	return "", errHostsName
}

// Lookup returns where to connect to for a host name in canonical form and
// the port of the URL. It reports false for a name that is not in the file.
func (h *Hosts) Lookup(hostname string, urlPort uint16) (netip.AddrPort, bool) {
	if h == nil {
		return netip.AddrPort{}, false
	}
	e, ok := h.names[hostname]
	if !ok {
		return netip.AddrPort{}, false
	}
	if e.port != 0 {
		urlPort = e.port
	}
	return netip.AddrPortFrom(e.addr, urlPort), true
}
