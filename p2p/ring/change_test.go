package ring

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// changes are what may happen to the members at once.
var changes = []struct {
	name   string
	change func(rng *rand.Rand, members []Member) []Member
}{
	{"one joins", func(rng *rand.Rand, members []Member) []Member {
		return append(members, Member{ID: peerID(rng), Units: 1 << rng.IntN(4)})
	}},
	{"one leaves", func(rng *rand.Rand, members []Member) []Member {
		i := rng.IntN(len(members))
		return slices.Delete(members, i, i+1)
	}},
	{"one raises its units", func(rng *rand.Rand, members []Member) []Member {
		i := rng.IntN(len(members))
		members[i].Units = min(8, members[i].Units+1+rng.IntN(7))
		return members
	}},
	{"one lowers its units", func(rng *rand.Rand, members []Member) []Member {
		i := rng.IntN(len(members))
		members[i].Units = rng.IntN(members[i].Units + 1)
		return members
	}},
	{"networks merge", func(rng *rand.Rand, members []Member) []Member {
		return append(members, randomMembers(rng, len(members), mixed)...)
	}},
	{"many things happen", func(rng *rand.Rand, members []Member) []Member {
		members = slices.DeleteFunc(members, func(Member) bool { return rng.IntN(5) == 0 })
		for i := range members {
			if rng.IntN(4) == 0 {
				members[i].Units = 1 << rng.IntN(4)
			}
		}
		return append(members, randomMembers(rng, 1+rng.IntN(10), mixed)...)
	}},
}

// A key moves only if its unit is gone or its new unit is new. For a single change
// that says: only to the newcomer, only from the leaver. When the grain changes with the number of points, a few
// keys in a hundred move between others.
func TestRing_OnlyMovesWhatItMust(t *testing.T) {
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(8) {
				rng := newRand(seed)
				members := randomMembers(rng, 3+rng.IntN(60), mixed)
				before := New(members)
				after := New(c.change(rng, slices.Clone(members)))
				const keys = 5000
				moved, between := 0, 0
				for range keys {
					k := randomKey(rng)
					from, _ := before.Owner(k)
					to, _ := after.Owner(k)
					if from == to {
						continue
					}
					moved++
					if from.Number < after.Units(from.Member) && to.Number < before.Units(to.Member) {
						between++
					}
				}
				if most := keys * 5 / 100; between > 0 && before.Grain() == after.Grain() || between > most {
					t.Fatalf("seed %d: %d of %d keys moved between units that were there before and after; grains of %d and %d bits", seed, between, keys, before.Grain(), after.Grain())
				}
				if !slices.Equal(before.Members(), after.Members()) && moved == 0 {
					t.Errorf("seed %d: no key moved", seed)
				}
			}
		})
	}
}

// What is exact for keys is exact for shares: nobody gains by a join, nobody loses by a leave.
func TestRing_SharesMoveOneWay(t *testing.T) {
	rng := newRand(1)
	members := randomMembers(rng, 50, mixed)
	small, large := New(members[1:]), New(members)
	given := 0.0
	for _, m := range members[1:] {
		loss := small.Share(m.ID) - large.Share(m.ID)
		if loss < 0 {
			t.Errorf("a member gains %v by the join of another", -loss)
		}
		given += loss
	}
	if got := large.Share(members[0].ID); !near(got, given) {
		t.Errorf("the newcomer has %v, want the %v that others gave", got, given)
	}
}
