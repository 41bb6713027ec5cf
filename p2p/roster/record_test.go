package roster

import (
	"bytes"
	"crypto/rand"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/signed"
)

const relayID = "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN"

func TestRecord_SurvivesTheWire(t *testing.T) {
	_, id := testKey(t, 1)
	want := Record{
		Peer: id, Seq: 1_772_000_000_123, Issued: epoch.Unix(), Capacity: 8, Reach: ReachRelayed,
		State: StateLeaving, Seats: 65535, Place: "Zürich", Version: "0.1.0-rc1",
		Addrs: addrs("/ip4/5.5.5.10/tcp/7708", "/ip6/2a00:1450::1/udp/7708/quic-v1",
			"/ip4/6.6.6.6/tcp/1/p2p/"+relayID+"/p2p-circuit"),
	}
	want.Joined = signed.HourOf(epoch) - 1000
	want.Vouches = vouches(t, id, want, 2, 3, 4, 5, 6, 7, 8)
	got, err := Open(testNet, seal(t, 1, want))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Open(Seal(r)) = %+v, want %+v", got, want)
	}
}

func TestRecord_RestingSurvivesTheWire(t *testing.T) {
	want := record(3)
	want.State = StateResting
	got, err := Open(testNet, seal(t, 1, want))
	if err != nil || got.State != StateResting || got.State.String() != "resting" {
		t.Errorf("Open(Seal(r)) = state %v, %v, want resting", got.State, err)
	}
	want.State++
	key, _ := testKey(t, 1)
	if _, err := Seal(testNet, key, want); !errors.Is(err, ErrInvalid) {
		t.Errorf("state %d: error = %v, want ErrInvalid", want.State, err)
	}
}

func TestRecord_SizesStaySmall(t *testing.T) {
	r := record(1_772_000_000_123)
	r.Seats = 500
	one := len(seal(t, 1, r))
	r.Addrs = addrs("/ip4/5.5.5.10/tcp/7708", "/ip4/5.5.5.10/udp/7708/quic-v1",
		"/ip6/2a00:1450:4001:81b::1/tcp/7708", "/ip6/2a00:1450:4001:81b::1/udp/7708/quic-v1")
	r.Place = "eu-west"
	four := len(seal(t, 1, r))
	out := len(sealOut(t, 1, 1_772_000_000_123, epoch, 2, 3))
	t.Logf("record with 1 address and vouch %d B, with 4 addresses %d B; out note with 2 signers %d B", one, four, out)
	if one > 250 || four > 310 || out > 250 {
		t.Errorf("sizes = %d, %d, %d, want at most 250, 310, 250", one, four, out)
	}
}

func TestRecord_SkipsFieldsOfLaterVersions(t *testing.T) {
	key, _ := testKey(t, 1)
	raw := seal(t, 1, record(1))
	body := append(bytes.Clone(raw[:len(raw)-signed.SigSize]), "something new"...)
	sig, err := signed.Sign(testNet, key, body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Open(testNet, append(body, sig...))
	if err != nil || got.Seq != 1 {
		t.Errorf("Open() = sequence %d, %v, want 1 and no error", got.Seq, err)
	}
}

func TestSeal_RefusesWhatOthersWould(t *testing.T) {
	_, other := testKey(t, 2)
	long := ma.StringCast("/ip4/6.6.6.6/tcp/1" + strings.Repeat("/p2p/"+relayID, 3) + "/p2p-circuit")
	cases := map[string]func(*Record){
		"another's peer ID":  func(r *Record) { r.Peer = other },
		"no sequence":        func(r *Record) { r.Seq = 0 },
		"sequence too high":  func(r *Record) { r.Seq = MaxSeq + 1 },
		"no date":            func(r *Record) { r.Issued = 0 },
		"negative date":      func(r *Record) { r.Issued = -5 },
		"date too high":      func(r *Record) { r.Issued = 1 << 41 },
		"capacity 3":         func(r *Record) { r.Capacity = 3 },
		"capacity 16":        func(r *Record) { r.Capacity = 16 },
		"no state":           func(r *Record) { r.State = 0 },
		"unknown state":      func(r *Record) { r.State = 5 },
		"unknown reach":      func(r *Record) { r.Reach = 4 },
		"long place":         func(r *Record) { r.Place = strings.Repeat("x", MaxPlace+1) },
		"long version":       func(r *Record) { r.Version = strings.Repeat("x", MaxVersion+1) },
		"place with newline": func(r *Record) { r.Place = "a\nb" },
		"text turned around": func(r *Record) { r.Version = "a\u202eb" },
		"version not UTF-8":  func(r *Record) { r.Version = "\xff" },
		"nine addresses":     func(r *Record) { r.Addrs = make([]ma.Multiaddr, 9) },
		"empty address":      func(r *Record) { r.Addrs = []ma.Multiaddr{nil} },
		"long address":       func(r *Record) { r.Reach, r.Addrs = ReachRelayed, []ma.Multiaddr{long} },
		"name":               func(r *Record) { r.Addrs = addrs("/dns4/a.example/tcp/1") },
		"no transport":       func(r *Record) { r.Addrs = addrs("/ip4/5.5.5.5") },
		"plain UDP":          func(r *Record) { r.Addrs = addrs("/ip4/5.5.5.5/udp/1") },
		"websocket":          func(r *Record) { r.Addrs = addrs("/ip4/5.5.5.5/tcp/1/ws") },
		"port 0":             func(r *Record) { r.Addrs = addrs("/ip4/5.5.5.5/tcp/0") },
		"any address":        func(r *Record) { r.Addrs = addrs("/ip4/0.0.0.0/tcp/1") },
		"multicast":          func(r *Record) { r.Addrs = addrs("/ip6/ff02::1/tcp/1") },
		"IPv4 in IPv6":       func(r *Record) { r.Addrs = addrs("/ip6/::ffff:127.0.0.1/tcp/1") },
		"zone":               func(r *Record) { r.Addrs = addrs("/ip6zone/eth0/ip6/fe80::1/tcp/1") },
		"peer ID in address": func(r *Record) { r.Addrs = addrs("/ip4/5.5.5.5/tcp/1/p2p/" + relayID) },
		"relay without " +
			"saying": func(r *Record) { r.Addrs = addrs("/ip4/5.5.5.5/tcp/1/p2p/" + relayID + "/p2p-circuit") },
		"relay without a name": func(r *Record) {
			r.Reach, r.Addrs = ReachRelayed,
				addrs("/ip4/5.5.5.5/tcp/1/p2p-circuit")
		},
		"dialling past a relay": func(r *Record) {
			r.Reach, r.Addrs = ReachRelayed, addrs("/ip4/5.5.5.5/tcp/1/p2p/"+relayID+"/p2p-circuit/ip4/10.0.0.1/tcp/22")
		},
	}
	key, _ := testKey(t, 1)
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			r := record(1)
			spoil(&r)
			if _, err := Seal(testNet, key, r); !errors.Is(err, ErrInvalid) {
				t.Errorf("Seal() error = %v, want ErrInvalid", err)
			}
		})
	}
}

// The checks of Seal must hold for records that another program sealed.
func TestAdd_RefusesSignedNonsense(t *testing.T) {
	key, id := testKey(t, 1)
	spoilt := map[string]func(*Record){
		"capacity 3":    func(r *Record) { r.Capacity = 3 },
		"unknown state": func(r *Record) { r.State = 9 },
		"unknown reach": func(r *Record) { r.Reach = 9 },
		"no sequence":   func(r *Record) { r.Seq = 0 },
		"date too high": func(r *Record) { r.Issued = 1 << 50 },
		"long place":    func(r *Record) { r.Place = strings.Repeat("x", MaxPlace+1) },
		"nine addresses": func(r *Record) {
			r.Addrs = addrs(strings.Split(strings.Repeat(" /ip4/5.5.5.5/tcp/1", 9), " ")[1:]...)
		},
		"name": func(r *Record) { r.Addrs = addrs("/dns4/a.example/tcp/1") },
	}
	for name, spoil := range spoilt {
		t.Run(name, func(t *testing.T) {
			r := record(1)
			r.Peer = id
			spoil(&r)
			body := r.append(nil, signed.TagOf(testNet))
			sig, err := signed.Sign(testNet, key, body)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := add(newSet(newClock()), append(body, sig...)); !errors.Is(err, ErrInvalid) {
				t.Errorf("Add() error = %v, want ErrInvalid", err)
			}
		})
	}
}

func TestSeal_RefusesOtherKindsOfKeys(t *testing.T) {
	key, _, err := crypto.GenerateSecp256k1Key(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Seal(testNet, key, record(1)); !errors.Is(err, ErrInvalid) {
		t.Errorf("Seal() error = %v, want ErrInvalid", err)
	}
	_, victim := testKey(t, 1)
	if _, err := SealOut(testNet, key, Out{Victim: victim, Seq: 1, Issued: 1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("SealOut() error = %v, want ErrInvalid", err)
	}
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	good, _ := testKey(t, 1)
	if _, err := SealOut(testNet, good, Out{Victim: id, Seq: 1, Issued: 1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("SealOut() about such a key: error = %v, want ErrInvalid", err)
	}
}

func TestUsable_KeepsWhatARecordMayCarry(t *testing.T) {
	all := addrs("/ip4/0.0.0.0/tcp/1", "/ip4/5.5.5.5/tcp/1", "/ip4/5.5.5.5/tcp/1", "/dns4/a.example/tcp/1",
		"/ip4/6.6.6.6/tcp/1/p2p/"+relayID+"/p2p-circuit", "/ip6/2a00::1/udp/1/quic-v1")
	if got, want := Usable(all, ReachPublic), addrs("/ip4/5.5.5.5/tcp/1",
		"/ip6/2a00::1/udp/1/quic-v1"); !reflect.DeepEqual(got, want) {
		t.Errorf("Usable(public) = %v, want %v", got, want)
	}
	if got := len(Usable(all, ReachRelayed)); got != 3 {
		t.Errorf("Usable(relayed) keeps %d addresses, want 3", got)
	}
	var many []ma.Multiaddr
	for i := range 20 {
		many = append(many, ma.StringCast("/ip4/5.5.5.5/tcp/"+string(rune('1'+i%9))+strings.Repeat("1", i/9)))
	}
	if got := len(Usable(many, ReachPublic)); got != MaxAddrs {
		t.Errorf("Usable() keeps %d of many, want %d", got, MaxAddrs)
	}
}

func TestRecord_NetIsOfTheFirstPublicAddress(t *testing.T) {
	cases := []struct {
		addrs []ma.Multiaddr
		want  string
	}{
		{nil, ""},
		{addrs("/ip4/192.168.1.1/tcp/1"), ""},
		{addrs("/ip4/192.168.1.1/tcp/1", "/ip4/5.6.7.8/tcp/1"), "5.6.0.0/16"},
		{addrs("/ip6/2a00:1450:4001::1/tcp/1"), "2a00:1450::/32"},
		{addrs("/ip4/6.6.6.6/tcp/1/p2p/" + relayID + "/p2p-circuit"), ""},
	}
	for _, c := range cases {
		r := Record{Addrs: c.addrs}
		if got := r.Net(); got != c.want {
			t.Errorf("Net() of %v = %q, want %q", c.addrs, got, c.want)
		}
	}
}
