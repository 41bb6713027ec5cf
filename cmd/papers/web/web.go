// Package web makes up a web to be crawled: hosts of very different sizes, pages, and links between them.
//
// What it is made by, and from where:
//
//   - sizes of hosts follow a power law (Huberman and Adamic, "Growth dynamics of the World-Wide Web",
//     1999); the exponent 1.8 is among theirs
//   - a page has 8 links on average, geometrically distributed (Broder and others, "Graph structure in the Web", 2000:
//     7.2 to 7.9)
//   - three in four stay on their host: an assumption
//   - half of all links copy the target of an earlier one, the others are by chance (Kumar and others,
//     "Stochastic models for the Web graph", 2000), so in-degrees follow a power law
//   - a page has 10 kB on average, log-normally distributed: an assumption
//
// With a graph of hosts (Graph), links to other hosts follow its edges, and a host with more incoming edges has more
// pages.
package web

import (
	"math"
	"math/rand/v2"
)

const (
	meanLinks = 8
	maxLinks  = 100
	ownHost   = 0.75
	copied    = 0.5
	exponent  = 1.8
	meanBytes = 10_000
	// spreadBytes is the deviation of the logarithm of sizes.
	spreadBytes = 1
)

// Web never changes and may be read by any number of goroutines.
type Web struct {
	// Hosts is how many hosts there are. Host says which each page is of, and Bytes how long it is.
	Hosts int
	Host  []int32
	Bytes []int32
	// First is the first page of each host, its home page; pages of a host follow one another. It has one entry more,
	// the number of pages.
	First []int32
	from  []int32 // where the links of each page begin, one entry more
	links []int32
}

// Pages is how many there are.
func (w *Web) Pages() int { return len(w.Host) }

// Links returns the pages that a page links to, with repeats. The slice is the web's.
func (w *Web) Links(page int32) []int32 { return w.links[w.from[page]:w.from[page+1]] }

// Degrees counts the links to each page.
func (w *Web) Degrees() []int {
	in := make([]int, w.Pages())
	for _, to := range w.links {
		in[to]++
	}
	return in
}

// Generate returns a web of so many hosts and about so many pages, at least one a host. The graph may be nil; else
// the web has its hosts, at most so many of them, those with the most incoming edges first.
func Generate(hosts, pages int, g *Graph, rng *rand.Rand) *Web {
	if g != nil {
		hosts = min(hosts, g.Hosts())
	}
	w := &Web{Hosts: hosts}
	weights := make([]float64, hosts)
	sum := 0.0
	for h := range weights { // the h-th largest of a power law
		weights[h] = math.Pow(float64(h+1), -1/(exponent-1))
		sum += weights[h]
	}
	if g == nil {
		rng.Shuffle(hosts, func(i, j int) { weights[i], weights[j] = weights[j], weights[i] })
	}
	for h := range weights {
		w.First = append(w.First, int32(len(w.Host)))
		for range max(1, int(weights[h]/sum*float64(pages))) {
			w.Host = append(w.Host, int32(h))
			w.Bytes = append(w.Bytes,
				int32(meanBytes*math.Exp(spreadBytes*rng.NormFloat64()-spreadBytes*spreadBytes/2)))
		}
	}
	w.First = append(w.First, int32(w.Pages()))
	w.link(g, rng)
	return w
}

// link draws all links. The first page of each host leads into it, so that every page can be reached from the home
// pages.
func (w *Web) link(g *Graph, rng *rand.Rand) {
	var abroad []int32 // targets on other hosts so far
	w.from = append(w.from, 0)
	for p := range int32(w.Pages()) {
		h := w.Host[p]
		w.links = append(w.links, w.children(p)...)
		for range min(int(rng.ExpFloat64()*meanLinks), maxLinks) {
			switch {
			case rng.Float64() < ownHost:
				w.links = append(w.links, w.inside(h, rng))
			default:
				to := w.outside(h, g, abroad, rng)
				abroad = append(abroad, to)
				w.links = append(w.links, to)
			}
		}
		w.from = append(w.from, int32(len(w.links)))
	}
}

// children are the pages that nobody else is sure to link to: page i of a host leads to 2i+1 and 2i+2.
func (w *Web) children(p int32) (list []int32) {
	first, end := w.First[w.Host[p]], w.First[w.Host[p]+1]
	for c := first + 2*(p-first) + 1; c < end && c <= first+2*(p-first)+2; c++ {
		list = append(list, c)
	}
	return list
}

// inside returns a page of a host, the first ones more often.
func (w *Web) inside(h int32, rng *rand.Rand) int32 {
	size := float64(w.First[h+1] - w.First[h])
	x := rng.Float64()
	return w.First[h] + int32(x*x*size)
}

func (w *Web) outside(h int32, g *Graph, abroad []int32, rng *rand.Rand) int32 {
	if g != nil {
		if to := g.edges(h); len(to) > 0 {
			if host := to[rng.IntN(len(to))]; int(host) < w.Hosts {
				return w.inside(host, rng)
			}
		}
	}
	if len(abroad) > 0 && rng.Float64() < copied {
		return abroad[rng.IntN(len(abroad))]
	}
	return w.inside(int32(rng.IntN(w.Hosts)), rng)
}
