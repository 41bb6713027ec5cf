package record

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
		var list Authorities
		want := map[int]Authority{}
		for range 60 {
			a := Authority{randomPrefix(r, bits), uint64(r.IntN(4)), stream.Shard([]string{"", "a", "b"}[r.IntN(3)])}
			forget := r.IntN(4) == 0
			if forget {
				list = list.without(a.Prefix)
			} else {
				list = list.Set(a, true, nil)
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
				got, ok := list.Of(key)
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
			if !slices.IsSortedFunc(list, func(a, b Authority) int { return compareKeys(a.Prefix, b.Prefix) }) {
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
	a, b := New("a"), New("b")
	a.Authorities = a.Authorities.Set(Authority{all, 1, "a"}, true, nil)
	give := Op{Kind: OpGive, Prefix: half, Shard: "b"}
	first := a.Apply(give)
	if again := a.Apply(give); !slices.Equal(again.Left, first.Left) || len(first.Left) != 1 || first.Left[0].Number != 2 {
		t.Fatalf("given %v, then %v; want one prefix under number 2 twice", first.Left, again.Left)
	}
	take := Op{Kind: OpTake, Prefix: half, Number: 2}
	if e := b.Apply(take); !e.Done || !b.Holds(crawl.Key{0x80}) || a.Holds(crawl.Key{0x80}) || !a.Holds(crawl.Key{0x7f}) {
		t.Fatalf("taken: %v; a %v, b %v", e.Done, a.Authorities, b.Authorities)
	}
	b.Apply(Op{Kind: OpGive, Prefix: half, Shard: "c"})
	b.Apply(Op{Kind: OpForget, Prefix: half, Shard: "c"})
	if e := b.Apply(take); e.Done || b.Holds(crawl.Key{0x80}) {
		t.Fatal("a release was taken a second time after the prefix had gone on to another shard")
	}
	if e := a.Apply(Op{Kind: OpTake, Prefix: half, Number: 4}); !e.Done || len(a.Authorities) != 1 {
		t.Fatalf("the prefix came back: %v, %v", e.Done, a.Authorities)
	}
}

// A release on its way is taken, although neighbours that have come farther are forgotten meanwhile.
func TestRecord_TakesWhatItAskedFor(t *testing.T) {
	for _, asked := range []bool{true, false} {
		r := New("a")
		zero, one := ring.Prefix{Len: 1}, ring.Prefix{Bits: 1 << 63, Len: 1}
		r.Authorities = Authorities{{zero, 3, ""}, {one, 7, "b"}}
		if asked {
			r.Apply(Op{Kind: OpAsk, Prefix: zero})
		}
		r.Apply(Op{Kind: OpForget, Prefix: one, Shard: "b"})
		if e := r.Apply(Op{Kind: OpTake, Prefix: zero, Number: 4}); e.Done != asked {
			t.Errorf("asked for %v: taken %v, %v", asked, e.Done, r.Authorities)
		}
		if len(r.Asked) > 0 {
			t.Errorf("still asked for after it was taken: %v", r.Asked)
		}
	}
}

// Two prefixes that came at different times may be told of as one.
func TestAuthorities_Lacking(t *testing.T) {
	zero, one := ring.Prefix{Len: 1}, ring.Prefix{Bits: 1 << 63, Len: 1}
	first, second := zero.Halves()
	l := Authorities{{second, 6, "a"}, {one, 3, "b"}}
	for _, c := range []struct {
		of     ring.Prefix
		number uint64
		want   []ring.Prefix
	}{
		{ring.Prefix{}, 6, []ring.Prefix{first, one}},
		{ring.Prefix{}, 3, []ring.Prefix{first}},
		{ring.Prefix{}, 7, []ring.Prefix{first, second, one}},
		{zero, 6, []ring.Prefix{first}},
		{second, 5, nil},
		{one, 4, []ring.Prefix{one}},
		{ring.Prefix{Bits: one.Bits, Len: ring.MaxPrefix}, 3, nil},
	} {
		if got := l.Lacking(c.of, c.number); !slices.Equal(got, c.want) {
			t.Errorf("lacking of %s under %d: %v, want %v", c.of, c.number, got, c.want)
		}
	}
}

// What another line has is not forgotten where any of it is held: it came back while the word of that was on its way.
func TestRecord_KeepsWhatCameBack(t *testing.T) {
	zero, one := ring.Prefix{Len: 1}, ring.Prefix{Bits: 1 << 63, Len: 1}
	for _, c := range []struct {
		name string
		of   ring.Prefix
		gone bool
	}{
		{"elsewhere", zero, true},
		{"a domain elsewhere", ring.Prefix{Bits: 1 << 61, Len: ring.MaxPrefix}, true},
		{"here", one, false},
		{"half of it here", ring.Prefix{}, false},
	} {
		r := New("a")
		r.Authorities = Authorities{{zero, 3, "b"}, {one, 4, "a"}}
		e := r.Apply(Op{Kind: OpForget, Prefix: c.of, Shard: "b"})
		if left, _ := r.Authorities.At(c.of); e.Done != c.gone || (left.Shard == "") != (c.gone || c.of.Len == 0) {
			t.Errorf("%s: forgotten %v, want %v; left %v", c.name, e.Done, c.gone, r.Authorities)
		}
	}
}

// A release that is confirmed has the number that it had, although its neighbour was given to the same shard later.
func TestRecord_ConfirmsWithTheOldNumber(t *testing.T) {
	r := New("a")
	zero, one := ring.Prefix{Len: 1}, ring.Prefix{Bits: 1 << 63, Len: 1}
	r.Authorities = r.Authorities.Set(Authority{ring.Prefix{}, 3, "a"}, true, nil)
	first := r.Apply(Op{Kind: OpGive, Prefix: zero, Shard: "b"})
	r.Apply(Op{Kind: OpGive, Prefix: one, Number: 5, Shard: "b"})
	again := r.Apply(Op{Kind: OpGive, Prefix: zero, Shard: "b"})
	if !slices.Equal(first.Left, again.Left) || len(first.Left) != 1 || first.Left[0].Number != 4 {
		t.Errorf("given as %v, confirmed as %v; want number 4 twice", first.Left, again.Left)
	}
}

func FuzzRecord(f *testing.F) {
	r := New("home")
	r.Members[7] = "peer"
	r.Authorities = r.Authorities.Set(Authority{ring.Prefix{}, 1, "home"}, true, nil)
	f.Add(r.Encode(nil))
	f.Add(Entry{1, []Op{{Kind: OpGive, Prefix: ring.Prefix{Bits: 1 << 63, Len: 1}, Shard: "b"}, {Kind: OpGrant, Lease: Lease{ID: 1, Domain: "a.example"}}}}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if rec, live, ok := Decode("home", b); ok {
			if _, _, ok := Decode("home", rec.Encode(live)); !ok {
				t.Fatal("a record that was read cannot be written and read again")
			}
		}
		if e, ok := DecodeEntry(b); ok {
			rec := New("home")
			for _, o := range e.Ops {
				rec.Apply(o)
			}
			if again, ok := DecodeEntry(e.Encode()); !ok || len(again.Ops) != len(e.Ops) {
				t.Fatal("an entry that was read cannot be written and read again")
			}
		}
	})
}
