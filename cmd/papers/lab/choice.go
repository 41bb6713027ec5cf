package lab

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

// Probe measures from crawlers, by their place in the choice, to a site, which is a node.
func (c Choice) Probe(site int) rival.Probe {
	return func(crawler int) float64 { return c.Trips.At(c.Crawlers[crawler], site) }
}

// ByDistance is the order of all crawlers, the nearest to a site first.
func (c Choice) ByDistance(site int) []int {
	order := make([]int, len(c.Crawlers))
	for i := range order {
		order[i] = i
	}
	probe := c.Probe(site)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(probe(a), probe(b)) })
	return order
}

// Best is the nearest crawler of a site.
func (c Choice) Best(site int) rival.Found {
	order := make([]int, len(c.Crawlers))
	for i := range order {
		order[i] = i
	}
	return rival.InOrder(order, c.Probe(site), -1)
}

// HashRing returns which of some nodes of one unit owns a site, by the product's ring.
func HashRing(nodes int) func(site int) int {
	number := make(map[string]int)
	var members []ring.Member
	for i := range nodes {
		id := fmt.Sprintf("crawler %d", i)
		number[id] = i
		members = append(members, ring.Member{ID: id, Units: 1})
	}
	r := ring.New(members)
	return func(site int) int {
		u, _ := r.Owner(crawl.KeyOf(crawl.Domain(fmt.Sprintf("site%d.example", site))))
		return number[u.Member]
	}
}

// SortedAbove sorts figures, none below a least one, for logarithmic axes.
func SortedAbove(figures []float64, least float64) []float64 {
	sorted := slices.Sorted(slices.Values(figures))
	for i := range sorted {
		sorted[i] = max(sorted[i], least)
	}
	return sorted
}
