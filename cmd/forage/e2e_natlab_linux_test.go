package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// natLab is an internet of its own: a router in a network namespace with names and sites at it, computers with public
// addresses, and homes behind routers that translate addresses and let nobody in.
type natLab struct {
	t     *testing.T
	core  string // namespace
	wires int
	sites int

	mu   sync.Mutex
	hits []natHit
}

// natHit is a request for a page as its site saw it.
type natHit struct {
	at        time.Time
	from      netip.Addr
	host, url string
}

// newNATLab makes one with so many sites. It skips the test, aloud, where that is not allowed.
func newNATLab(t *testing.T, sites int) *natLab {
	t.Helper()
	if out, err := exec.Command("nft", "--version").CombinedOutput(); err != nil {
		t.Skipf("NOT CHECKED: no nft: %v %s", err, out)
	}
	l := &natLab{t: t, sites: sites}
	l.core = l.space("core", "")
	l.in(l.core, "sysctl", "-qw", "net.ipv4.ip_forward=1")
	l.in(l.core, "ip", "route", "add", "local", "9.9.0.0/24", "dev", "lo") // where the sites are
	var listener net.Listener
	var names net.PacketConn
	err := inside(l.core, func() (err error) {
		if names, err = net.ListenPacket("udp4", "9.9.0.1:53"); err != nil {
			return err
		}
		listener, err = net.Listen("tcp4", "0.0.0.0:80")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	server := &http.Server{Handler: http.HandlerFunc(l.page), ReadHeaderTimeout: time.Minute}
	serving.Go(func() { _ = server.Serve(listener) })
	serving.Go(func() { l.answerNames(names) })
	t.Cleanup(func() {
		server.Close()
		names.Close()
		serving.Wait()
	})
	return l
}

// space makes a network namespace whose computer asks for names at the given address.
func (l *natLab) space(name, resolver string) string {
	l.t.Helper()
	name = fmt.Sprintf("forage-%d-%s", os.Getpid(), name)
	if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
		l.t.Skipf("NOT CHECKED: no network namespaces: %v %s", err, out)
	}
	l.t.Cleanup(func() { _ = exec.Command("ip", "netns", "delete", name).Run() })
	l.in(name, "ip", "link", "set", "lo", "up")
	if resolver != "" {
		dir := filepath.Join("/etc/netns", name)
		l.t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.MkdirAll(dir, 0o755); err != nil {
			l.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "resolv.conf"), []byte("nameserver "+resolver+"\n"), 0o644); err != nil {
			l.t.Fatal(err)
		}
	}
	return name
}

func (l *natLab) in(space string, args ...string) {
	l.t.Helper()
	if out, err := exec.Command("ip", slices.Concat([]string{"netns", "exec", space}, args)...).CombinedOutput(); err != nil {
		l.t.Fatalf("%s: %v %s", strings.Join(args, " "), err, out)
	}
}

// wire lays a cable from a namespace, as "out", to another, where it has the first address of the same network.
func (l *natLab) wire(space, addr, to string) {
	l.t.Helper()
	l.wires++
	end, gateway := fmt.Sprintf("w%d", l.wires), addr[:strings.LastIndexByte(addr, '.')]+".1"
	if out, err := exec.Command("ip", "-n", to, "link", "add", end, "type", "veth", "peer", "name", "out", "netns", space).CombinedOutput(); err != nil {
		l.t.Fatalf("ip link add: %v %s", err, out)
	}
	l.in(to, "ip", "addr", "add", gateway+"/24", "dev", end)
	l.in(to, "ip", "link", "set", end, "up")
	l.in(space, "ip", "addr", "add", addr+"/24", "dev", "out")
	l.in(space, "ip", "link", "set", "out", "up")
	l.in(space, "ip", "route", "add", "default", "via", gateway)
}

// public adds a computer with an address that all can reach.
func (l *natLab) public(name, addr string) string {
	space := l.space(name, "9.9.0.1")
	l.wire(space, addr, l.core)
	return space
}

// home adds a computer behind a router with an address. masquerade is how that one translates: "masquerade" keeps ports
// where it can, "masquerade random" takes another for each connection, so that nobody can guess it.
func (l *natLab) home(name, addr, masquerade string) string {
	router, space := l.space(name+"-nat", ""), l.space(name, "9.9.0.1")
	l.wire(router, addr, l.core)
	l.wire(space, "192.168.1.10", router)
	l.in(router, "sysctl", "-qw", "net.ipv4.ip_forward=1")
	rules := exec.Command("ip", "netns", "exec", router, "nft", "-f", "-")
	rules.Stdin = strings.NewReader(fmt.Sprintf(`
table ip home {
	chain translate {
		type nat hook postrouting priority 100
		oifname "out" %s
	}
	chain in {
		type filter hook input priority 0
		iifname "out" ct state established,related accept
		iifname "out" drop
	}
	chain through {
		type filter hook forward priority 0
		iifname "out" ct state established,related accept
		iifname "out" drop
	}
}
`, masquerade))
	if out, err := rules.CombinedOutput(); err != nil {
		l.t.Skipf("NOT CHECKED: no translation of addresses: %v %s", err, out)
	}
	return space
}

// inside calls open with the sockets it makes in a network namespace.
func inside(space string, open func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	here, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer here.Close()
	there, err := os.Open(filepath.Join("/run/netns", space))
	if err != nil {
		return err
	}
	defer there.Close()
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	err = open()
	if back := unix.Setns(int(here.Fd()), unix.CLONE_NEWNET); back != nil {
		panic(back) // the thread is in the wrong network
	}
	return err
}

// natSite is the name of a site.
func natSite(i int) string { return fmt.Sprintf("natlab%d.com", i) }

// page answers for all sites: each has 20 pages, and the first links to them and to all sites.
func (l *natLab) page(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	l.mu.Lock()
	l.hits = append(l.hits, natHit{time.Now(), from.Addr(), r.Host, r.Host + r.URL.Path})
	l.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>%s%s</title>", r.Host, r.URL.Path)
	if r.URL.Path != "/" {
		return
	}
	for i := range 20 {
		fmt.Fprintf(w, "<a href=/%d>a page</a>", i)
	}
	for i := range l.sites {
		fmt.Fprintf(w, "<a href=http://%s/>a site</a>", natSite(i))
	}
}

// answerNames answers for the names of sites, each of which has an address of its own.
func (l *natLab) answerNames(from net.PacketConn) {
	buf := make([]byte, 1500)
	for {
		n, who, err := from.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.Additionals = true, nil
		var site int
		if _, err := fmt.Sscanf(q.Name.String(), "natlab%d.com.", &site); err != nil || site >= l.sites {
			m.RCode = dnsmessage.RCodeNameError
		} else if q.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60}, Body: &dnsmessage.AResource{A: [4]byte{9, 9, 0, byte(10 + site)}},
			}}
		}
		if out, err := m.Pack(); err == nil {
			_, _ = from.WriteTo(out, who)
		}
	}
}

// byAddress returns how many pages each address has asked for.
func (l *natLab) byAddress() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := make(map[string]int)
	for _, h := range l.hits {
		count[h.from.String()]++
	}
	return count
}

// judge checks that no page was asked for twice, and no site too soon after the last time.
func (l *natLab) judge(gap time.Duration) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	seen, last := make(map[string]natHit), make(map[string]natHit)
	for _, h := range l.hits {
		if before, twice := seen[h.url]; twice {
			l.t.Errorf("%s was asked for by %s, and %v later by %s", h.url, before.from, h.at.Sub(before.at), h.from)
		}
		if before, is := last[h.host]; is && h.at.Sub(before.at) < gap {
			l.t.Errorf("%s was visited by %s, and %v later by %s", h.host, before.from, h.at.Sub(before.at), h.from)
		}
		seen[h.url], last[h.host] = h, h
	}
}
