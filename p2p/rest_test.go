package p2p

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	manet "github.com/multiformats/go-multiaddr/net"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/requests"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// three starts three members that agree about each other.
func three(t *testing.T, times Times) []*runningNode {
	t.Helper()
	nodes := []*runningNode{start(t, times)}
	<-nodes[0].Joined()
	for range 2 {
		nodes = append(nodes, start(t, times, nodes[0]))
	}
	until(t, "three members agree", func() bool { return agree(nodes) })
	return nodes
}

// units returns what part of the ring a member has as another knows it.
func units(of, at *runningNode) int { return at.Members.Ring().Units(of.Self()) }

// stateOf returns what another says of itself, as a node knows it.
func (r *runningNode) stateOf(other *runningNode) roster.State {
	m, _ := r.Members.Roster.Get(other.self)
	return m.State
}

// holds reports whether another may hold domains: it is a member that is neither out nor has left with nothing.
func (r *runningNode) holds(other *runningNode) bool {
	m, ok := r.Members.Roster.Get(other.self)
	return ok && !m.Out && m.State != roster.StateLeft
}

// A member that rests keeps its place, is not asked for signs of life, and takes part
// again when it is back.
func TestNode_RestsAndIsBack(t *testing.T) {
	times := quickTimes()
	times.Out = time.Minute
	nodes := three(t, times)
	a, b, c := nodes[0], nodes[1], nodes[2]
	seq := b.seqAt(a)
	if err := b.Rest(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	b.Tell(t.Context())
	b.SetSilent(true)
	own := b.seqAt(b)
	if !a.Members.Rests(b.Self()) || !c.Members.Rests(b.Self()) {
		t.Error("who was told does not know that it rests")
	}
	if !a.beats.Down(b.self) || units(b, a) != 1 || !a.holds(b) || a.stateOf(b) != roster.StateResting {
		t.Errorf("down %v, %d units, state %v: want it on the ring, but not asked for anything", a.beats.Down(b.self),
			units(b, a), a.stateOf(b))
	}
	b.cfg.Host.Network().ClosePeer(a.self)
	until(t, "the connection is closed",
		func() bool { return a.cfg.Host.Network().Connectedness(b.self) == network.NotConnected })
	if _, err := a.Requests.Call(t.Context(), b.Self(), wire.KindAct, []byte{0x81, 1}); !errors.Is(err,
		requests.ErrRests) ||
		!errors.Is(err, calls.ErrUnreachable) {
		t.Errorf("call to one that rests: error = %v, want ErrRests", err)
	}
	if _, err := b.Requests.Call(t.Context(), a.Self(), wire.KindAct, []byte{0x81, 1}); !errors.Is(err,
		requests.ErrSilent) ||
		!errors.Is(err, calls.ErrUnreachable) {
		t.Errorf("call of a silent node: error = %v, want ErrSilent", err)
	}
	for range times.Misses + 1 {
		b.beats.ask(t.Context(), a.self)
	}
	if err := b.Rest(t.Context(), true); err != nil { // who could hear it?
		t.Error(err)
	}
	if b.beats.Down(a.self) {
		t.Error("a silent node judges others")
	}
	if got := b.seqAt(b); got != own {
		t.Errorf("a silent node has changed its record: sequence %d after %d", got, own)
	}
	b.SetSilent(false)
	if err := b.Back(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "it is back", func() bool { return !a.beats.Down(b.self) && !c.beats.Down(b.self) && agree(nodes) })
	if got := b.seqAt(a); got <= seq {
		t.Errorf("sequence %d after %d", got, seq)
	}
}

// seqAt returns the number of a node's record as another knows it.
func (r *runningNode) seqAt(at *runningNode) uint64 {
	m, _ := at.Members.Roster.Get(r.self)
	return m.Seq
}

// Who rests for as long as others wait for anybody is out, and undoes that when it is back.
func TestNode_RestsForTooLong(t *testing.T) {
	times := quickTimes()
	times.Out = 3 * time.Second
	nodes := three(t, times)
	a, b := nodes[0], nodes[1]
	rested := time.Now()
	if err := b.Rest(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	b.Tell(t.Context())
	b.SetSilent(true)
	until(t, "it is out", func() bool { return units(b, a) == 0 })
	if took := time.Since(rested); took < times.Out-time.Second { // records are dated to the second
		t.Errorf("it was out after %v, want %v", took, times.Out)
	}
	b.SetSilent(false)
	if err := b.Back(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "it is back", func() bool { return agree(nodes) })
}

// Who plans to be away for long gives up its place at once.
func TestNode_RestsAway(t *testing.T) {
	nodes := three(t, quickTimes())
	a, b := nodes[0], nodes[1]
	if err := b.Rest(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	b.Tell(t.Context())
	// the ring is made again a moment after the note
	until(t, "it has no place", func() bool { return units(b, a) == 0 })
	if !a.beats.Down(b.self) || !a.holds(b) {
		t.Errorf("down %v, holds %v: want that it may hold domains", a.beats.Down(b.self), a.holds(b))
	}
	if err := b.Back(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "it is back", func() bool { return agree(nodes) })
}

// Silence ends calls that are under way: here, one whose peer takes the connection and
// says nothing.
func TestNode_SilenceEndsCalls(t *testing.T) {
	n := start(t, quickTimes())
	<-n.Joined()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	go func() {
		for {
			c, err := mute.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			n.SetSilent(true)
		}
	}()
	_, key, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id, err := peer.IDFromPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	at, err := manet.FromNetAddr(mute.Addr())
	if err != nil {
		t.Fatal(err)
	}
	n.cfg.Host.Peerstore().AddAddr(id, at, time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	began := time.Now()
	if _, err := n.Requests.Call(ctx, string(id), wire.KindAct, []byte{0x81, 1}); !errors.Is(err, requests.ErrSilent) {
		t.Errorf("error = %v, want ErrSilent", err)
	}
	if took := time.Since(began); took > 3*time.Second { // a dial takes 5 s
		t.Errorf("the call ended after %v", took)
	}
}

// doorkeeper puts requests of one kind off.
type doorkeeper struct {
	kind        wire.Kind
	answer, ask time.Duration
	on          atomic.Bool
}

func (d *doorkeeper) Answer(_ calls.Class, kind wire.Kind, _ int) time.Duration {
	if d.on.Load() && kind == d.kind {
		return d.answer
	}
	return 0
}

func (d *doorkeeper) Ask(class calls.Class, kind wire.Kind, n int) time.Duration {
	if d.on.Load() && kind == d.kind && class == calls.Work && n == 2 {
		return d.ask
	}
	return 0
}

func TestNode_GatePutsRequestsOff(t *testing.T) {
	gate := &doorkeeper{kind: wire.KindAct, answer: 7 * time.Second, ask: 9 * time.Second}
	a := start(t, quickTimes())
	<-a.Joined()
	b := startGated(t, gate, a)
	until(t, "both are members", func() bool { return agree([]*runningNode{a, b}) })
	call := func(from, to *runningNode) time.Duration {
		_, err := from.Requests.Call(t.Context(), to.Self(), wire.KindAct, []byte{0x81, 1})
		var busy *calls.Busy
		if errors.As(err, &busy) {
			return busy.After
		}
		if err != nil {
			t.Error(err)
		}
		return 0
	}
	for _, on := range []bool{false, true} {
		gate.on.Store(on)
		wait, own := time.Duration(0), time.Duration(0)
		if on {
			wait, own = gate.answer, gate.ask
		}
		if got := call(a, b); got != wait {
			t.Errorf("gate %v: a peer is told to wait %v, want %v", on, got, wait)
		}
		if got := call(b, a); got != own {
			t.Errorf("gate %v: own calls wait %v, want %v", on, got, own)
		}
	}
	if b.Members.Rests(peer.ID("nobody").String()) {
		t.Error("a stranger rests")
	}
}
