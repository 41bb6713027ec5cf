package peerhost

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// connect connects two hosts and reports whether that came to anything within 8 s.
func connect(t *testing.T, from, to host.Host, addrs []ma.Multiaddr) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	return from.Connect(ctx, peer.AddrInfo{ID: to.ID(), Addrs: addrs}) == nil
}

// A silent host neither dials nor answers, and is as before when it speaks again.
func TestSilence_NeitherDialsNorAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, gaters, closeAll := simHosts(t, Lab, 3)
		defer closeAll()
		at := hosts[0].Addrs()
		if !connect(t, hosts[1], hosts[0], at) {
			t.Fatal("hosts do not connect")
		}
		speak := gaters[0].Silence(hosts[0])
		time.Sleep(time.Second)
		if n := len(hosts[0].Network().Peers()); n != 0 {
			t.Errorf("a silent host is connected to %d peers", n)
		}
		if hosts[1].Network().Connectedness(hosts[0].ID()) == network.Connected {
			t.Error("its peer has not heard of the end of the connection")
		}
		if connect(t, hosts[2], hosts[0], at) {
			t.Error("a silent host takes connections")
		}
		if connect(t, hosts[0], hosts[2], hosts[2].Addrs()) {
			t.Error("a silent host dials")
		}
		time.Sleep(time.Minute)
		if err := speak(); err != nil {
			t.Fatal(err)
		}
		if !connect(t, hosts[2], hosts[0], at) || !connect(t, hosts[0], hosts[1], hosts[1].Addrs()) {
			t.Error("a host that speaks again does not connect")
		}
	})
}

// On real sockets, TCP and UDP stay at their ports.
func TestSilence_KeepsItsPorts(t *testing.T) {
	var hosts []host.Host
	var gaters []*Gater
	for range 2 {
		h, g, err := New(Config{Key: newKey(t), World: Lab, Listen: []ma.Multiaddr{
			addr(t, "/ip4/127.0.0.1/tcp/0"), addr(t, "/ip4/127.0.0.1/udp/0/quic-v1"),
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		hosts, gaters = append(hosts, h), append(gaters, g)
	}
	tcp, udp := hosts[0].Addrs()[:1], hosts[0].Addrs()[1:]
	speak := gaters[0].Silence(hosts[0])
	if connect(t, hosts[1], hosts[0], tcp) {
		t.Error("a silent host takes TCP connections")
	}
	if err := speak(); err != nil {
		t.Fatal(err)
	}
	for _, at := range [][]ma.Multiaddr{tcp, udp} {
		hosts[1].Peerstore().ClearAddrs(hosts[0].ID())
		hosts[1].Network().ClosePeer(hosts[0].ID())
		ctx := network.WithForceDirectDial(t.Context(), "test") // without waiting after the failure before
		if err := hosts[1].Connect(ctx, peer.AddrInfo{ID: hosts[0].ID(), Addrs: at}); err != nil {
			t.Errorf("a host that speaks again cannot be reached at %v: %v", at, err)
		}
	}
}
