package ring

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// keyIn returns a key of p.
func keyIn(p Prefix, r *rand.Rand) Key {
	k := randomKey(r)
	bits := p.Bits
	if p.Len < MaxPrefix {
		bits |= r.Uint64() >> p.Len
	}
	binary.BigEndian.PutUint64(k[:], bits)
	return k
}

func TestParts_AgreeWithOwner(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 5, 40, 2000} {
		var members []Member
		for i := range n {
			members = append(members, Member{ID: fmt.Sprintf("member %d", i), Units: 1 + i%3})
		}
		ring := New(members)
		for range 40 {
			p := Prefix{Len: uint8(r.IntN(2 * int(ring.Grain())))}
			if p.Len > 0 {
				p.Bits = r.Uint64() &^ (1<<(64-p.Len) - 1)
			}
			parts := ring.Parts(p)
			rest := uint64(0) // of the keys of p, in units of 2^-63 of them
			for i, part := range parts {
				if !part.Prefix.Valid() || !p.Covers(part.Prefix) {
					t.Fatalf("%d members: part %v of %v", n, part.Prefix, p)
				}
				if i > 0 && parts[i-1].Prefix.Overlaps(part.Prefix) {
					t.Fatalf("%d members: parts %v and %v of %v", n, parts[i-1].Prefix, part.Prefix, p)
				}
				rest += 1 << (63 - (part.Prefix.Len - p.Len))
				if got, _ := ring.Owner(keyIn(part.Prefix, r)); got != part.Unit {
					t.Fatalf("%d members: part %v belongs to %v, a key in it to %v", n, part.Prefix, part.Unit, got)
				}
			}
			if rest != 1<<63 {
				t.Fatalf("%d members: the parts of %v do not cover it: %x", n, p, rest)
			}
		}
		units := len(ring.points.sorted) / PointsPerUnit
		if all := len(ring.Parts(Prefix{})); all > 200*units {
			t.Errorf("%d units own %d parts", units, all)
		}
	}
	if got := New(nil).Parts(Prefix{}); got != nil {
		t.Errorf("an empty ring has parts %v", got)
	}
}

func TestPrefix_Without(t *testing.T) {
	p := Prefix{0, 1}
	q := Prefix{0b0110 << 60, 4}
	got := fmt.Sprint(p.Without(q))
	if want := "[0111 010 00]"; got != want {
		t.Errorf("%v without %v = %s, want %s", p, q, got, want)
	}
	if rest := q.Without(q); rest != nil {
		t.Errorf("%v without itself = %v", q, rest)
	}
}
