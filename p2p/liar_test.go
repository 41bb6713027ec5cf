package p2p

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	pb "github.com/libp2p/go-libp2p-pubsub/pb"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/flood"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/requests"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/signed"
	"github.com/forage-net/forage/p2p/wire"
)

// liar is a host that speaks the protocol and says what it likes.
type liar struct {
	host  host.Host
	key   crypto.PrivKey
	calls *calls.Calls
}

func newKey(t *testing.T) crypto.PrivKey {
	t.Helper()
	key, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// newLiar returns a liar that knows where n is. What it answers to requests of a
// kind is in answers.
func newLiar(t *testing.T, n *runningNode, answers map[wire.Kind]calls.Handler) *liar {
	t.Helper()
	key := newKey(t)
	h, _, err := peerhost.New(peerhost.Config{Key: key,
		Listen: []ma.Multiaddr{ma.StringCast("/ip4/127.0.0.1/tcp/0")}, World: peerhost.Lab})
	if err != nil {
		t.Fatal(err)
	}
	c, err := calls.New(h, calls.Config{Network: n.cfg.Network, Dictionary: wire.Dictionary()})
	if err != nil {
		t.Fatal(err)
	}
	for kind := wire.KindSync; kind <= wire.KindVouch; kind++ {
		spec := requests.SpecOf(kind)
		spec.Rate, spec.Burst, spec.Handle = 1e6, 1e6, answers[kind]
		c.Register(calls.Kind(kind), spec)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		c.Serve(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-served
		h.Close()
	})
	h.Peerstore().AddAddrs(n.self, n.cfg.Host.Addrs(), time.Hour)
	return &liar{host: h, key: key, calls: c}
}

func (l *liar) say(t *testing.T, n *runningNode, kind wire.Kind, m wire.Message) ([]byte, error) {
	return l.calls.Call(t.Context(), n.self, calls.Kind(kind), wire.Encode(m))
}

// sync sends items to a node, which may ask to be let alone for a moment.
func (l *liar) sync(t *testing.T, n *runningNode, items ...[]byte) error {
	for {
		summary, _, _ := n.Members.Roster.Summary(n.self, 0, wire.MaxSummary)
		_, err := l.say(t, n, wire.KindSync, &wire.Sync{Digest: make([]byte, 16), Summary: summary, Items: items})
		var busy *calls.Busy
		if !errors.As(err, &busy) {
			return err
		}
		time.Sleep(busy.After)
	}
}

// recordOf is a record of who has a key.
func recordOf(t *testing.T, network string, key crypto.PrivKey, change func(*roster.Record)) []byte {
	t.Helper()
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	r := roster.Record{Peer: id, Seq: uint64(time.Now().UnixMilli()), Issued: time.Now().Unix(),
		State: roster.StateActive, Reach: roster.ReachPublic, Version: "test"}
	if change != nil {
		change(&r)
	}
	raw, err := roster.Seal(network, key, r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// memberOf is recordOf for one that a node vouches for.
func memberOf(t *testing.T, n *runningNode, key crypto.PrivKey, change func(*roster.Record)) []byte {
	t.Helper()
	return recordOf(t, n.cfg.Network, key, func(r *roster.Record) {
		r.Addrs = []ma.Multiaddr{ma.StringCast("/ip4/127.0.0.1/tcp/9")}
		if change != nil {
			change(r)
		}
		v, err := signed.SealVouch(n.cfg.Network, n.cfg.Key, r.Peer, r.Joined, r.IPs()[0], time.Now())
		if err != nil {
			t.Fatal(err)
		}
		r.Vouches = []signed.Vouch{v}
	})
}

func aloneNode(t *testing.T) *runningNode {
	t.Helper()
	n := start(t, quickTimes())
	<-n.Joined()
	return n
}

func TestRoster_LiesAreRefusedAndCounted(t *testing.T) {
	n := aloneNode(t)
	victim := newKey(t)
	good := memberOf(t, n, victim, nil)
	forged := append([]byte(nil), good...)
	forged[len(forged)-1] ^= 1
	for name, c := range map[string]struct {
		item []byte
		lie  bool
	}{
		"forged":             {forged, true},
		"of another network": {recordOf(t, "lab-other", victim, nil), true},
		"garbage": {[]byte("no item at all, but of some length and more, so that it is not too " +
			"short for one, which is refused anyway"), true},
		"expired":     {memberOf(t, n, victim, func(r *roster.Record) { r.Issued -= 49 * 3600 }), false},
		"of tomorrow": {memberOf(t, n, victim, func(r *roster.Record) { r.Issued += 24 * 3600 }), false},
		"of one without a vouch": {recordOf(t, n.cfg.Network, victim, func(r *roster.Record) { r.Capacity = 8 }),
			false},
	} {
		l := newLiar(t, n, nil)
		before := n.Requests.Offences()["forged member"]
		if err := l.sync(t, n, c.item); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := n.Requests.Offences()["forged member"] > before; got != c.lie {
			t.Errorf("%s: counted as a lie: %v, want %v", name, got, c.lie)
		}
		id, _ := peer.IDFromPrivateKey(victim)
		if n.Members.IsMember(string(id)) {
			t.Errorf("%s: believed", name)
		}
	}
	// An old record replaces no newer one, and costs nothing: an honest peer may have it.
	l := newLiar(t, n, nil)
	newer := memberOf(t, n, victim, func(r *roster.Record) { r.Seq += 10; r.Version = "newer" })
	id, _ := peer.IDFromPrivateKey(victim)
	for _, item := range [][]byte{newer, good, newer, good} {
		if err := l.sync(t, n, item); err != nil {
			t.Fatal(err)
		}
	}
	if m, ok := n.Members.Roster.Get(id); !ok || m.Version != "newer" || n.Requests.Banned(l.host.ID()) {
		t.Errorf("member = %+v, %v", m.Record, ok)
	}
}

func TestRoster_WhoForgesLosesItsConnection(t *testing.T) {
	n := aloneNode(t)
	l := newLiar(t, n, nil)
	forged := memberOf(t, n, newKey(t), nil)
	forged[len(forged)-1] ^= 1
	until(t, "it is banned", func() bool {
		if err := l.sync(t, n, forged); err != nil {
			t.Log(err) // perhaps they had not met yet
		}
		return n.Requests.Banned(l.host.ID())
	})
	until(t, "its connection is closed",
		func() bool { return n.cfg.Host.Network().Connectedness(l.host.ID()) != network.Connected })
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if _, err := l.calls.Call(ctx, n.self, calls.Kind(wire.KindPing),
		wire.Encode(&wire.Ping{Digest: make([]byte, 16)})); err == nil {
		t.Error("it is heard again")
	}
}

func TestSync_AbsurdSummariesAreRefused(t *testing.T) {
	n := aloneNode(t)
	for name, summary := range map[string][]byte{
		"empty": {}, "garbage": []byte("garbage"), "long": make([]byte, wire.MaxSummary),
	} {
		l := newLiar(t, n, nil)
		before := n.Requests.Offences()["roster"]
		_, err := l.say(t, n, wire.KindSync, &wire.Sync{Digest: make([]byte, 16), Summary: summary})
		if _, ok := errors.AsType[*calls.Refused](err); !ok || n.Requests.Offences()["roster"] == before {
			t.Errorf("%s summary: %v, counted %d", name, err, n.Requests.Offences()["roster"]-before)
		}
	}
}

// Keys cost nothing: notes count only of those who watch the victim.
func TestOutNote_OfStrangersCountsForNothing(t *testing.T) {
	nodes := []*runningNode{aloneNode(t)}
	for range 2 {
		nodes = append(nodes, start(t, quickTimes(), nodes[0]))
	}
	until(t, "three members agree", func() bool { return agree(nodes) })
	n := nodes[0]
	fetcherKey, strangerKey := newKey(t), newKey(t)
	l := newLiar(t, n, nil)
	if err := l.sync(t, n, recordOf(t, n.cfg.Network, fetcherKey, nil)); err != nil {
		t.Fatal(err)
	}
	fetcher, _ := peer.IDFromPrivateKey(fetcherKey)
	stranger, _ := peer.IDFromPrivateKey(strangerKey)
	add := func(o roster.Out) (changed bool, err error) {
		note, err := roster.SealOut(n.cfg.Network, newKey(t), o)
		for range 3 {
			if err == nil {
				note, err = roster.Countersign(n.cfg.Network, note, newKey(t))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return n.Members.Roster.Add("", note)
	}
	for name, o := range map[string]roster.Out{
		"an owner":         {Victim: nodes[1].self, Seq: 1},
		"a fetcher":        {Victim: fetcher, Seq: uint64(time.Now().UnixMilli())},
		"who is not heard": {Victim: stranger, Seq: 1},
	} {
		o.Issued = time.Now().Unix()
		changed, err := add(o)
		for m, _ := n.Members.Roster.Get(o.Victim); errors.Is(err, roster.ErrOld) && m.Seq > o.Seq; m,
			_ = n.Members.Roster.Get(o.Victim) {
			o.Seq = m.Seq // its record of now: an owner may issue another meanwhile
			changed, err = add(o)
		}
		if changed || !errors.Is(err, roster.ErrUnentitled) {
			t.Errorf("a note of strangers about %s: %v, %v", name, changed, err)
		}
		if m, ok := n.Members.Roster.Get(o.Victim); ok && m.Out {
			t.Errorf("%s is out", name)
		}
	}
}

// Nobody signs that a member is out which it hears, or a record it has not heard of.
func TestSign_OnlyWhoIsDown(t *testing.T) {
	nodes := []*runningNode{aloneNode(t)}
	for range 2 {
		nodes = append(nodes, start(t, quickTimes(), nodes[0]))
	}
	until(t, "three members agree", func() bool { return agree(nodes) })
	n, victim := nodes[0], nodes[1].self
	l := newLiar(t, n, nil)
	sign := func(key crypto.PrivKey, seq uint64) bool {
		note, err := roster.SealOut(n.cfg.Network, key, roster.Out{Victim: victim, Seq: seq, Issued: time.Now().Unix()})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := l.say(t, n, wire.KindSign, &wire.Sign{Note: note})
		if err != nil {
			t.Fatal(err)
		}
		m, err := wire.Decode[wire.Sign](raw)
		if err != nil {
			t.Fatal(err)
		}
		return len(m.Note) > 0
	}
	m, _ := n.Members.Roster.Get(victim)
	if sign(l.key, m.Seq) {
		t.Error("it signed that a member is out that it hears")
	}
	n.beats.mu.Lock()
	n.beats.state[victim] = &beat{down: time.Now().Add(-time.Hour), asking: true}
	n.beats.mu.Unlock()
	if sign(l.key, m.Seq+1000) {
		t.Error("it signed that a record is over that it has not heard of")
	}
	if _, err := l.say(t, n, wire.KindSign, &wire.Sign{Note: []byte("garbage")}); err == nil ||
		n.Requests.Offences()["out note"] == 0 {
		t.Errorf("garbage: %v, counted %d", err, n.Requests.Offences()["out note"])
	}
}

// Nobody is dialled because a stranger asks whether it can be reached.
func TestProbe_DialsOnlyMembersForMembers(t *testing.T) {
	times := quickTimes()
	times.Beat, times.Compare = time.Minute, time.Hour // it has no other reason to dial a member
	n := start(t, times)
	<-n.Joined()
	victim := newLiar(t, n, nil)
	dialled := func() bool { return len(victim.host.Network().Peers()) > 0 }
	addrs := func(r *roster.Record) { r.Addrs = roster.Usable(victim.host.Addrs(), roster.ReachPublic) }
	stranger, member := newLiar(t, n, nil), newLiar(t, n, nil)
	if changed, err := n.Members.Roster.Add("", memberOf(t, n, member.key, nil)); err != nil || !changed {
		t.Fatal(changed, err)
	}
	n.cfg.Host.Peerstore().AddAddrs(victim.host.ID(), victim.host.Addrs(), time.Hour) // from wherever
	probe := func(l *liar) {
		if _, err := l.say(t, n, wire.KindProbe, &wire.Probe{Peer: string(victim.host.ID())}); err != nil {
			t.Fatal(err)
		}
	}
	if probe(member); dialled() {
		t.Fatal("a stranger was dialled for a member")
	}
	if changed, err := n.Members.Roster.Add("", memberOf(t, n, victim.key, addrs)); err != nil || !changed {
		t.Fatal(changed, err)
	}
	if probe(stranger); dialled() {
		t.Fatal("a member was dialled for a stranger")
	}
	if probe(member); !dialled() {
		t.Error("a member was not dialled for a member")
	}
}

func TestPing_FloodsAreRefusedAndCost(t *testing.T) {
	n := aloneNode(t)
	l := newLiar(t, n, nil)
	refused := 0
	for range 500 {
		_, err := l.say(t, n, wire.KindPing, &wire.Ping{Digest: make([]byte, 16)})
		if err != nil {
			refused++
		}
		if n.Requests.Banned(l.host.ID()) {
			break
		}
	}
	if !n.Requests.Banned(l.host.ID()) || n.Requests.Offences()["flood of "+wire.KindPing.String()] == 0 {
		t.Errorf("%d of 500 refused, %d floods counted, not banned", refused,
			n.Requests.Offences()["flood of "+wire.KindPing.String()])
	}
}

func heardBy(from peer.ID, data []byte) *pubsub.Message {
	return &pubsub.Message{Message: &pb.Message{Data: data}, ReceivedFrom: from}
}

func TestGossip_LiesAreRejectedAndCounted(t *testing.T) {
	n := aloneNode(t)
	forged := memberOf(t, n, newKey(t), nil)
	forged[len(forged)-1] ^= 1
	for i, data := range [][]byte{forged, recordOf(t, "lab-other", newKey(t), nil),
		make([]byte, wire.MaxItemBytes+1), []byte("x")} {
		from := peer.ID(fmt.Sprint("a peer that lies ", i))
		if got := n.gossip.judge(t.Context(), from, heardBy(from, data)); got != pubsub.ValidationReject {
			t.Errorf("item %d: %v, want a rejection", i, got)
		}
	}
	if got := n.Requests.Offences(); got["forged member"] != 3 || got["gossip"] != 1 {
		t.Errorf("offences = %v", got)
	}
	honest := memberOf(t, n, newKey(t), nil)
	if got := n.gossip.judge(t.Context(), "honest peer",
		heardBy("honest peer", honest)); got != pubsub.ValidationAccept {
		t.Errorf("a good record: %v", got)
	}
	if got := n.gossip.judge(t.Context(), "honest peer",
		heardBy("honest peer", honest)); got != pubsub.ValidationIgnore {
		t.Errorf("the same again: %v", got)
	}
}

// A member that signs one record after the other is passed on for a while only.
func TestGossip_FloodsArePassedOver(t *testing.T) {
	n := aloneNode(t)
	key := newKey(t)
	from, _ := peer.IDFromPrivateKey(key)
	var records [][]byte // made before, for that takes long enough to be allowed some more
	for i := range 2 * flood.PeerBurst {
		records = append(records, recordOf(t, n.cfg.Network, key, func(r *roster.Record) { r.Seq += uint64(i) }))
	}
	taken, asked := 0, flood.MemberBurst+20
	for _, raw := range records[:asked] {
		n.exchange.take(from, [][]byte{raw}) // by comparison it counts as well
	}
	if m, _ := n.Members.Roster.Get(from); m.Seq >= seqOf(t, n, records[asked-1]) {
		t.Error("comparison takes what gossip would not")
	}
	for _, raw := range records {
		if n.gossip.judge(t.Context(), from, heardBy(from, raw)) == pubsub.ValidationAccept {
			taken++
		}
	}
	if taken > flood.MemberBurst {
		t.Errorf("%d items were taken and passed on, want %d at most", taken, flood.MemberBurst)
	}
	if n.Requests.Offences()["gossip flood"] == 0 {
		t.Error("a flood is not counted")
	}
}

func seqOf(t *testing.T, n *runningNode, raw []byte) uint64 {
	t.Helper()
	r, err := roster.Open(n.cfg.Network, raw)
	if err != nil {
		t.Fatal(err)
	}
	return r.Seq
}

// With a peer that seems to know others and never tells whom, rosters are compared
// less and less.
func TestCompare_IsGivenUpWhereItLeadsToNothing(t *testing.T) {
	n := aloneNode(t)
	other := make([]byte, 16)
	l := newLiar(t, n, map[wire.Kind]calls.Handler{
		wire.KindSync: func(context.Context, peer.ID, []byte) ([]byte, error) {
			summary, _, _ := n.Members.Roster.Summary(n.self, 0, wire.MaxSummary)
			return wire.Encode(&wire.Sync{Digest: other, Summary: summary}), nil
		},
	})
	n.cfg.Host.Peerstore().AddAddrs(l.host.ID(), l.host.Addrs(), time.Hour)
	id := l.host.ID()
	waitOf := func() time.Duration {
		n.mu.Lock()
		defer n.mu.Unlock()
		c, _ := n.exchange.synced.of.Peek(id)
		return c.wait
	}
	for i, want := range []time.Duration{1, 2, 4, 8, 16} {
		n.mu.Lock()
		c, _ := n.exchange.synced.of.Peek(id)
		c.at = time.Now().Add(-time.Hour)
		n.exchange.synced.of.Add(id, c)
		n.mu.Unlock()
		if !n.exchange.synced.may(id) {
			t.Fatal("an hour later it may not be compared")
		}
		n.exchange.syncWith(t.Context(), string(id))
		if got := waitOf(); got != want*time.Second {
			t.Errorf("after %d comparisons the wait is %v, want %v", i+1, got, want*time.Second)
		}
		if n.exchange.synced.may(id) {
			t.Error("it may be compared again at once")
		}
	}
	for range 5 {
		n.exchange.synced.note(id, false)
	}
	if got := waitOf(); got != resyncMost {
		t.Errorf("the wait grows to %v, want %v", got, resyncMost)
	}
	if n.exchange.synced.note(id, true); waitOf() != 0 {
		t.Error("the wait stays when comparing led to something")
	}
}

func TestCompare_RemembersNoMoreThanItMust(t *testing.T) {
	n := aloneNode(t)
	for i := range 3 * maxSynced {
		n.exchange.synced.may(peer.ID(fmt.Sprint(i)))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.exchange.synced.of.Len() > maxSynced {
		t.Errorf("%d peers are remembered", n.exchange.synced.of.Len())
	}
}
