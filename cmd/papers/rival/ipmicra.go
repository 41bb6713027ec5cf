package rival

import (
	"cmp"
	"slices"
)

// IPMicra delegates a site by its place in a tree of address ranges (thesis): the crawler that has most sites of the
// smallest known range is asked first, then the others that have some of it, then those of the range around it, up to
// all. The search ends at a crawler within the threshold. What it finds, it remembers for the ranges.
type IPMicra struct {
	// parent is the range around each range, -1 for the whole.
	parent []int
	// has counts, for each range, the sites that each crawler has of it.
	has [][]int
}

// NewIPMicra returns one that knows a tree of ranges and no site. The parent of a range has a lower number; that of
// range 0 is -1.
func NewIPMicra(crawlers int, parent []int) *IPMicra {
	m := &IPMicra{parent: parent, has: make([][]int, len(parent))}
	for i := range m.has {
		m.has[i] = make([]int, crawlers)
	}
	return m
}

// Learn notes that a crawler has a site of a range.
func (m *IPMicra) Learn(in, crawler int) {
	for ; in >= 0; in = m.parent[in] {
		m.has[in][crawler]++
	}
}

// Delegate finds a crawler for a site of a range, and learns it.
func (m *IPMicra) Delegate(in int, p Probe, threshold float64) Found {
	s := newSearch(p)
	for r := in; r >= 0 && s.try(m.order(r, r == 0), threshold); r = m.parent[r] {
	}
	m.Learn(in, s.Crawler)
	return s.Found
}

// order is that of the crawlers by how many sites they have of a range; those without follow if all are wanted.
func (m *IPMicra) order(in int, all bool) (order []int) {
	for c, n := range m.has[in] {
		if n > 0 || all {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.has[in][b], m.has[in][a]) })
	return order
}

// Popular is the order of all crawlers by how many sites they have.
func (m *IPMicra) Popular() []int { return m.order(0, true) }

// try asks crawlers in order and reports whether none is within the threshold.
func (s *search) try(order []int, threshold float64) bool {
	for _, c := range order {
		if s.ask(c) <= threshold {
			return false
		}
	}
	return true
}

// Ranges makes a tree of ranges for hosts whose addresses are not known. Hosts within near of one another, or of one
// in between, are in one range; so are such ranges within each further distance. It returns the parents of the
// ranges, and the smallest range of each host.
func Ranges(hosts int, distances []float64, apart func(a, b int) float64) (parent, of []int) {
	parent, of = []int{-1}, make([]int, hosts)
	for _, within := range slices.Backward(slices.Sorted(slices.Values(distances))) {
		group := components(hosts, func(a, b int) bool { return apart(a, b) <= within })
		names := make(map[[2]int]int)
		for h := range of {
			key := [2]int{of[h], group[h]}
			if _, ok := names[key]; !ok {
				names[key] = len(parent)
				parent = append(parent, of[h])
			}
			of[h] = names[key]
		}
	}
	return parent, of
}

// components numbers the connected parts of a graph.
func components(n int, linked func(a, b int) bool) []int {
	group := make([]int, n)
	for i := range group {
		group[i] = -1
	}
	for i := range n {
		if group[i] >= 0 {
			continue
		}
		group[i] = i
		for open := []int{i}; len(open) > 0; {
			a := open[len(open)-1]
			open = open[:len(open)-1]
			for b := range n {
				if group[b] < 0 && linked(a, b) {
					group[b] = i
					open = append(open, b)
				}
			}
		}
	}
	return group
}
