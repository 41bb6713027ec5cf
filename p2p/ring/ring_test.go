package ring

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// peerID returns an ID of the length and shape of an Ed25519 peer ID.
func peerID(rng *rand.Rand) string {
	id := []byte{0x00, 0x24, 0x08, 0x01, 0x12, 0x20}
	for range 4 {
		id = binary.BigEndian.AppendUint64(id, rng.Uint64())
	}
	return string(id)
}

func randomKey(rng *rand.Rand) (k Key) {
	for i := 0; i < len(k); i += 8 {
		binary.BigEndian.PutUint64(k[i:], rng.Uint64())
	}
	return k
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// randomMembers returns n members with the units that pick returns.
func randomMembers(rng *rand.Rand, n int, pick func(i int) int) []Member {
	members := make([]Member, n)
	for i := range members {
		members[i] = Member{ID: peerID(rng), Units: pick(i)}
	}
	return members
}

func one(int) int { return 1 }

func mixed(i int) int { return 1 << (i % 4) }

// checkAnswers compares all answers about a key with the definition.
func checkAnswers(t *testing.T, r *Ring, d definition, k Key) {
	t.Helper()
	got, gotOK := r.Owner(k)
	want, wantOK := d.owner(k)
	if got != want || gotOK != wantOK {
		t.Fatalf("Owner(%x) = %x %v, want %x %v", k, got, gotOK, want, wantOK)
	}
	for _, n := range []int{-1, 0, 1, 3, len(d.members), len(d.members) + 1, 1 << 40} {
		if got, want := r.Near(k, n), d.near(k, n); !slices.Equal(got, want) {
			t.Fatalf("Near(%x, %d) = %x, want %x", k, n, got, want)
		}
		if got, want := r.Group(want, n), d.group(want, n); !slices.Equal(got, want) {
			t.Fatalf("Group(%x, %d) = %x, want %x", want, n, got, want)
		}
	}
}

func TestRing_FollowsDefinition(t *testing.T) {
	odd := []Member{
		{ID: "", Units: 1}, {ID: "\x00", Units: 2}, {ID: "\x00\x00\x00\x00\x00", Units: 9},
		{ID: "a", Units: 8, Net: "x"}, {ID: "a", Units: 3, Net: "y"}, {ID: "b", Units: -5},
		{ID: strings.Repeat("long", 100), Units: 1, Net: "x"}, {ID: "c", Units: 0},
	}
	for seed := range uint64(12) {
		rng := newRand(seed)
		members := slices.Concat(randomMembers(rng, int(seed)*3, func(int) int { return rng.IntN(11) - 1 }), odd[:rng.IntN(len(odd)+1)])
		for i := range members {
			if rng.IntN(2) == 0 {
				members[i].Net = fmt.Sprint("net ", rng.IntN(4))
			}
		}
		for _, hash := range []struct {
			name string
			key  keyFunc
		}{{"SHA-256", pointKey}, {"weak", weakKey}} {
			t.Run(fmt.Sprint(hash.name, " ", seed), func(t *testing.T) {
				r, d := build(members, hash.key), define(members, hash.key)
				if !slices.Equal(r.Members(), d.members) {
					t.Fatalf("Members() = %v, want %v", r.Members(), d.members)
				}
				for range 15 {
					checkAnswers(t, r, d, randomKey(rng))
				}
				for _, m := range d.members { // where distances are zero
					checkAnswers(t, r, d, hash.key(m.ID, uint32(rng.IntN(16*m.Units))))
				}
			})
		}
	}
}

func TestRing_Empty(t *testing.T) {
	for _, members := range [][]Member{nil, {}, {{ID: "fetcher"}}} {
		r := New(members)
		if u, ok := r.Owner(Key{}); ok {
			t.Errorf("Owner of an empty ring = %v, want none", u)
		}
		if r.Len() != 0 || r.Near(Key{}, 3) != nil || r.Group(Unit{Member: "fetcher"}, 3) != nil ||
			r.Share("fetcher") != 0 || r.Arcs("fetcher") != nil || r.Units("fetcher") != 0 {
			t.Errorf("New(%v) is not empty", members)
		}
	}
}

func TestRing_OneMemberOwnsAll(t *testing.T) {
	r := New([]Member{{ID: "a", Units: 2}})
	units := map[Unit]bool{}
	for rng := newRand(1); len(units) < 2; {
		u, ok := r.Owner(randomKey(rng))
		if !ok || u.Member != "a" || u.Number > 1 {
			t.Fatalf("Owner = %v %v, want a unit of a", u, ok)
		}
		units[u] = true
	}
	if got := r.Share("a"); got != 1 {
		t.Errorf("Share = %v, want 1", got)
	}
	if got, want := r.Arcs("a"), []Arc{{0, 1<<64 - 1}}; !slices.Equal(got, want) {
		t.Errorf("Arcs = %v, want %v", got, want)
	}
}

func TestRing_OrderAndRepeatsDoNotMatter(t *testing.T) {
	rng := newRand(2)
	members := randomMembers(rng, 40, mixed)
	for i := range 20 {
		again := members[i]
		if i%2 == 0 {
			again.Units = rng.IntN(12) - 1
		}
		again.Net = fmt.Sprint(rng.IntN(2))
		members = append(members, again)
	}
	want := New(members)
	for range 20 {
		given := slices.Clone(members)
		rng.Shuffle(len(given), func(i, j int) { given[i], given[j] = given[j], given[i] })
		shuffled := slices.Clone(given)
		got := New(given)
		if !slices.Equal(got.Members(), want.Members()) || !slices.Equal(got.points.sorted, want.points.sorted) {
			t.Fatal("another order of members gives another ring")
		}
		if !slices.Equal(given, shuffled) {
			t.Fatal("New changed its argument")
		}
	}
}

func TestRing_BoundsMembers(t *testing.T) {
	const more = MaxMembers + 50
	members := make([]Member, more)
	for i := range members {
		members[i] = Member{ID: fmt.Sprintf("%08d", more-i), Units: 1}
	}
	r := New(members)
	if r.Len() != MaxMembers {
		t.Fatalf("Len() = %d, want %d", r.Len(), MaxMembers)
	}
	last := fmt.Sprintf("%08d", MaxMembers)
	if got := r.Members()[MaxMembers-1].ID; got != last {
		t.Errorf("the last member is %s, want %s", got, last)
	}
	if got := r.Units(fmt.Sprintf("%08d", MaxMembers+1)); got != 0 {
		t.Errorf("a member beyond the bound has %d units, want none", got)
	}
}

func TestRing_UnitsAreBounded(t *testing.T) {
	for _, c := range []struct{ given, want int }{{-1, 0}, {0, 0}, {1, 1}, {3, 3}, {8, 8}, {9, 8}, {1 << 40, 8}} {
		if got := New([]Member{{ID: "a", Units: c.given}}).Units("a"); got != c.want {
			t.Errorf("a member of %d units has %d, want %d", c.given, got, c.want)
		}
	}
}

// The members are the caller's to change.
func TestRing_MembersIsACopy(t *testing.T) {
	r := New([]Member{{ID: "a", Units: 1}})
	r.Members()[0].ID = "b"
	if got := r.Members()[0].ID; got != "a" {
		t.Errorf("a caller renamed member a to %s", got)
	}
}

func TestRing_OwnerOfDomainAllocatesNothing(t *testing.T) {
	r := New(randomMembers(newRand(3), 200, mixed))
	if got := testing.AllocsPerRun(100, func() {
		if _, ok := r.Owner(crawl.KeyOf("example.com")); !ok {
			t.Error("no owner")
		}
	}); got != 0 {
		t.Errorf("Owner allocates %v times, want none", got)
	}
}

func TestRing_PointKeys(t *testing.T) {
	want := sha256.Sum256([]byte("peer\x00\x00\x00\x11"))
	if got := pointKey("peer", 17); got != want {
		t.Errorf("point 17 is %x, want %x", got, want)
	}
}

// FuzzOwner reads members from bytes: of each the length of its ID, its units and
// net in one byte each, then the ID.
func FuzzOwner(f *testing.F) {
	f.Add([]byte{}, []byte{}, false)
	f.Add([]byte{0, 1, 0}, []byte{1}, false)
	f.Add([]byte{1, 8, 1, 'a', 1, 255, 1, 'b', 0, 3, 0, 1, 2, 1, 'a'}, bytes.Repeat([]byte{0xff}, 32), true)
	f.Add([]byte{5, 1, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 70, 1, 1}, []byte("key"), false)
	f.Fuzz(func(t *testing.T, data, key []byte, weak bool) {
		var members []Member
		for len(data) >= 3 && len(members) < 20 {
			n := min(int(data[0]), len(data)-3)
			m := Member{Units: int(int8(data[1])), ID: string(data[3 : 3+n])}
			if net := data[2] % 4; net != 0 {
				m.Net = string(rune('a' + net))
			}
			members, data = append(members, m), data[3+n:]
		}
		var k Key
		copy(k[:], key)
		hash := pointKey
		if weak {
			hash = weakKey
		}
		r, d := build(members, hash), define(members, hash)
		if !slices.Equal(r.Members(), d.members) {
			t.Fatalf("Members() = %v, want %v", r.Members(), d.members)
		}
		checkAnswers(t, r, d, k)
	})
}
