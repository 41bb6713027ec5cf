package roster

import (
	"crypto/ed25519"
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/signed"
)

const testNet = "test"

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// clock is a wall clock that tests set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: epoch} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// testKey returns the nth of a fixed list of keys, and the ID it belongs to.
func testKey(tb testing.TB, n int) (crypto.PrivKey, peer.ID) {
	tb.Helper()
	return makeKey(n)
}

func makeKey(n int) (crypto.PrivKey, peer.ID) {
	seed := make([]byte, ed25519.SeedSize)
	binary.BigEndian.PutUint64(seed, uint64(n)+1)
	key, err := crypto.UnmarshalEd25519PrivateKey(ed25519.NewKeyFromSeed(seed))
	if err != nil {
		panic(err)
	}
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		panic(err)
	}
	return key, id
}

// record returns an active record of one unit with a public address, issued at the epoch.
func record(seq uint64) Record {
	return Record{
		Seq: seq, Issued: epoch.Unix(), Capacity: 1, Reach: ReachPublic, State: StateActive,
		Addrs: addrs("/ip4/5.5.5.10/tcp/7708"), Version: "0.1.0",
	}
}

func addrs(texts ...string) []ma.Multiaddr {
	list := make([]ma.Multiaddr, len(texts))
	for i, t := range texts {
		list[i] = ma.StringCast(t)
	}
	return list
}

// founder vouches for every record that seal makes.
const founder = 1 << 20

// add adds an item that its own member brings.
func add(s *Set, raw []byte) (bool, error) {
	from := peer.ID("")
	if it, err := decode(s.tag, raw); err == nil {
		from = it.peer
	}
	return s.Add(from, raw)
}

// seal signs a record of the nth key. It is one of an old member for which the founder vouches, unless it says
// since when it is one.
func seal(tb testing.TB, n int, r Record) []byte {
	tb.Helper()
	key, id := testKey(tb, n)
	if r.Joined == 0 {
		r.Joined = signed.HourOf(epoch.Add(-90 * 24 * time.Hour))
		r.Vouches = vouches(tb, id, r, founder)
	}
	raw, err := Seal(testNet, key, r)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// vouches returns those of some keys for the member of an ID at the time and at the first address of its record.
func vouches(tb testing.TB, id peer.ID, r Record, signers ...int) (list []signed.Vouch) {
	tb.Helper()
	for _, n := range signers {
		ips := r.IPs()
		if len(ips) == 0 {
			return nil
		}
		key, _ := testKey(tb, n)
		v, err := signed.SealVouch(testNet, key, id, r.Joined, ips[0], time.Unix(max(r.Issued, 0), 0))
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// sealOut returns a note about a victim signed by others, the first of them the issuer.
func sealOut(tb testing.TB, victim int, seq uint64, issued time.Time, signers ...int) []byte {
	tb.Helper()
	_, id := testKey(tb, victim)
	key, _ := testKey(tb, signers[0])
	raw, err := SealOut(testNet, key, Out{Victim: id, Seq: seq, Issued: issued.Unix()})
	if err != nil {
		tb.Fatal(err)
	}
	for _, n := range signers[1:] {
		key, _ := testKey(tb, n)
		if raw, err = Countersign(testNet, raw, key); err != nil {
			tb.Fatal(err)
		}
	}
	return raw
}

// newSet returns a Set that lets any two signers end a record.
func newSet(c *clock, change ...func(*Config)) *Set {
	_, root := makeKey(founder)
	cfg := Config{
		Network: testNet, Now: c.now, Founders: []peer.ID{root},
		Entitled: func(_ peer.ID, signers []peer.ID) bool { return len(signers) >= 2 },
	}
	for _, f := range change {
		f(&cfg)
	}
	return New(cfg)
}

func mustAdd(tb testing.TB, s *Set, raw []byte) {
	tb.Helper()
	if changed, err := add(s, raw); err != nil || !changed {
		tb.Fatalf("Add() = %v, %v, want true and no error", changed, err)
	}
}

func ids(members []Member) []peer.ID {
	var list []peer.ID
	for _, m := range members {
		list = append(list, m.Peer)
	}
	return list
}

func woken(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
