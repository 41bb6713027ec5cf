package peerhost

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

const someID = "12D3KooWGzBZmsWyBgoVXFgQJGg6FvKTkCKQPWb6YLbHDs7FbrTS"

// testGater stands in 192.168.1.0/24, fd00:1::/64 and 169.254.0.0/16.
func testGater(w World) *Gater {
	g := newGater(w)
	subnets := []netip.Prefix{
		netip.MustParsePrefix("192.168.1.0/24"), netip.MustParsePrefix("fd00:1::/64"), netip.MustParsePrefix("169.254.0.0/16"),
		netip.MustParsePrefix("5.5.5.0/24"), netip.MustParsePrefix("127.0.0.0/8"),
	}
	g.subnets = func() []netip.Prefix { return subnets }
	return g
}

// remote is the remote end of a connection, all that the gater asks for.
type remote struct{ ma.Multiaddr }

func (r remote) RemoteMultiaddr() ma.Multiaddr { return r.Multiaddr }
func (r remote) LocalMultiaddr() ma.Multiaddr  { return nil }

func TestGater_WhomToDialAndWhomToTake(t *testing.T) {
	const (
		never = ""
		tcp   = "/tcp/4001"
		quic  = "/udp/4001/quic-v1"
		relay = "/p2p/" + someID + "/p2p-circuit"
	)
	// Letters: p dialled in the Public world, n only as a neighbour there, l in
	// a lab; P and L taken there.
	cases := []struct{ addr, want string }{
		{"/ip4/5.5.5.10" + tcp, "pP"},
		{"/ip4/5.5.5.10" + quic, "pP"},
		{"/ip4/5.5.5.10/tcp/443", "pP"},
		{"/ip4/5.5.5.10/tcp/80", "P"}, // others' services live below 1024
		{"/ip4/5.5.5.10/udp/53/quic-v1", "P"},
		{"/ip4/5.5.5.10" + tcp + "/p2p/" + someID, "pP"},
		{"/ip6/2a00::1" + tcp, "pP"},
		{"/ip6/2a00::1" + quic, "pP"},
		{"/ip4/10.0.0.1" + tcp, "lPL"},
		{"/ip4/172.16.9.9" + quic, "lPL"},
		{"/ip4/192.168.2.7" + tcp, "lPL"}, // not in our subnet
		{"/ip4/192.168.1.7" + tcp, "nlPL"},
		{"/ip4/192.168.1.7/tcp/80", "nlPL"},
		{"/ip4/192.168.1.7" + relay, never},
		{"/ip6/fd00:1::7" + tcp, "nlPL"},
		{"/ip6/fd00:2::7" + tcp, "lPL"},
		{"/ip4/169.254.3.4" + tcp, "nP"},
		{"/ip4/100.64.0.9" + tcp, "P"},
		{"/ip4/127.0.0.1" + tcp, "lL"},
		{"/ip6/::1" + quic, "lL"},
		{"/ip6/::ffff:5.5.5.10" + tcp, never},
		{"/ip6/::ffff:127.0.0.1" + tcp, never},
		{"/ip6/::ffff:192.168.1.7" + tcp, never},
		{"/ip6/fe80::1" + tcp, never},
		{"/ip6zone/eth0/ip6/fe80::1" + tcp, never},
		{"/ip4/0.0.0.0" + tcp, never},
		{"/ip6/::" + tcp, never},
		{"/ip4/224.0.0.251/udp/5353/quic-v1", never},
		{"/ip4/255.255.255.255" + tcp, never},
		{"/ip4/192.0.2.1" + tcp, never},
		{"/ip4/192.31.196.1" + tcp, never},
		{"/ip4/198.18.0.1" + tcp, never},
		{"/ip4/240.0.0.1" + tcp, never},
		{"/ip6/64:ff9b::a00:1" + tcp, never},
		{"/ip6/2001::1" + tcp, never},
		{"/ip6/2002:a00:1::1" + tcp, never},
		{"/ip6/2001:db8::1" + tcp, never},
		{"/ip6/ff02::1" + tcp, never},
		{"/dns4/example.org" + tcp, never}, // resolved elsewhere or not at all
		{"/dns/localhost" + tcp, never},
		{"/dnsaddr/example.org", never},
		{"/ip4/5.5.5.10" + tcp + relay, "pP"},
		{"/ip4/5.5.5.10" + tcp + relay + "/p2p/" + someID, "pP"},
		{"/p2p/" + someID + "/p2p-circuit", "pP"},
		{"/ip4/10.0.0.1" + tcp + relay, never},
		{"/ip4/192.168.1.7" + tcp + relay, never},
		{"/ip4/127.0.0.1" + quic + relay, never},
		{"/ip4/5.5.5.10/tcp/25" + relay, "P"},
		{"/dns4/example.org" + tcp + relay, never},
		{"/ip4/5.5.5.10" + tcp + "/p2p-circuit", never},
		{"/ip4/5.5.5.10" + tcp + relay + relay, never},
		{"/ip4/5.5.5.10" + tcp + "/ws", never},
		{"/ip4/5.5.5.10/udp/4001/quic-v1/webtransport", never},
		{"/ip4/5.5.5.10/udp/4001", never},
		{"/ip4/5.5.5.10", never},
		{"/unix/run/socket", never},
		{"/p2p/" + someID, never},
	}
	stranger, neighbour := newID(t), newID(t)
	public, lab := testGater(Public), testGater(Lab)
	for _, g := range []*Gater{public, lab} {
		if !g.AllowLAN(neighbour, time.Hour) {
			t.Fatal("AllowLAN = false")
		}
	}
	for _, c := range cases {
		a, err := ma.NewMultiaddr(c.addr)
		if err != nil {
			a = nil // what cannot be written cannot be dialled; the gater must say so
		}
		got := ""
		if public.InterceptAddrDial(stranger, a) {
			got += "p"
		} else if public.InterceptAddrDial(neighbour, a) {
			got += "n"
		}
		if lab.InterceptAddrDial(stranger, a) {
			got += "l"
		}
		if public.InterceptAccept(remote{a}) {
			got += "P"
		}
		if lab.InterceptAccept(remote{a}) {
			got += "L"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.addr, got, c.want)
		}
	}
}

func TestGater_AnnouncesItsWorldOnly(t *testing.T) {
	var all []ma.Multiaddr
	for _, s := range []string{
		"/ip4/5.5.5.10/tcp/4001", "/ip4/192.168.1.7/tcp/4001", "/ip4/127.0.0.1/tcp/4001", "/ip6/fd00:1::7/udp/4001/quic-v1",
		"/ip4/100.64.0.9/tcp/4001", "/ip4/169.254.3.4/tcp/4001", "/ip6/2a00::1/udp/4001/quic-v1",
		"/ip4/5.5.5.11/tcp/4001/p2p/" + someID + "/p2p-circuit", "/ip4/10.0.0.1/tcp/4001/p2p/" + someID + "/p2p-circuit",
	} {
		all = append(all, addr(t, s))
	}
	for _, c := range []struct {
		world World
		want  []ma.Multiaddr
	}{
		{Public, []ma.Multiaddr{all[0], all[6], all[7]}},
		{Lab, []ma.Multiaddr{all[1], all[2], all[3]}},
	} {
		if got := testGater(c.world).Announce(all); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("world %d announces %v, want %v", c.world, got, c.want)
		}
	}
	var many []ma.Multiaddr
	for i := range 100 {
		many = append(many, addr(t, fmt.Sprintf("/ip4/5.5.5.%d/tcp/4001", i+1)))
	}
	if got := testGater(Public).Announce(many); len(got) != maxAnnounced {
		t.Errorf("announces %d addresses, want %d", len(got), maxAnnounced)
	}
}

func TestGater_LANAllowanceEndsAndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, p := testGater(Public), newID(t)
		a := addr(t, "/ip4/192.168.1.7/tcp/4001")
		if !g.AllowLAN(p, time.Minute) || !g.InterceptAddrDial(p, a) {
			t.Error("allowed peer may not be dialled")
		}
		time.Sleep(time.Minute)
		if g.IsLAN(p) || g.InterceptAddrDial(p, a) {
			t.Error("peer may be dialled after its time")
		}
		for range maxLANPeers {
			if !g.AllowLAN(newID(t), time.Minute) { // the first makes room
				t.Fatal("AllowLAN = false before it is full")
			}
		}
		if g.AllowLAN(p, time.Minute) {
			t.Error("AllowLAN = true beyond the bound")
		}
		time.Sleep(time.Minute)
		if !g.AllowLAN(p, time.Minute) {
			t.Error("AllowLAN = false although all others ended")
		}
	})
}

func TestGater_BannedPeersAreNotDialledNorTaken(t *testing.T) {
	a, ga := startHost(t, labConfig(t))
	b, _ := startHost(t, labConfig(t))
	ga.SetBanned(func(p peer.ID) bool { return p == b.ID() })
	if err := a.Connect(t.Context(), info(b)); err == nil {
		t.Error("banned peer was dialled")
	}
	_ = b.Connect(t.Context(), info(a)) // may succeed for a moment at this end
	await(t, "the connection is refused", func() bool { return b.Network().Connectedness(a.ID()) == network.NotConnected })
	ga.SetBanned(nil)
	await(t, "the peer is welcome again", func() bool {
		return a.Connect(network.WithForceDirectDial(t.Context(), "test"), info(b)) == nil
	})
}

func TestHost_LooksUpNoNamesOfStrangers(t *testing.T) {
	h, _ := startHost(t, labConfig(t))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err := h.Connect(ctx, peer.AddrInfo{ID: newID(t), Addrs: []ma.Multiaddr{addr(t, "/dns4/localhost/tcp/4001"), addr(t, "/dnsaddr/example.org")}})
	if err == nil || ctx.Err() != nil {
		t.Errorf("Connect to names = %v, want a refusal at once", err)
	}
}
