package peerhost

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

func TestReachability_Code(t *testing.T) {
	at := []ma.Multiaddr{addr(t, "/ip4/5.5.5.10/tcp/4001"), addr(t, "/ip4/5.5.5.10/udp/4001/quic-v1"), addr(t, "/ip6/2a00::1/tcp/4001")}
	for _, c := range []struct {
		r        Reachability
		code, at string
	}{
		{Reachability{World: Public}, "unknown", ""},
		{Reachability{World: Public, Direct: Yes, Announced: at}, "direct", "5.5.5.10:4001, [2a00::1]:4001"},
		{Reachability{World: Public, Direct: Yes, Announced: at, PortMapped: true}, "mapped", "5.5.5.10:4001, [2a00::1]:4001"},
		{Reachability{World: Public, Direct: No, Relayed: true}, "relay", ""},
		{Reachability{World: Public, Direct: No, LANPeers: 1}, "lan", ""},
		{Reachability{World: Public, LANPeers: 1}, "lan-so-far", ""},
		{Reachability{World: Public, Direct: No}, "none", ""},
		{Reachability{World: Lab, Direct: Yes, Announced: at[:1]}, "lab", "5.5.5.10:4001"},
	} {
		if code, at := c.r.Code(), c.r.Places(); code != c.code || at != c.at {
			t.Errorf("%+v: %s at %q, want %s at %q", c.r, code, at, c.code, c.at)
		}
	}
}

func TestReachability_FollowsTheProbes(t *testing.T) {
	a := []ma.Multiaddr{addr(t, "/ip4/5.5.5.10/tcp/4001")}
	private := event.EvtLocalReachabilityChanged{Reachability: network.ReachabilityPrivate}
	public := event.EvtLocalReachabilityChanged{Reachability: network.ReachabilityPublic}
	for _, c := range []struct {
		name   string
		events []any
		want   Answer
	}{
		{"nothing", nil, Unknown},
		{"v1 says public", []any{public}, Yes},
		{"v1 says private", []any{private}, No},
		{"v1 changes its mind", []any{private, event.EvtLocalReachabilityChanged{}}, Unknown},
		{"v2 found one", []any{private, event.EvtHostReachableAddrsChanged{Reachable: a}}, Yes},
		{"v2 found none of all", []any{event.EvtHostReachableAddrsChanged{Unreachable: a}}, No},
		{"v2 is still at it", []any{event.EvtHostReachableAddrsChanged{Unreachable: a, Unknown: a}}, Unknown},
	} {
		var w reachWatch
		for _, e := range c.events {
			w.take(e)
		}
		if got, _ := w.direct(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestReachability_LoopbackCountsInALab(t *testing.T) {
	h, g := startHost(t, labConfig(t))
	f, _ := startFinder(t, FinderConfig{Host: h, Gater: g})
	if r := f.Reachability(); r.Direct != Yes || len(r.Announced) == 0 {
		t.Errorf("Reachability = %+v, want reachable", r)
	}
}

func TestReachability_SimulatedPublicHostKnowsItsAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, gaters, closeAll := simHosts(t, Public, 1)
		defer closeAll()
		f, stop := startFinder(t, FinderConfig{Host: hosts[0], Gater: gaters[0], World: Public, Network: "main"})
		defer stop()
		synctest.Wait()
		if r := f.Reachability(); r.Direct != Yes || len(r.Announced) != 1 {
			t.Errorf("Reachability = %+v, want reachable at one address", r)
		}
	})
}

func TestRefreshWait(t *testing.T) {
	for _, c := range []struct {
		up        time.Duration
		size      int
		low, high time.Duration
	}{
		{0, 100, refreshOften, refreshOften},
		{time.Minute, 100, time.Minute, time.Minute},
		{2 * time.Minute, 100, 2 * time.Minute, 2 * time.Minute},
		{4 * time.Minute, 100, refreshSeldom, 2 * refreshSeldom},
		{time.Hour, fewPeers - 1, refreshOften, refreshOften},
		{time.Hour, fewPeers, refreshSeldom, 2 * refreshSeldom},
	} {
		for range 100 {
			if got := refreshWait(c.up, c.size); got < c.low || got > c.high {
				t.Errorf("refreshWait(%v, %d) = %v, want %v to %v", c.up, c.size, got, c.low, c.high)
			}
		}
	}
}

func TestJoinWait_DoublesAndStaysBounded(t *testing.T) {
	for tries := range 100 {
		d := min(firstWait<<min(tries, 6), lastWait)
		if got := joinWait(tries); got < d*2/3 || got > d*4/3 {
			t.Errorf("joinWait(%d) = %v, want %v give or take a third", tries, got, d)
		}
	}
}

func TestFinder_ComesBackWhenTheBootstrapServerDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, gaters, closeAll := simHosts(t, Lab, 2)
		defer closeAll()
		var up atomic.Bool
		gaters[0].SetBanned(func(peer.ID) bool { return !up.Load() })
		_, stop0 := startFinder(t, FinderConfig{Host: hosts[0], Gater: gaters[0]})
		defer stop0()
		f, stop := startFinder(t, FinderConfig{Host: hosts[1], Gater: gaters[1], Bootstrap: Peers{Known: []peer.AddrInfo{info(hosts[0])}}})
		defer stop()
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := f.TableSize(); n != 0 {
			t.Fatalf("%d peers known while the server is down, want 0", n)
		}
		up.Store(true)
		time.Sleep(2 * lastWait)
		synctest.Wait()
		if n := f.TableSize(); n != 1 {
			t.Errorf("%d peers known after the server came back, want 1", n)
		}
	})
}
