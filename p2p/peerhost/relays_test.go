package peerhost

import (
	"context"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
)

// onLoopback is a host on loopback, outside the worlds of New: a relay has none in a lab.
func onLoopback(t *testing.T, opts ...libp2p.Option) host.Host {
	t.Helper()
	h, err := libp2p.New(append(opts, libp2p.ListenAddrStrings("/ip4/127.0.0.1/tcp/0"), libp2p.DisableMetrics())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// Relays are bootstrap nodes that this host is connected to, at the address where it reached them.
func TestRelays_AreThoseThatWereDialled(t *testing.T) {
	server := onLoopback(t, libp2p.ForceReachabilityPublic(), relayService())
	caller := onLoopback(t, libp2p.ForceReachabilityPublic(), relayService())
	other := onLoopback(t, libp2p.DisableRelay())
	h := onLoopback(t, libp2p.EnableRelay())
	var r relays
	if found := r.find(t.Context(), 4); len(found) != 0 {
		t.Error("a relay was found before there was a host")
	}
	r.host.Store(&h)
	for _, c := range [][2]host.Host{{h, server}, {h, other}, {caller, h}} {
		if err := c[0].Connect(t.Context(), peer.AddrInfo{ID: c[1].ID(), Addrs: c[1].Addrs()}); err != nil {
			t.Fatal(err)
		}
	}
	var found []peer.AddrInfo
	for deadline := time.Now().Add(30 * time.Second); len(found) == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		found = nil
		for p := range r.find(t.Context(), 4) {
			found = append(found, p)
		}
	}
	if len(found) != 1 || found[0].ID != server.ID() || len(found[0].Addrs) != 1 || !found[0].Addrs[0].Equal(server.Addrs()[0]) {
		t.Fatalf("found %v, want %v alone at %v", found, server.ID(), server.Addrs())
	}
	if some := r.find(t.Context(), 0); cap(some) != 0 || len(some) != 0 {
		t.Error("more were found than asked for")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	place, err := client.Reserve(ctx, h, found[0])
	if err != nil {
		t.Fatal(err)
	}
	if place.LimitData != relayedBytes || place.LimitDuration != relayedFor {
		t.Errorf("it forwards %d bytes for %v, want %d for %v", place.LimitData, place.LimitDuration, uint64(relayedBytes), relayedFor)
	}
}
