package p2ptest

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/protocol/ping"
)

func TestBetween_IsTheSameBothWaysAndWithinBounds(t *testing.T) {
	const low, high = 10 * time.Millisecond, 50 * time.Millisecond
	latency := Between(low, high)
	seen := make(map[time.Duration]bool)
	for i := range 50 {
		a, b := netip.AddrFrom4([4]byte{10, 1, 0, 1}), netip.AddrFrom4([4]byte{10, 1, byte(i + 1), 1})
		there, back := latency(a, b), latency(b, a)
		if there != back || there < low || there > high {
			t.Errorf("%v to %v takes %v, back %v, want the same, %v to %v", a, b, there, back, low, high)
		}
		seen[there] = true
	}
	if len(seen) < 25 {
		t.Errorf("%d latencies among 50 pairs, want them spread", len(seen))
	}
}

func TestNetwork_PacketsTakeTheirTimeAndCutHostsAreSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const oneWay = 30 * time.Millisecond
		n := New(func(_, _ netip.Addr) time.Duration { return oneWay }, 7)
		defer n.Close()
		var hosts [2]*Host
		for i := range hosts {
			h, err := n.NewHost()
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			hosts[i] = h
		}
		if err := hosts[0].Connect(t.Context(), *host.InfoFromHost(hosts[1])); err != nil {
			t.Fatal(err)
		}
		answer := func() (r ping.Result, ok bool) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			r, ok = <-ping.Ping(network.WithNoDial(ctx, "connected"), hosts[0], hosts[1].ID())
			return r, ok && r.Error == nil
		}
		answer() // negotiates
		if r, ok := answer(); !ok || r.RTT < 2*oneWay || r.RTT > 3*oneWay {
			t.Errorf("there and back took %v, %v, want about %v", r.RTT, r.Error, 2*oneWay)
		}
		if n.Packets() == 0 {
			t.Error("no packets counted")
		}
		n.Cut(hosts[1], true)
		if r, ok := answer(); ok {
			t.Errorf("a host that is cut off answered after %v", r.RTT)
		}
	})
}

func TestNetwork_TheSeedDecidesIdentities(t *testing.T) {
	ids := make(map[uint64]string)
	for _, seed := range []uint64{1, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			n := New(Between(time.Millisecond, time.Millisecond), seed)
			defer n.Close()
			h, err := n.NewHost()
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			if was, ok := ids[seed]; ok && was != h.ID().String() {
				t.Errorf("seed %d made %s and %s", seed, was, h.ID())
			}
			ids[seed] = h.ID().String()
		})
	}
	if ids[1] == ids[2] {
		t.Error("two seeds made the same identity")
	}
}
