package ring

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// counts returns how many of n keys each member owns.
func counts(r *Ring, seed uint64, n int) map[string]int {
	owned := map[string]int{}
	rng := newRand(seed)
	for range n {
		u, _ := r.Owner(randomKey(rng))
		owned[u.Member]++
	}
	return owned
}

// p95 is the value that 95 % do not exceed.
func p95[T int | float64](values []T) T {
	slices.Sort(values)
	return values[(len(values)*95+99)/100-1]
}

func TestRing_LoadIsEven(t *testing.T) {
	const members, keys = 200, 200_000
	for seed := range uint64(5) {
		r := New(randomMembers(newRand(seed), members, one))
		var loads []float64
		owned := counts(r, seed+100, keys)
		for _, m := range r.Members() {
			loads = append(loads, float64(owned[m.ID])*members/keys)
		}
		got := p95(loads)
		t.Logf("seed %d: of the fair share least %.2f, p95 %.2f, most %.2f", seed, loads[0], got, loads[members-1])
		if got > 1.4 {
			t.Errorf("seed %d: 95 %% of members have at most %.2f times the fair share, want 1.4", seed, got)
		}
	}
}

func TestRing_LoadFollowsUnits(t *testing.T) {
	const members, keys, seeds = 200, 50_000, 5
	sums := map[int]float64{} // of the members of each capacity
	for seed := range uint64(seeds) {
		r := New(randomMembers(newRand(seed), members, mixed))
		owned := counts(r, seed+100, keys)
		for _, m := range r.Members() {
			sums[m.Units] += float64(owned[m.ID])
		}
	}
	for _, units := range []int{2, 4, 8} {
		got := sums[units] / sums[1]
		t.Logf("%d units: %.2f times the load of one", units, got)
		if got < 0.9*float64(units) || got > 1.1*float64(units) {
			t.Errorf("members of %d units have %.2f times the load of those of 1, want %d within a tenth", units, got, units)
		}
	}
}

func TestRing_SharesAreExact(t *testing.T) {
	const keys = 200_000
	for _, size := range []int{1, 2, 7, 200} {
		r := New(randomMembers(newRand(uint64(size)), size, mixed))
		owned := counts(r, 5, keys)
		sum := 0.0
		for _, m := range r.Members() {
			share := r.Share(m.ID)
			sum += share
			got, deviation := float64(owned[m.ID]), math.Sqrt(keys*share*(1-share))
			if math.Abs(got-keys*share) > 5*deviation {
				t.Errorf("of %d members one with a share of %v owns %v of %d keys", size, share, got, keys)
			}
		}
		if !near(sum, 1) {
			t.Errorf("%d members have %v of the ring, want 1", size, sum)
		}
	}
}

// With keys of points that agree in many bits, the trie is as deep as it gets.
func TestRing_SharesOfCloseSumToOne(t *testing.T) {
	for seed := range uint64(10) {
		r := build(randomMembers(newRand(seed), int(seed)*4+1, mixed), weakKey)
		sum := 0.0
		for _, m := range r.Members() {
			sum += r.Share(m.ID)
		}
		if !near(sum, 1) {
			t.Errorf("seed %d: shares sum to %v, want 1", seed, sum)
		}
	}
}

// arcOwners lists all arcs in order, with their owners.
func arcOwners(t *testing.T, r *Ring) (arcs []Arc, owners []string) {
	t.Helper()
	type owned struct {
		Arc
		id string
	}
	var all []owned
	for _, m := range r.Members() {
		for i, a := range r.Arcs(m.ID) {
			if i > 0 && a.From <= all[len(all)-1].To+1 {
				t.Fatalf("arc %x of %x is not apart from %x before it", a, m.ID, all[len(all)-1].Arc)
			}
			all = append(all, owned{a, m.ID})
		}
	}
	slices.SortFunc(all, func(a, b owned) int {
		if a.From < b.From {
			return -1
		}
		return 1
	})
	for _, a := range all {
		arcs, owners = append(arcs, a.Arc), append(owners, a.id)
	}
	return arcs, owners
}

func TestRing_ArcsCoverTheRingOnce(t *testing.T) {
	for _, c := range []struct {
		size int
		key  keyFunc
	}{{1, pointKey}, {2, pointKey}, {3, pointKey}, {20, pointKey}, {200, pointKey},
		{1, weakKey}, {2, weakKey}, {8, weakKey}} { // weak keys make as many arcs as there can be
		t.Run(fmt.Sprint(c.size), func(t *testing.T) {
			r := build(randomMembers(newRand(uint64(c.size)), c.size, mixed), c.key)
			arcs, _ := arcOwners(t, r)
			next := uint64(0)
			for _, a := range arcs {
				if a.From != next || a.To < a.From {
					t.Fatalf("arc %x, want one from %x", a, next)
				}
				next = a.To + 1
			}
			if next != 0 {
				t.Errorf("the arcs end at %x, want the end", next-1)
			}
		})
	}
}

func TestRing_ArcsAgreeWithOwner(t *testing.T) {
	const keys = 20_000
	for _, size := range []int{1, 2, 20, 200} {
		rng := newRand(uint64(size))
		r := New(randomMembers(rng, size, mixed))
		arcs, owners := arcOwners(t, r)
		owner := func(prefix uint64) string {
			i, _ := slices.BinarySearchFunc(arcs, prefix, func(a Arc, p uint64) int {
				if a.To < p {
					return -1
				}
				return 1
			})
			return owners[i]
		}
		for range keys {
			k := randomKey(rng)
			prefix := wordOf(&k, 0)
			if u, _ := r.Owner(k); u.Member != owner(prefix) {
				t.Fatalf("%d members: the arc at %x is of %x, want %x", size, prefix, owner(prefix), u.Member)
			}
		}
	}
}
