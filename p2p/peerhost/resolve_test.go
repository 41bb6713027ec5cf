package peerhost

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
)

// fakeDNS answers from maps and counts what it is asked.
type fakeDNS struct {
	ips   map[string][]string
	txt   map[string][]string
	asked int
}

func (d *fakeDNS) LookupIPAddr(_ context.Context, host string) ([]net.IPAddr, error) {
	d.asked++
	var out []net.IPAddr
	for _, s := range d.ips[host] {
		out = append(out, net.IPAddr{IP: net.ParseIP(s)})
	}
	if out == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return out, nil
}

func (d *fakeDNS) LookupTXT(_ context.Context, name string) ([]string, error) {
	d.asked++
	return d.txt[name], nil
}

func TestResolve_FollowsNamesToPeers(t *testing.T) {
	id, other := newID(t).String(), newID(t).String()
	dns := &fakeDNS{
		ips: map[string][]string{"boot.example": {"5.5.5.10", "2a00::1"}},
		txt: map[string][]string{
			"_dnsaddr.example": {
				"dnsaddr=/ip4/5.5.5.11/udp/4001/quic-v1/p2p/" + id,
				"dnsaddr=/dnsaddr/deeper.example",
				"dnsaddr=/ip4/5.5.5.12/tcp/4001",            // whose?
				"dnsaddr=/ip4/5.5.5.13/tcp/80/ws/p2p/" + id, // no transport of ours
				"v=spf1 -all", "dnsaddr=garbage", "dnsaddr=", "", // what else is in TXT records
			},
			"_dnsaddr.deeper.example": {"dnsaddr=/dns4/boot.example/tcp/4001/p2p/" + other},
			"_dnsaddr.loop.example":   {"dnsaddr=/dnsaddr/loop.example"},
		},
	}
	cases := []struct{ name, want string }{
		{"/dnsaddr/example", id + " [/ip4/5.5.5.11/udp/4001/quic-v1] " + other + " [/ip4/5.5.5.10/tcp/4001]"},
		{"/dnsaddr/example/p2p/" + id, id + " [/ip4/5.5.5.11/udp/4001/quic-v1]"},
		{"/dns6/boot.example/udp/1/quic-v1/p2p/" + id, id + " [/ip6/2a00::1/udp/1/quic-v1]"},
		{"/dns/boot.example/tcp/1/p2p/" + id, id + " [/ip4/5.5.5.10/tcp/1 /ip6/2a00::1/tcp/1]"},
		{"/dns4/gone.example/tcp/1/p2p/" + id, ""},
		{"/dnsaddr/loop.example", ""},
		{"/dnsaddr/empty.example", ""},
	}
	for _, c := range cases {
		var got []string
		peers, err := resolve(t.Context(), dns, addr(t, c.name))
		for _, p := range peers {
			got = append(got, fmt.Sprint(p.ID, " ", p.Addrs))
		}
		if strings.Join(got, " ") != c.want || (err == nil) != (c.want != "") {
			t.Errorf("resolve(%s) = %v, %v, want %s", c.name, got, err, c.want)
		}
	}
}

func TestResolve_IsBounded(t *testing.T) {
	dns := &fakeDNS{txt: map[string][]string{}}
	var records []string
	for i := range 90 {
		records = append(records, fmt.Sprintf("dnsaddr=/dnsaddr/n%d.example", i))
		dns.txt[fmt.Sprintf("_dnsaddr.n%d.example", i)] = []string{fmt.Sprintf("dnsaddr=/ip4/5.5.5.%d/tcp/4001/p2p/%s", i+1, newID(t))}
	}
	dns.txt["_dnsaddr.many.example"] = records
	peers, err := resolve(t.Context(), dns, addr(t, "/dnsaddr/many.example"))
	if err != nil || len(peers) == 0 || len(peers) > resolveCount || dns.asked > resolveCount {
		t.Errorf("resolve = %d peers after %d look-ups, %v, want at most %d", len(peers), dns.asked, err, resolveCount)
	}
	for i := range records {
		records[i] = fmt.Sprintf("dnsaddr=/ip4/5.5.6.%d/tcp/4001/p2p/%s", i+1, newID(t))
	}
	peers, err = resolve(t.Context(), dns, addr(t, "/dnsaddr/many.example"))
	if err != nil || len(peers) != resolveCount {
		t.Errorf("resolve = %d peers, %v, want %d", len(peers), err, resolveCount)
	}
}

func TestFinder_BootstrapNamesAreCheckedAfterLookUp(t *testing.T) {
	h, g := startHost(t, Config{Key: newKey(t), World: Public, Simulated: true, Listen: labConfig(t).Listen})
	lab, _ := startHost(t, labConfig(t))
	target := lab.Addrs()[0].String()
	dns := &fakeDNS{txt: map[string][]string{"_dnsaddr.example": {"dnsaddr=" + target + "/p2p/" + lab.ID().String()}}}
	list, err := ParseBootstrap([]string{"/dnsaddr/example"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFinder(FinderConfig{Host: h, Gater: g, World: Public, Network: "main", Bootstrap: list, Resolver: dns})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.candidates(t.Context()); len(got) != 1 || got[0].ID != lab.ID() {
		t.Fatalf("candidates = %v, want %s", got, lab.ID())
	}
	if n := f.join(t.Context()); n != 0 {
		t.Errorf("a name that leads to loopback was dialled in the Public world")
	}
	if err := h.Connect(t.Context(), peer.AddrInfo{ID: lab.ID(), Addrs: lab.Addrs()}); err == nil {
		t.Errorf("loopback was dialled in the Public world")
	}
}
