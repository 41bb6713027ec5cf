package rival

import "maps"

// Throttle keeps how often a site is asked below a rate though many nodes do so: every so often they ask all of them together how many
// requests each site got (Loo's aggregation query), and part the rate among those that had any. In between nobody knows of
// newcomers.
type Throttle struct {
	// Rate is requests a second to a site, Every how many seconds there are between two queries.
	Rate, Every float64

	asked []map[int32]bool // by node, sites since the last query
	gaps  []map[int32]float64
}

// NewThrottle returns one for some nodes.
func NewThrottle(nodes int, rate, every float64) *Throttle {
	t := &Throttle{Rate: rate, Every: every}
	for range nodes {
		t.asked, t.gaps = append(t.asked, make(map[int32]bool)), append(t.gaps, make(map[int32]float64))
	}
	return t
}

// Gap notes a request of a node to a site, and returns how long, in seconds, that node leaves the site alone after it.
func (t *Throttle) Gap(node int, site int32) float64 {
	t.asked[node][site] = true
	if gap, ok := t.gaps[node][site]; ok {
		return gap
	}
	return 1 / t.Rate
}

// Query tells each node its part of the rates, and returns how many counts went to the nodes that add them up, and back.
func (t *Throttle) Query() (counts int) {
	nodes := make(map[int32]int)
	for _, sites := range t.asked {
		for site := range maps.Keys(sites) {
			nodes[site]++
		}
	}
	for node, sites := range t.asked {
		clear(t.gaps[node])
		for site := range maps.Keys(sites) {
			t.gaps[node][site] = float64(nodes[site]) / t.Rate
			counts += 2
		}
		clear(sites)
	}
	return counts
}
