package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch/guard"
	"github.com/forage-net/forage/crawl/fetch/resolver"
)

// answersOf is a Lookuper with fixed answers that counts.
type answersOf struct {
	mu    sync.Mutex
	names map[string][]string
	asked map[string]int
	err   error
}

func (l *answersOf) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked == nil {
		l.asked = make(map[string]int)
	}
	l.asked[host]++
	if l.err != nil {
		return nil, l.err
	}
	list, ok := l.names[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var addrs []netip.Addr
	for _, s := range list {
		addrs = append(addrs, netip.MustParseAddr(s))
	}
	return addrs, nil
}

func newPublic(t testing.TB, l resolver.Lookuper, now func() time.Time) *Client {
	t.Helper()
	c, err := New(Config{World: Public, UserAgent: crawl.UserAgent(false), Lookup: l, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestAddrs_Public(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("8.8.8.%d", i))
	}
	c := newPublic(t, &answersOf{names: map[string][]string{
		"both.example.":    {"2606:4700::1111", "8.8.8.8", "::ffff:8.8.4.4", "8.8.8.8"},
		"mixed.example.":   {"127.0.0.1", "8.8.8.8", "fe80::1", "10.0.0.1"},
		"inside.example.":  {"127.0.0.1", "192.168.1.1", "::1"},
		"many.example.":    many,
		"nothing.example.": {},
	}}, nil)
	for _, x := range []struct {
		url, want string
		kind      Kind
		text      string
	}{
		{"http://both.example/", "8.8.8.8:80 8.8.4.4:80 [2606:4700::1111]:80", 0, ""},
		{"https://both.example/", "8.8.8.8:443 8.8.4.4:443 [2606:4700::1111]:443", 0, ""},
		{"http://mixed.example/", "8.8.8.8:80", 0, ""},
		{"http://many.example/", "8.8.8.0:80 8.8.8.1:80 8.8.8.2:80 8.8.8.3:80 8.8.8.4:80 8.8.8.5:80 8.8.8.6:80 8.8.8.7:80", 0, ""},
		{"http://9.9.9.9/", "9.9.9.9:80", 0, ""},
		{"http://[2606:4700::1111]/", "[2606:4700::1111]:80", 0, ""},
		{"http://inside.example/", "", KindBlocked, "address not allowed: loopback"},
		{"http://both.example:8080/", "", KindBlocked, "address not allowed: not on port 80 or 443"},
		{"http://both.example:22/", "", KindBlocked, "address not allowed: not on port 80 or 443"},
		{"http://127.0.0.1/", "", KindBlocked, "address not allowed: loopback"},
		{"http://2130706433/", "", KindBlocked, "address not allowed: loopback"},
		{"http://0/", "", KindBlocked, `address not allowed: in 0.0.0.0/8, "this network"`},
		{"http://169.254.169.254/latest/meta-data", "", KindBlocked, "address not allowed: link-local"},
		{"http://[::ffff:8.8.8.8]/", "", KindBlocked, "address not allowed: an IPv4 address in IPv6 form"},
		{"http://[::1]/", "", KindBlocked, "address not allowed: loopback"},
		{"http://localhost/", "", KindBlocked, "address not allowed: a name for local use"},
		{"http://router/", "", KindBlocked, "address not allowed: a name for local use"},
		{"http://printer.local/", "", KindBlocked, "address not allowed: a name for local use"},
		{"http://nas.home.arpa/", "", KindBlocked, "address not allowed: a name for local use"},
		{"http://abc.onion/", "", KindBlocked, "address not allowed: a name for local use"},
		{"http://none.example/", "", KindNoName, "no such name"},
		{"http://nothing.example/", "", KindNoName, "no such name"},
	} {
		got, err := c.Addrs(t.Context(), parseURL(t, x.url))
		if text := strings.Trim(fmt.Sprint(got), "[]"); strings.Trim(x.want, "[]") != text || kindOf(err) != x.kind {
			t.Errorf("Addrs(%s) = %v, %v, want %s, %v", x.url, got, err, x.want, x.kind)
		}
		if err != nil && err.Error() != x.text {
			t.Errorf("Addrs(%s) error = %v, want %s", x.url, err, x.text)
		}
		if (x.kind == KindBlocked) != errors.Is(err, guard.ErrBlocked) {
			t.Errorf("Addrs(%s) error %v, ErrBlocked: %v", x.url, err, errors.Is(err, guard.ErrBlocked))
		}
	}
	if _, err := c.Addrs(t.Context(), crawl.URL{}); kindOf(err) != KindRequest {
		t.Errorf("Addrs of no URL = %v, want %v", err, KindRequest)
	}
}

func TestAddrs_Lab(t *testing.T) {
	hosts, err := ParseHosts(strings.NewReader("127.0.0.1:8080 a.example\n::1 b.example"))
	if err != nil {
		t.Fatal(err)
	}
	dns := &answersOf{names: map[string][]string{"c.example.": {"127.0.0.1"}}}
	for _, x := range []struct {
		hosts     *Hosts
		url, want string
		kind      Kind
	}{
		{hosts, "http://a.example/", "[127.0.0.1:8080]", 0},
		{hosts, "https://a.example:7/", "[127.0.0.1:8080]", 0},
		{hosts, "http://b.example:7/", "[[::1]:7]", 0},
		{hosts, "http://c.example/", "[]", KindNoName},
		{nil, "http://a.example/", "[]", KindNoName},
		{nil, "http://127.0.0.1:99/", "[127.0.0.1:99]", 0},
		{hosts, "http://8.8.8.8/", "[]", KindBlocked},
	} {
		got, err := newLab(t, Config{Hosts: x.hosts, Lookup: dns}).Addrs(t.Context(), parseURL(t, x.url))
		if fmt.Sprint(got) != x.want || kindOf(err) != x.kind {
			t.Errorf("Addrs(%s) = %v, %v, want %s, %v", x.url, got, err, x.want, x.kind)
		}
	}
	if len(dns.asked) != 0 {
		t.Errorf("DNS was asked for %v in a lab", dns.asked)
	}
}

func TestAddrs_KeptConnectionFirst(t *testing.T) {
	port := request(t, answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")).Addr.Port()
	c := newLab(t, Config{})
	c.conf.World = Public // so that the resolver is asked; the guard is that of a lab
	c.names = resolver.New(&answersOf{names: map[string][]string{"a.example.": {"127.0.0.3", "127.0.0.2", "127.0.0.1", "::1"}}}, time.Now)
	u := parseURL(t, fmt.Sprintf("http://a.example:%d/", port))
	want := []string{"127.0.0.3", "127.0.0.2", "127.0.0.1", "::1"}
	for range 2 {
		addrs, err := c.Addrs(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range addrs {
			got = append(got, a.Addr().String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("Addrs = %v, want %v", got, want)
		}
		get(t, c, Request{URL: u, Addr: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port)}).Release()
		want = []string{"127.0.0.1", "127.0.0.3", "127.0.0.2", "::1"}
	}
}

// Whatever a name resolved to when it was checked, the address that is
// connected to is checked again.
func TestGet_Rebinding(t *testing.T) {
	var reached atomic.Bool
	inside := request(t, rawServer(t, func(c net.Conn, _ func() string) { reached.Store(true) })).Addr
	now := time.Unix(1e9, 0)
	dns := &answersOf{names: map[string][]string{"evil.example.": {"93.184.216.34"}}}
	c := newPublic(t, dns, func() time.Time { return now })
	u := parseURL(t, "http://evil.example/")
	addrs, err := c.Addrs(t.Context(), u)
	if err != nil || addrs[0].String() != "93.184.216.34:80" {
		t.Fatalf("Addrs = %v, %v", addrs, err)
	}
	dns.names["evil.example."] = []string{inside.Addr().String()}
	now = now.Add(time.Hour)
	if _, err := c.Addrs(t.Context(), u); !errors.Is(err, guard.ErrBlocked) {
		t.Errorf("Addrs after the change = %v, want ErrBlocked", err)
	}
	for _, a := range []netip.AddrPort{inside, netip.AddrPortFrom(inside.Addr(), 80)} {
		if _, err := c.Get(t.Context(), Request{URL: u, Addr: a}); !errors.Is(err, guard.ErrBlocked) {
			t.Errorf("Get over %v = %v, want ErrBlocked", a, err)
		}
		// And were Get and dial not to look, the socket would.
		_, err = c.dialer.tcp.DialTCP(t.Context(), "tcp", netip.AddrPort{}, a)
		if !errors.Is(err, guard.ErrBlocked) {
			t.Errorf("dial %v = %v, want ErrBlocked", a, err)
		}
		if _, err = c.dialer.tcp.DialContext(t.Context(), "tcp", a.String()); !errors.Is(err, guard.ErrBlocked) {
			t.Errorf("dial %v = %v, want ErrBlocked", a, err)
		}
	}
	if reached.Load() {
		t.Error("the server inside was reached")
	}
}

func TestGet_RedirectInside(t *testing.T) {
	c := newPublic(t, &answersOf{}, nil)
	r, err := ParseResponse(parseURL(t, "http://a.example/"), []byte("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:7707/api/status\r\n\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	target, err := r.Location()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Addrs(t.Context(), target); !errors.Is(err, guard.ErrBlocked) {
		t.Errorf("Addrs of the target = %v, want ErrBlocked", err)
	}
	if _, err := c.Get(t.Context(), Request{URL: target, Addr: netip.MustParseAddrPort("127.0.0.1:7707")}); !errors.Is(err, guard.ErrBlocked) {
		t.Errorf("Get of the target = %v, want ErrBlocked", err)
	}
}

func TestNew_Refuses(t *testing.T) {
	for name, conf := range map[string]Config{
		"no world":            {UserAgent: "x"},
		"hosts in public":     {World: Public, UserAgent: "x", Hosts: &Hosts{}},
		"no User-Agent":       {World: Lab},
		"User-Agent of lines": {World: Lab, UserAgent: "x\r\nEvil: 1"},
	} {
		if _, err := New(conf); err == nil {
			t.Errorf("%s: New accepts it", name)
		}
	}
}
