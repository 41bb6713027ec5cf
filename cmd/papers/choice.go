package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

// probe measures from crawlers, by their place in the choice, to a site, which is a node.
func (c choice) probe(site int) rival.Probe {
	return func(crawler int) float64 { return c.trips.At(c.crawlers[crawler], site) }
}

// byDistance is the order of all crawlers, the nearest to a site first.
func (c choice) byDistance(site int) []int {
	order := make([]int, len(c.crawlers))
	for i := range order {
		order[i] = i
	}
	probe := c.probe(site)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(probe(a), probe(b)) })
	return order
}

// best is the nearest crawler of a site.
func (c choice) best(site int) rival.Found {
	order := make([]int, len(c.crawlers))
	for i := range order {
		order[i] = i
	}
	return rival.InOrder(order, c.probe(site), -1)
}

// hashRing returns which of some nodes of one unit owns a site, by the product's ring.
func hashRing(nodes int) func(site int) int {
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

// sortedAbove sorts figures, none below a least one, for logarithmic axes.
func sortedAbove(figures []float64, least float64) []float64 {
	sorted := slices.Sorted(slices.Values(figures))
	for i := range sorted {
		sorted[i] = max(sorted[i], least)
	}
	return sorted
}
