package calls

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	relayv2 "github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
	ma "github.com/multiformats/go-multiaddr"
)

// behindRelay makes a know b over a relay only.
func behindRelay(t *testing.T, a, b host.Host) {
	t.Helper()
	relay := newHost(t)
	service, err := relayv2.New(relay)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Close() })
	if _, err := client.Reserve(t.Context(), b, *host.InfoFromHost(relay)); err != nil {
		t.Fatal(err)
	}
	circuit := ma.StringCast("/p2p/" + relay.ID().String() + "/p2p-circuit")
	var addrs []ma.Multiaddr
	for _, addr := range relay.Addrs() {
		addrs = append(addrs, addr.Encapsulate(circuit))
	}
	a.Peerstore().AddAddrs(b.ID(), addrs, peerstore.PermanentAddrTTL)
}

func TestRelayedConnectionsCarryAllButBulk(t *testing.T) {
	caller := newNode(t, newHost(t, libp2p.EnableRelay()))
	server := newNode(t, newHost(t, libp2p.EnableRelay()))
	for class := range Class(classes) {
		spec := echo()
		spec.Class = class
		caller.Register(Kind(class), spec)
		server.Register(Kind(class), spec)
	}
	server.serve(t)
	behindRelay(t, caller.host.Host, server.host.Host)
	for _, class := range []Class{Control, Work} {
		if _, err := caller.Call(t.Context(), server.id(), Kind(class), nil); err != nil {
			t.Errorf("%v call over a relay = %v", class, err)
		}
	}
	if got := caller.host.Network().Connectedness(server.id()); got != network.Limited {
		t.Fatalf("connection is %v, want %v", got, network.Limited)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := caller.Call(ctx, server.id(), Kind(Bulk), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("bulk call over a relay = %v, want %v", err, context.DeadlineExceeded)
	}
	// A stranger that tries all the same is turned away.
	s := rawStream(t, caller.host, server.id(), Bulk)
	_, _ = s.Write(rawFrame(0, byte(Bulk), 0, nil))
	if status, err := readStatus(s); err == nil {
		t.Errorf("bulk request over a relay was answered with status %d", status)
	}
}

func TestCall_LeavesTheRelayWhenThereIsABetterWay(t *testing.T) {
	caller := newNode(t, newHost(t, libp2p.EnableRelay()))
	server := newNode(t, newHost(t, libp2p.EnableRelay()))
	caller.Register(1, echo())
	server.Register(1, echo())
	server.serve(t)
	behindRelay(t, caller.host.Host, server.host.Host)
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil {
		t.Fatal(err)
	}
	direct := network.WithForceDirectDial(t.Context(), "test")
	if err := caller.host.Connect(direct, *host.InfoFromHost(server.host)); err != nil {
		t.Fatal(err)
	}
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil {
		t.Fatal(err)
	}
	for _, l := range caller.pool.lanes {
		for _, idle := range l.idle {
			if idle.stream.Conn().Stat().Limited {
				t.Error("a stream over the relay is kept though there is a direct connection")
			}
		}
	}
}
