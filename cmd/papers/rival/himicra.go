package rival

import "math"

// HiMicra delegates a site by way of a tree of crawlers (thesis): crawlers that see the training sites alike are
// close in the tree. A site is probed from one crawler of each branch, the nearer branch is gone into first, and the
// search ends at a crawler within the threshold, or when all were asked.
type HiMicra struct {
	root *branch
}

// branch is a crawler, or two or more branches with a crawler that speaks for them.
type branch struct {
	speaker  int
	crawlers []int
	children []*branch
}

// NewHiMicra builds the tree with at most b branches at each node, from how far apart two crawlers are. There must be
// a crawler, and b must be at least 2.
func NewHiMicra(crawlers, b int, apart func(a, b int) float64) *HiMicra {
	var open []*branch
	for c := range crawlers {
		open = append(open, &branch{speaker: c, crawlers: []int{c}})
	}
	for len(open) > 1 {
		open = join(open, b, apart)
	}
	return &HiMicra{open[0]}
}

// join makes one branch of the two that are closest on average, and of the next closest up to b.
func join(open []*branch, b int, apart func(a, b int) float64) []*branch {
	first, second := closest(open, apart)
	n := &branch{children: []*branch{open[first], open[second]}}
	open = without(open, second)
	open = without(open, first)
	n.gather(apart)
	for len(n.children) < b && len(open) > 0 {
		next := 0
		for i := range open {
			if linkage(n, open[i], apart) < linkage(n, open[next], apart) {
				next = i
			}
		}
		n.children = append(n.children, open[next])
		open = without(open, next)
		n.gather(apart)
	}
	return append(open, n)
}

// gather collects the crawlers of all children; who is closest to the others speaks for them.
func (n *branch) gather(apart func(a, b int) float64) {
	n.crawlers = nil
	for _, c := range n.children {
		n.crawlers = append(n.crawlers, c.crawlers...)
	}
	least := math.Inf(1)
	for _, a := range n.crawlers {
		sum := 0.0
		for _, b := range n.crawlers {
			sum += apart(a, b)
		}
		if sum < least {
			n.speaker, least = a, sum
		}
	}
}

func closest(open []*branch, apart func(a, b int) float64) (first, second int) {
	least := math.Inf(1)
	for i := range open {
		for j := range i {
			if d := linkage(open[i], open[j], apart); d < least {
				first, second, least = j, i, d
			}
		}
	}
	return first, second
}

// linkage is the mean distance between crawlers of two branches.
func linkage(a, b *branch, apart func(a, b int) float64) (mean float64) {
	for _, x := range a.crawlers {
		for _, y := range b.crawlers {
			mean += apart(x, y)
		}
	}
	return mean / float64(len(a.crawlers)*len(b.crawlers))
}

func without(open []*branch, i int) []*branch {
	open[i] = open[len(open)-1]
	return open[:len(open)-1]
}

// Delegate finds a crawler for a site.
func (h *HiMicra) Delegate(p Probe, threshold float64) Found {
	s := newSearch(p)
	s.descend(h.root, threshold)
	return s.Found
}

// descend reports whether a crawler within the threshold was found.
func (s *search) descend(n *branch, threshold float64) bool {
	if len(n.children) == 0 {
		return s.ask(n.speaker) <= threshold
	}
	trips := make([]float64, len(n.children))
	for i, c := range n.children {
		if trips[i] = s.ask(c.speaker); trips[i] <= threshold {
			return true
		}
	}
	for range n.children {
		next := 0
		for i := range trips {
			if trips[i] < trips[next] {
				next = i
			}
		}
		trips[next] = math.Inf(1)
		if s.descend(n.children[next], threshold) {
			return true
		}
	}
	return false
}
