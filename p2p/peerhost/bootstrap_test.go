package peerhost

import (
	"strings"
	"testing"
)

func TestParseBootstrap_ReadsAddressesAndNames(t *testing.T) {
	p, err := ParseBootstrap([]string{
		"/ip4/5.5.5.10/tcp/4001/p2p/" + someID, " /ip4/5.5.5.10/udp/4001/quic-v1/p2p/" + someID + "\n", "",
		"/ip4/5.5.5.10/tcp/4001/p2p/" + someID, "/dnsaddr/boot.example", "/dnsaddr/boot.example/p2p/" + someID,
		"/dns4/boot.example/tcp/4001/p2p/" + someID, "/dnsaddr/boot.example",
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Known) != 1 || len(p.Known[0].Addrs) != 2 || len(p.Names) != 3 {
		t.Errorf("ParseBootstrap = %+v, want one peer with two addresses and three names", p)
	}
}

func TestParseBootstrap_SaysWhichEntryIsWrongAndWhy(t *testing.T) {
	good := "/ip4/5.5.5.10/tcp/4001/p2p/" + someID
	cases := []struct{ entry, want string }{
		{"5.5.5.10:4001", "not a multiaddress"},
		{"/ip4/5.5.5.10/tcp/4001", "does not end in /p2p/"},
		{"/ip4/5.5.5.10/tcp/4001/p2p/nobody", "not a multiaddress"},
		{"/ip4/5.5.5.10/tcp/0/p2p/" + someID, "no IP address and port"},
		{"/ip4/5.5.5.10/tcp/4001/ws/p2p/" + someID, "/tcp/PORT"},
		{"/ip4/5.5.5.10/p2p/" + someID, "/tcp/PORT"},
		{"/p2p/" + someID + "/p2p-circuit/p2p/" + someID, "no IP address and port"},
		{"/p2p/" + someID, "/tcp/PORT"},
		{"/dns4/boot.example/tcp/4001", "does not end in /p2p/"},
		{"/dns4/boot.example", "not followed by /tcp/PORT"},
		{"/dns4/boot.example/tcp/4001/ws/p2p/" + someID, "between port and peer"},
		{"/dnsaddr/boot.example/tcp/4001/p2p/" + someID, "/dnsaddr/NAME"},
		{"/dnsaddr/boot.example/tcp/4001", "/dnsaddr/NAME"},
		{"/dnsaddr/" + strings.Repeat("x", maxAddress), "longer than"},
	}
	for _, c := range cases {
		p, err := ParseBootstrap([]string{good, c.entry})
		if err == nil || !strings.Contains(err.Error(), "bootstrap address 2") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.100s: %v, want address 2 and %q", c.entry, err, c.want)
		}
		if len(p.Known) != 1 || len(p.Names) != 0 {
			t.Errorf("%.100s: %+v, want the right entry", c.entry, p)
		}
	}
	many := make([]string, maxBootstrap+1)
	if _, err := ParseBootstrap(many); err == nil {
		t.Error("no error for a list too long")
	}
}

func TestNewFinder_LabTakesNoNames(t *testing.T) {
	h, g := startHost(t, labConfig(t))
	list, err := ParseBootstrap([]string{"/dnsaddr/boot.example"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewFinder(FinderConfig{Host: h, Gater: g, World: Lab, Network: "lab-test", Bootstrap: list}); err == nil {
		t.Error("NewFinder with a name in a lab = nil error")
	}
}

func FuzzParseBootstrap(f *testing.F) {
	for _, s := range []string{"/ip4/5.5.5.10/tcp/4001/p2p/" + someID, "/dnsaddr/a", "/dns4/a/udp/1/quic-v1/p2p/" + someID, "/ip6zone/x/ip6/fe80::1/tcp/1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseBootstrap([]string{s})
		if err != nil && len(p.Known)+len(p.Names) > 0 {
			t.Errorf("ParseBootstrap(%q) = %+v, %v", s, p, err)
		}
		for _, k := range p.Known {
			if k.ID.Validate() != nil || len(k.Addrs) == 0 {
				t.Errorf("ParseBootstrap(%q) = %+v", s, p)
			}
		}
	})
}
