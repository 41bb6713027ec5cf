package rival

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// trips returns a probe that counts what is asked.
func trips(asked *[]int, ms ...float64) Probe {
	return func(c int) float64 {
		*asked = append(*asked, c)
		return ms[c]
	}
}

func TestInOrder_EndsWithinThreshold(t *testing.T) {
	var asked []int
	f := InOrder([]int{2, 0, 1}, trips(&asked, 20, 5, 90), 25)
	if f != (Found{Crawler: 0, Trip: 20, Probes: 2}) || !slices.Equal(asked, []int{2, 0}) {
		t.Errorf("got %+v after asking %v", f, asked)
	}
	if f := InOrder([]int{2, 0, 1}, trips(&asked, 20, 5, 90), -1); f.Crawler != 1 || f.Probes != 3 {
		t.Errorf("got %+v, want the best of all", f)
	}
}

// Crawlers 0 and 1 are close to each other, and so are 2 and 3.
func twoTowns(a, b int) float64 {
	if a/2 == b/2 {
		return math.Abs(float64(a - b))
	}
	return 100
}

func TestHiMicra_GoesIntoTheNearerBranch(t *testing.T) {
	h := NewHiMicra(4, 2, twoTowns)
	var asked []int
	f := h.Delegate(trips(&asked, 100, 100, 12, 8), 10)
	if f.Crawler != 3 || slices.Contains(asked, 0) && slices.Contains(asked, 1) {
		t.Errorf("got %+v after asking %v, want 3 without both of the far branch", f, asked)
	}
	if f := h.Delegate(trips(&asked, 100, 99, 98, 97), 10); f.Probes != 4 || f.Crawler != 3 {
		t.Errorf("got %+v, want all asked and the best taken where nobody is within the threshold", f)
	}
	three := NewHiMicra(9, 3, func(a, b int) float64 { return math.Abs(float64(a/3 - b/3)) })
	if f := three.Delegate(func(c int) float64 { return float64(100 - c) }, 0); f.Probes != 9 || f.Crawler != 8 {
		t.Errorf("got %+v of a tree of three branches", f)
	}
}

func TestIPMicra_AsksWhoHasTheRangeFirst(t *testing.T) {
	m := NewIPMicra(3, []int{-1, 0, 0, 1}) // the whole; two ranges; one within the first
	m.Learn(3, 2)
	m.Learn(2, 0)
	m.Learn(2, 0)
	var asked []int
	f := m.Delegate(3, trips(&asked, 50, 1, 40), 45)
	if f.Crawler != 2 || f.Probes != 1 {
		t.Errorf("got %+v after asking %v, want crawler 2, which has the range", f, asked)
	}
	asked = nil
	if f := m.Delegate(3, trips(&asked, 50, 1, 40), 10); f.Crawler != 1 || !slices.Equal(asked, []int{2, 0, 1}) {
		t.Errorf("got %+v after asking %v, want the range's first, then the most popular, then the rest", f, asked)
	}
	if order := m.Popular(); order[0] != 2 && order[0] != 0 || order[2] != 1 {
		t.Errorf("most popular first is %v", order)
	}
}

func TestRanges_FollowDistances(t *testing.T) {
	at := []float64{0, 1, 20, 21, 500}
	parent, of := Ranges(5, []float64{2, 50}, func(a, b int) float64 { return math.Abs(at[a] - at[b]) })
	if of[0] != of[1] || of[2] != of[3] || of[0] == of[2] || parent[of[0]] != parent[of[2]] || parent[of[4]] == parent[of[0]] {
		t.Errorf("ranges %v with parents %v", of, parent)
	}
	for r := 1; r < len(parent); r++ {
		if parent[r] >= r {
			t.Errorf("range %d has parent %d", r, parent[r])
		}
	}
}

// The flow is as cheap as the cheapest of all ways to part the sites.
func TestMinCost_IsTheLeast(t *testing.T) {
	rng := newRand()
	for range 50 {
		const crawlers, sites, most = 3, 6, 2
		var costs [crawlers][sites]float64
		for c := range costs {
			for s := range costs[c] {
				costs[c][s] = float64(rng.IntN(100))
			}
		}
		least := math.Inf(1)
		for code := range 729 { // 3^6
			sum, count, x := 0.0, [crawlers]int{}, code
			for s := range sites {
				sum += costs[x%3][s]
				count[x%3]++
				x /= 3
			}
			if max(count[0], count[1], count[2]) <= most {
				least = min(least, sum)
			}
		}
		if got := MinCost(crawlers, sites, most, func(c, s int) float64 { return costs[c][s] }); got != least {
			t.Fatalf("got %v, want %v", got, least)
		}
	}
}

func TestCircle_NewcomerOnlyTakes(t *testing.T) {
	less, more := NewCircle(7, 50, 3), NewCircle(8, 50, 3)
	moved := 0
	for key := range uint64(5000) {
		if from, to := less.Owner(Hash(key)), more.Owner(Hash(key)); from != to {
			if moved++; to != 7 {
				t.Fatalf("key %d moves from %d to %d", key, from, to)
			}
		}
	}
	if moved < 5000/16 || moved > 5000/4 {
		t.Errorf("%d of 5,000 keys move to the eighth agent", moved)
	}
	sum := 0.0
	for _, s := range more.Shares() {
		sum += s
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the shares add up to %v", sum)
	}
	var order []int
	more.InOrder(Hash(1), func(a int) bool { order = append(order, a); return true })
	if len(order) != 8 || order[0] != more.Owner(Hash(1)) {
		t.Errorf("agents in order of a key are %v", order)
	}
}

func TestPartition_PartsAsNamed(t *testing.T) {
	nodes := func(p Partition) int {
		met := make(map[int]bool)
		for page := range int32(1000) {
			met[p.Node(page, 5)] = true
		}
		return len(met)
	}
	if n := nodes(ByHostname(80, 1)); n != 1 {
		t.Errorf("by hostname a host is at %d nodes", n)
	}
	if n := nodes(ByHostnameN(80, 8, 1)); n < 3 || n > 8 {
		t.Errorf("by hostname-8 a host is at %d nodes", n)
	}
	if n := nodes(ByURL(80, 1)); n < 50 {
		t.Errorf("by URL a host is at %d nodes", n)
	}
	r := ByRedirect(80, 500, 0, 1, 1)
	if _, ok := r.Next(1, 5, 500, 0); ok {
		t.Error("a queue of 500 redirects")
	}
	if _, ok := r.Next(1, 5, 501, 0); !ok {
		t.Error("a queue of 501 does not redirect")
	}
	if _, ok := r.Next(1, 5, 501, 1); ok {
		t.Error("a page is redirected twice")
	}
}

// An agent that comes back after others have fetched its pages fetches them again, unless it asks.
func TestAgents_PageRecovery(t *testing.T) {
	for _, c := range []struct{ t, twice, asked int }{{0, 1, 0}, {1, 0, 2}} {
		a := NewAgents(3, 10, c.t, 1)
		host := Hash(9)
		owner := a.circle.Owner(host)
		a.Set(owner, false)
		a.Find(1, host)
		a.Set(owner, true)
		a.Find(1, host)
		a.Find(1, host)
		if a.Twice != c.twice || a.Asked != c.asked || a.Overlap() != float64(c.twice) {
			t.Errorf("t = %d: %d pages twice, %d questions, overlap %v; want %d and %d", c.t, a.Twice, a.Asked, a.Overlap(), c.twice, c.asked)
		}
	}
}
