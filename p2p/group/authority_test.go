package group

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

func randomPrefix(r *rand.Rand, bits uint8) ring.Prefix {
	p := ring.Prefix{Len: uint8(r.IntN(int(bits) + 1))}
	if p.Len > 0 {
		p.Bits = r.Uint64() &^ (1<<(64-p.Len) - 1)
	}
	return p
}

// TestAuthorities_LikeAMap compares authorities with a map from keys of six bits.
func TestAuthorities_LikeAMap(t *testing.T) {
	const bits = 6
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var list authorities
		want := map[int]authority{}
		for range 60 {
			a := authority{randomPrefix(r, bits), uint64(r.IntN(4)), stream.Shard([]string{"", "a", "b"}[r.IntN(3)])}
			forget := r.IntN(4) == 0
			if forget {
				list = list.without(a.Prefix)
			} else {
				list = list.set(a)
			}
			for i := range 1 << bits {
				key := crawl.Key{byte(i << (8 - bits))}
				if !a.Prefix.Contains(key) {
					continue
				}
				if delete(want, i); !forget {
					want[i] = a
				}
			}
			for i := range 1 << bits {
				key := crawl.Key{byte(i << (8 - bits))}
				got, ok := list.of(key)
				w, known := want[i]
				// Neighbours of one shard are joined under the later number.
				if ok != known || ok && (got.Shard != w.Shard || got.Number < w.Number) {
					t.Fatalf("seed %d: key %06b is %+v (%v), want %+v (%v)", seed, i, got, ok, w, known)
				}
				if ok {
					w.Number = got.Number
					want[i] = w
				}
			}
			if !slices.IsSortedFunc(list, func(a, b authority) int { return compareKeys(a.Prefix, b.Prefix) }) {
				t.Fatalf("seed %d: %v is not in order", seed, list)
			}
			for i := 1; i < len(list); i++ {
				if list[i-1].Prefix.Overlaps(list[i].Prefix) {
					t.Fatalf("seed %d: %v and %v overlap", seed, list[i-1], list[i])
				}
			}
		}
	}
}

func TestRecord_GivesAndTakesOnce(t *testing.T) {
	all, half := ring.Prefix{}, ring.Prefix{Bits: 1 << 63, Len: 1}
	a, b := newRecord("a"), newRecord("b")
	a.auth = a.auth.set(authority{all, 1, "a"})
	give := op{Kind: opGive, Prefix: half, Shard: "b"}
	first := a.apply(give)
	if again := a.apply(give); !slices.Equal(again.left, first.left) || len(first.left) != 1 || first.left[0].Number != 2 {
		t.Fatalf("given %v, then %v; want one prefix under number 2 twice", first.left, again.left)
	}
	take := op{Kind: opTake, Prefix: half, Number: 2}
	if e := b.apply(take); !e.done || !b.holds(crawl.Key{0x80}) || a.holds(crawl.Key{0x80}) || !a.holds(crawl.Key{0x7f}) {
		t.Fatalf("taken: %v; a %v, b %v", e.done, a.auth, b.auth)
	}
	b.apply(op{Kind: opGive, Prefix: half, Shard: "c"})
	b.apply(op{Kind: opForget, Prefix: half, Shard: "c"})
	if e := b.apply(take); e.done || b.holds(crawl.Key{0x80}) {
		t.Fatal("a release was taken a second time after the prefix had gone on to another shard")
	}
	if e := a.apply(op{Kind: opTake, Prefix: half, Number: 4}); !e.done || len(a.auth) != 1 {
		t.Fatalf("the prefix came back: %v, %v", e.done, a.auth)
	}
}

func FuzzRecord(f *testing.F) {
	r := newRecord("home")
	r.members[7] = "peer"
	r.auth = r.auth.set(authority{ring.Prefix{}, 1, "home"})
	f.Add(r.encode(newLeases(), 0))
	f.Add(entry{1, []op{{Kind: opGive, Prefix: ring.Prefix{Bits: 1 << 63, Len: 1}, Shard: "b"}, {Kind: opGrant, Lease: lease{ID: 1, Domain: "a.example"}}}}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if rec, live, ok := decodeRecord("home", b); ok {
			l := newLeases()
			for _, x := range live {
				l.add(x, 0)
			}
			if _, _, ok := decodeRecord("home", rec.encode(l, 0)); !ok {
				t.Fatal("a record that was read cannot be written and read again")
			}
		}
		if e, ok := decodeEntry(b); ok {
			rec := newRecord("home")
			for _, o := range e.ops {
				rec.apply(o)
			}
			if again, ok := decodeEntry(e.encode()); !ok || len(again.ops) != len(e.ops) {
				t.Fatal("an entry that was read cannot be written and read again")
			}
		}
	})
}
