package rival

import "math"

// MinCost returns the least sum of costs for which each site has a crawler and no crawler more than most sites: a
// min-cost flow, by successive shortest paths (Ahuja, Magnanti, Orlin, "Network flows"). There must be room for all
// sites.
func MinCost(crawlers, sites, most int, cost func(crawler, site int) float64) (sum float64) {
	has := make([][]int, crawlers)
	for s := range sites { // without bounds, the nearest is the optimum
		best := 0
		for c := range crawlers {
			if cost(c, s) < cost(best, s) {
				best = c
			}
		}
		has[best] = append(has[best], s)
	}
	for c := range has {
		for len(has[c]) > most {
			relieve(has, c, most, cost)
		}
	}
	for c, list := range has {
		for _, s := range list {
			sum += cost(c, s)
		}
	}
	return sum
}

// hop moves a site, by its place, from a crawler to the next on a path.
type hop struct {
	from, place int
	cost        float64 // of the whole path up to here
}

// relieve moves one site away from a crawler, on the cheapest way to one that has room.
func relieve(has [][]int, start, most int, cost func(crawler, site int) float64) {
	edge := make([][]hop, len(has))
	for a := range has {
		edge[a] = make([]hop, len(has))
		for b := range has {
			edge[a][b] = hop{from: a, cost: math.Inf(1)}
			for i, s := range has[a] {
				if d := cost(b, s) - cost(a, s); d < edge[a][b].cost {
					edge[a][b] = hop{a, i, d}
				}
			}
		}
	}
	path := make([]hop, len(has))
	for c := range path {
		path[c].cost = math.Inf(1)
	}
	path[start].cost = 0
	for range has { // Bellman and Ford: costs may be negative, circles are not
		for a := range has {
			for b := range has {
				if d := path[a].cost + edge[a][b].cost; b != start && b != a && d < path[b].cost-1e-9 {
					path[b] = hop{a, edge[a][b].place, d}
				}
			}
		}
	}
	end := -1
	for c := range has {
		if len(has[c]) < most && (end < 0 || path[c].cost < path[end].cost) {
			end = c
		}
	}
	for c := end; c != start; c = path[c].from {
		from, place := path[c].from, path[c].place
		last := len(has[from]) - 1
		has[c] = append(has[c], has[from][place])
		has[from][place] = has[from][last]
		has[from] = has[from][:last]
	}
}
