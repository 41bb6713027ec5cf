package ring

import (
	"encoding/binary"
	"testing"
)

func TestRing_PicturesSayWhatOwnerSays(t *testing.T) {
	rng := newRand(3)
	r := New(randomMembers(rng, 40, mixed))
	members := r.Members()
	count := make([]int, len(members))
	last := uint64(0)
	for _, p := range r.Points() {
		if p.First < last {
			t.Fatalf("point %x comes after %x", p.First, last)
		}
		last = p.First
		count[p.Member]++
	}
	for i, n := range count {
		if n != members[i].Units*PointsPerUnit {
			t.Errorf("member %d has %d points, want %d", i, n, members[i].Units*PointsPerUnit)
		}
	}
	for range 2000 {
		var k Key
		first := rng.Uint64()
		binary.BigEndian.PutUint64(k[:], first)
		u, _ := r.Owner(k)
		if got := members[r.OwnerAt(first)].ID; got != u.Member {
			t.Fatalf("OwnerAt(%x) = %x, want %x", first, got, u.Member)
		}
	}
}
