package main

import (
	"slices"

	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/cmd/papers/sim"
	"github.com/forage-net/forage/cmd/papers/web"
)

// e03 asks what a partition of URLs costs and gives: Loo, figures 3 to 11.
var e03 = lab.Experiment{
	ID: "E3", Paper: "Loo, figures 3 to 11: partitions", Cost: 90,
	Setup: "1 to 80 nodes, 3 threads, 15 minutes; A many sites, B 45, C one; partition by URL, Hostname, " +
		"Hostname-8, Redirect; ours is the fifth",
	Said: "A: Hostname 43, Hostname-8 27, URL 25 kB/s; B: idle 70 % Hostname, 20 % Hostname-8, 1 % Redirect, 0 " +
		"URL; Redirect + 20 %, ≤ 3 × the bytes; C: Hostname-8 80 % idle, only URL grows with the nodes",
	Run: runE03,
}

const (
	e03Threads = 3
	e03Seconds = 15 * 60
	e03Ours    = "Forage"
)

// workload is one of Loo's three.
type workload struct {
	name         string
	hosts, pages int
	seeds        int // home pages that are known at the start
}

// e03Case is a run.
type e03Case struct {
	workload int
	nodes    int
	scheme   string
	linkMs   float64
	redirect redirect
	every    float64 // seconds from one aggregation query to the next, 0 for no throttle
}

// throttle keeps a site at as many requests a second as our gap allows.
func (c e03Case) throttle() *rival.Throttle {
	if c.every == 0 {
		return nil
	}
	return rival.NewThrottle(c.nodes, e03Rate, c.every)
}

// e03Rate is that of the product's least gap, two seconds.
const e03Rate = 0.5

// redirect has the parameters of the scheme of that name.
type redirect struct{ threshold, fanOut, hops int }

var (
	e03Schemes  = []string{"URL", "Hostname", "Hostname-8", "Redirect", e03Ours}
	e03Redirect = redirect{threshold: 500, fanOut: 0, hops: 1} // Loo's
	// e03Redirects and e03LinkMs are variations.
	e03Redirects = []redirect{{100, 0, 1}, {2000, 0, 1}, {500, 8, 1}, {500, 0, 2}}
	e03LinkMs    = []float64{5, 10, 20, 40}
	e03Queries   = []float64{5, 20, 60}
)

func (c e03Case) partition(seed uint64) rival.Partition {
	switch c.scheme {
	case "URL":
		return rival.ByURL(c.nodes, seed)
	case "Hostname":
		return rival.ByHostname(c.nodes, seed)
	case "Hostname-8":
		return rival.ByHostnameN(c.nodes, 8, seed)
	}
	return rival.ByRedirect(c.nodes, c.redirect.threshold, c.redirect.fanOut, c.redirect.hops, seed)
}

// e03Config lets each node and each host be at a node of the matrix.
func e03Config(l *lab.Lab, w *web.Web, nodes int, seconds float64) sim.Config {
	trips := l.Trips
	if trips == nil {
		trips = rtt.Generate(490, l.Seed)
	}
	order := l.Random("E3 places", 0).Perm(trips.Len()) // the same for every run
	most := min(80, trips.Len()/2)
	at := func(host int32) int {
		return order[most+int(rival.Hash(6, uint64(host))%uint64(trips.Len()-most))]
	}
	return sim.Config{
		Nodes: nodes, Threads: e03Threads, Seconds: seconds, Web: w, Rand: l.Random("E3 run", nodes),
		Trip:    func(node int, host int32) float64 { return trips.At(order[node%most], at(host)) },
		Between: func(a, b int) float64 { return trips.At(order[a%most], order[b%most]) },
	}
}

// evenly lets no node live better than others: each pair of a node and a host has a round trip by chance.
func evenly(trip func(node int, host int32) float64) func(node int, host int32) float64 {
	return func(node int, host int32) float64 {
		return trip(int(rival.Hash(7, uint64(node), uint64(host))%80), host)
	}
}

// e03Run is all that the runs showed.
type e03Run struct {
	loads   []workload
	counts  []int
	seconds float64
	results map[e03Case]sim.Result
}

func runE03(l *lab.Lab) (lab.Result, error) {
	run := e03Run{
		loads: []workload{{"A", l.Size(70_000, 700), l.Size(800_000, 8000), 1000},
			{"B", 45, l.Size(500_000, 8000), 45}, {"C", 1, l.Size(500_000, 8000), 1}},
		counts:  []int{1, 4, 16, 32, 64, 80},
		seconds: float64(l.Size(e03Seconds, 60)),
		results: make(map[e03Case]sim.Result),
	}
	webs := make([]*web.Web, len(run.loads))
	for i, load := range run.loads {
		g := l.Hosts
		if load.hosts == 1 {
			g = nil
		}
		webs[i] = web.Generate(load.hosts, load.pages, g, l.Random("E3 web", i))
		run.loads[i].hosts, run.loads[i].pages = webs[i].Hosts, webs[i].Pages()
	}
	cases := run.cases()
	results := make([]sim.Result, len(cases))
	l.Each(len(cases), func(i int) {
		c := cases[i]
		cfg := e03Config(l, webs[c.workload], c.nodes, run.seconds)
		cfg.LinkS = c.linkMs / 1000
		for h := range min(run.loads[c.workload].seeds, cfg.Web.Hosts) {
			cfg.Seeds = append(cfg.Seeds, cfg.Web.First[h])
		}
		if c.scheme == e03Ours {
			results[i] = sim.Leased(cfg)
		} else {
			results[i] = sim.Partitioned(cfg, c.partition(l.Seed), c.throttle())
		}
	})
	for i, c := range cases {
		run.results[c] = results[i]
	}
	return run.report(l), nil
}

// cases are all runs, the longest first.
func (r e03Run) cases() (list []e03Case) {
	most := r.most()
	for w := range r.loads {
		for _, n := range slices.Backward(r.counts) {
			for _, s := range e03Schemes {
				list = append(list, e03Case{w, n, s, 0, e03Redirect, 0})
			}
		}
		for _, ms := range e03LinkMs {
			for _, s := range e03Schemes[:4] {
				if w < 2 {
					list = append(list, e03Case{w, most, s, ms, e03Redirect, 0})
				}
			}
		}
	}
	for _, x := range e03Redirects {
		list = append(list, e03Case{1, most, "Redirect", 0, x, 0})
	}
	for _, every := range e03Queries {
		list = append(list, e03Case{1, most, "URL", 0, e03Redirect, every})
	}
	return list
}

func (r e03Run) most() int { return r.counts[len(r.counts)-1] }

func (r e03Run) at(load, nodes int, scheme string) sim.Result {
	return r.results[e03Case{load, nodes, scheme, 0, e03Redirect, 0}]
}

// rate is kB a second and node.
func (r e03Run) rate(load, nodes int, scheme string) float64 {
	return r.at(load, nodes, scheme).Rate(r.seconds) / float64(nodes)
}
