package rival

// Throttle keeps how often a site is asked below a rate though many nodes do so: every so often they ask all of them
// together how many requests each site got (Loo's aggregation query), and part the rate among those that had any. In
// between nobody knows of newcomers.
type Throttle struct {
	// Rate is requests a second to a site, Every how many seconds there are between two queries.
	Rate, Every float64

	asked []map[int32]float64 // by node, when it asked a site last
	gaps  []map[int32]float64
}

// NewThrottle returns one for some nodes.
func NewThrottle(nodes int, rate, every float64) *Throttle {
	t := &Throttle{Rate: rate, Every: every}
	for range nodes {
		t.asked, t.gaps = append(t.asked, make(map[int32]float64)), append(t.gaps, make(map[int32]float64))
	}
	return t
}

// Gap notes a request of a node to a site, and returns how long that node leaves the site alone after it. Times are
// in seconds.
func (t *Throttle) Gap(node int, site int32, now float64) float64 {
	t.asked[node][site] = now
	return t.gap(node, site)
}

func (t *Throttle) gap(node int, site int32) float64 {
	if gap, ok := t.gaps[node][site]; ok {
		return gap
	}
	return 1 / t.Rate
}

// Query tells each node its part of the rates, and returns how many counts went to the nodes that add them up, and
// back. A node counts for a site while it may ask again at its gap.
func (t *Throttle) Query(now float64) (counts int) {
	nodes := make(map[int32]int)
	for node, sites := range t.asked {
		for site, last := range sites {
			if now-last > max(t.Every, 2*t.gap(node, site)) {
				delete(sites, site)
				delete(t.gaps[node], site)
				continue
			}
			nodes[site]++
		}
	}
	for node, sites := range t.asked {
		for site := range sites {
			t.gaps[node][site] = float64(nodes[site]) / t.Rate
			counts += 2
		}
	}
	return counts
}
