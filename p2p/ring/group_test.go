package ring

import (
	"fmt"
	"slices"
	"testing"
)

const copies = 3 // R of the design

// eachUnit calls f for every unit on the ring.
func eachUnit(r *Ring, f func(u Unit)) {
	for _, m := range r.Members() {
		for number := range m.Units {
			f(Unit{m.ID, number})
		}
	}
}

func TestGroup_IsTheMemberAndOthers(t *testing.T) {
	for _, size := range []int{1, 2, 3, 30} {
		r := New(randomMembers(newRand(uint64(size)), size, mixed))
		for _, n := range []int{1, 2, 3, 5, 29, 30, 31, 1 << 40} {
			eachUnit(r, func(u Unit) {
				g := r.Group(u, n)
				if len(g) != min(n, size) || g[0] != u.Member {
					t.Fatalf("Group(%x, %d) of %d members has %d, first %x", u, n, size, len(g), g[0])
				}
				slices.Sort(g)
				if len(slices.Compact(g)) != min(n, size) {
					t.Fatalf("Group(%x, %d) names a member twice", u, n)
				}
			})
		}
	}
}

func TestGroup_NoneForUnitsThatAreNot(t *testing.T) {
	r := New([]Member{{ID: "a", Units: 2}, {ID: "b", Units: 1}})
	for _, u := range []Unit{{"a", 2}, {"a", -1}, {"b", 1 << 40}, {"c", 0}, {}} {
		if got := r.Group(u, 3); got != nil {
			t.Errorf("Group(%v) = %v, want none", u, got)
		}
	}
	if got := r.Group(Unit{"a", 0}, 0); got != nil {
		t.Errorf("a group of no members = %v", got)
	}
}

func TestGroup_SpreadsOverNetworks(t *testing.T) {
	for _, c := range []struct {
		name string
		net  func(i int) string
		want int // different networks in every group; members of "" count each
	}{
		{"ten networks", func(i int) string { return fmt.Sprint(i % 10) }, 3},
		{"half in one", func(i int) string { return []string{"x", fmt.Sprint(i)}[i%2] }, 3},
		{"all but two in one", func(i int) string { return fmt.Sprint(min(i, 2)) }, 3},
		{"two networks", func(i int) string { return fmt.Sprint(i % 2) }, 2},
		{"one network", func(int) string { return "x" }, 1},
		{"unknown", func(int) string { return "" }, 3},
		{"all but one in one", func(i int) string { return []string{"", "x"}[min(i, 1)] }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			members := randomMembers(newRand(1), 60, mixed)
			nets := map[string]string{}
			for i := range members {
				members[i].Net = c.net(i)
				nets[members[i].ID] = c.net(i)
			}
			r := New(members)
			eachUnit(r, func(u Unit) {
				different := map[string]bool{}
				for _, id := range r.Group(u, copies) {
					if nets[id] == "" {
						different["unknown "+id] = true
					} else {
						different[nets[id]] = true
					}
				}
				if len(different) != c.want {
					t.Errorf("Group(%x) is in %d networks, want %d", u, len(different), c.want)
				}
			})
		})
	}
}

// partners returns with how many others each member shares a group.
func partners(r *Ring) []int {
	with := map[string]map[string]bool{}
	for _, m := range r.Members() {
		with[m.ID] = map[string]bool{}
	}
	eachUnit(r, func(u Unit) {
		g := r.Group(u, copies)
		for _, a := range g {
			for _, b := range g {
				if a != b {
					with[a][b] = true
				}
			}
		}
	})
	var out []int
	for _, others := range with {
		out = append(out, len(others))
	}
	slices.Sort(out)
	return out
}

func TestGroup_FewPartners(t *testing.T) {
	for seed := range uint64(5) {
		got := partners(New(randomMembers(newRand(seed), 200, one)))
		t.Logf("seed %d: partners: median %d, p95 %d, most %d", seed, got[100], p95(got), got[199])
		if p95(got) > 8 {
			t.Errorf("seed %d: 95 %% of members have at most %d partners, want 8", seed, p95(got))
		}
	}
}

// A join changes only groups that the newcomer enters, if networks do not matter.
func TestGroup_JoinBringsOnlyTheNewcomer(t *testing.T) {
	members := randomMembers(newRand(4), 100, mixed)
	newcomer := members[0].ID
	before, after := New(members[1:]), New(members)
	eachUnit(before, func(u Unit) {
		was, is := before.Group(u, copies), after.Group(u, copies)
		if !slices.Equal(was, is) && !slices.Contains(is, newcomer) {
			t.Errorf("Group(%x) went from %x to %x, without the newcomer", u, was, is)
		}
		is = slices.DeleteFunc(is, func(id string) bool { return id == newcomer })
		if !slices.Equal(is, was[:len(is)]) {
			t.Errorf("Group(%x) went from %x to %x by a join", u, was, is)
		}
	})
}
