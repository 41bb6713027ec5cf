package p2p

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/wire"
)

// simulated starts a node on a host of a simulated network, that connects to others.
func simulated(t *testing.T, h *p2ptest.Host, know ...*p2ptest.Host) (n *Node, stop func()) {
	t.Helper()
	return simulatedWith(t, h, nil, know...)
}

// simulatedWith is simulated with a store.
func simulatedWith(t *testing.T, h *p2ptest.Host, store Store, know ...*p2ptest.Host) (n *Node, stop func()) {
	t.Helper()
	var doors peerhost.Peers
	for _, k := range know {
		doors.Known = append(doors.Known, peer.AddrInfo{ID: k.ID(), Addrs: k.Addrs()})
	}
	log := slog.New(slog.DiscardHandler)
	finder, err := peerhost.NewFinder(peerhost.FinderConfig{
		Host: h, Gater: h.Gater, World: peerhost.Lab, Role: peerhost.Member, Network: "lab-t", Bootstrap: doors,
		Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	n, err = New(Config{
		Host: h, Key: h.Key, Network: "lab-t", Lab: true, Capacity: func() uint8 { return 1 },
		Expects: len(know) > 0, Finder: finder, Store: store, Times: LabTimes(), Version: "test", Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done, found := make(chan struct{}), make(chan struct{})
	go func() { defer close(found); finder.Serve(ctx) }()
	go func() { defer close(done); n.Serve(ctx) }()
	return n, func() {
		cancel()
		<-done
		<-found
		h.Close()
	}
}

// Who lost its power and is back at another address is asked there, though connections to where it was seem to
// live for half a minute, and have more streams.
func TestNode_UsesTheNewConnectionOfWhoIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := p2ptest.New(p2ptest.Between(10*time.Millisecond, 50*time.Millisecond), 1)
		defer net.Close()
		var hosts []*p2ptest.Host
		for range 3 {
			h, err := net.NewHost()
			if err != nil {
				t.Fatal(err)
			}
			hosts = append(hosts, h)
		}
		a, stopA := simulated(t, hosts[0])
		defer stopA()
		_, stopB := simulated(t, hosts[1], hosts[0])
		defer stopB()
		c, stopC := simulated(t, hosts[2], hosts[0])
		defer stopC()
		back := string(hosts[1].ID())
		time.Sleep(20 * time.Second)
		if a.Members.Count() != 3 || c.Members.Count() != 3 {
			t.Fatalf("%d and %d members", a.Members.Count(), c.Members.Count())
		}
		net.Cut(hosts[1], true)
		// Streams that are in use make a connection look better than one that is new.
		for range 4 {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				a.exchange.syncWith(ctx, back)
			}()
		}
		time.Sleep(6 * time.Second)
		again, err := net.Again(hosts[1])
		if err != nil {
			t.Fatal(err)
		}
		_, stop := simulated(t, again, hosts[0], hosts[2])
		defer stop()
		time.Sleep(time.Second)
		for _, n := range []*Node{a, c} {
			for tries := 1; ; tries++ {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				digest := n.Members.Digest()
				_, err := n.Requests.Call(ctx, back, wire.KindPing, wire.Encode(&wire.Ping{Digest: digest[:]}))
				cancel()
				if err == nil {
					break
				}
				if tries == 2 {
					t.Fatalf("no answer: %v", err)
				}
			}
		}
	})
}
