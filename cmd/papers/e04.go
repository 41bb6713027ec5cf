package main

import (
	"fmt"
	"math"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/cmd/papers/sim"
	"github.com/forage-net/forage/cmd/papers/web"
	"github.com/forage-net/forage/p2p/ring"
)

// e04 asks whether agents share the web evenly, and nothing is fetched twice or never: UbiCrawler.
var e04 = lab.Experiment{
	ID: "E4", Paper: "UbiCrawler: agents", Cost: 8,
	Setup: "1 to 16 agents, 1 to 4 threads; 100 and 200 replicas; faults with page recovery t = 0, 1, 2, 4; " +
		"quality of the order",
	Said: "deviation < 6 % (100 replicas), < 4.5 % (200); coverage 1, each page fetched once; about 1 URL between " +
		"agents a page; throughput grows with agents; page recovery costs in proportion to t",
	Run: runE04,
}

func runE04(l *lab.Lab) (lab.Result, error) {
	var r lab.Result
	b := e04Balance(l)
	l.Step(0.1)
	t := e04Throughput(l)
	l.Step(0.5)
	f := e04Faults(l)
	l.Step(0.7)
	q, err := e04Quality(l)
	if err != nil {
		return r, err
	}
	r.Ours = fmt.Sprintf("circle: deviation %.1f %% and %.1f %%; **our ring: %.1f %% with 16 points, %.1f %% with "+
		"128**; keys moved between others: %d by the circle, **%d of %d by ours**; coverage %.3g, overlap %.2g; "+
		"%.2g URLs between agents a page; "+
		"16 agents %.3g × one; after faults overlap %.3g %% with t = 0, %.2g %% with t = 4, **ours %.2g %%**",
		b.deviation[0], b.deviation[1], b.deviation[2], b.deviation[3], b.moved[0], b.moved[1], b.keys, t.coverage,
		t.overlap, t.urls, t.growth, 100*f.overlap[0], 100*f.overlap[len(f.overlap)-1], 100*f.ours)
	slope := float64(f.asked[2]) / float64(f.asked[1])
	two := fmt.Sprintf("the mean deviation grows with the agents, and the paper's bound is met by few (by 2: %.1f "+
		"and %.1f %%)", b.curves[0][0], b.curves[1][0])
	r.Marks = []lab.Mark{
		{Name: "deviation with 100 replicas, %", Got: b.deviation[0], High: 6, Because: two},
		{Name: "deviation with 200 replicas, %", Got: b.deviation[1], High: 4.5, Because: two},
		lab.Is("a new agent only takes hosts from others (circle)", b.moved[0] == 0),
		{Name: "hosts that our ring moves between others when one joins", Got: float64(b.moved[1]), High: 0,
			Because: "where the number of points passes a power of two the ring's grain changes, and a few hosts " +
				"move between others"},
		lab.About("coverage", t.coverage, 1, 0.0001),
		lab.About("overlap without faults", t.overlap, 0, 0.0001),
		{Name: "URLs between agents a page", Got: t.urls, Low: 0.5, High: 2,
			Because: "it is the number of links to other hosts, which the made-up web has by assumption"},
		lab.AtLeast("pages of 16 agents ÷ of one", t.growth, 12),
		lab.About("questions with t = 4 ÷ t = 2", float64(f.asked[3])/float64(f.asked[2]), 2, 0.2),
		lab.About("questions with t = 2 ÷ t = 1", slope, 2, 0.2),
		lab.Is("page recovery lessens the overlap", f.overlap[3] < f.overlap[0]),
		lab.About("our overlap after faults", f.ours, 0, 0.0001),
		lab.Is("pages with many links come earlier than by chance, in our order", q.area[1] > q.area[0]),
	}
	r.Notes = []string{
		"The deviation is the mean of how far an agent's share is from the fair one, over 2 to 16 agents and 50 " +
			"draws of identifiers. A member of our ring with one unit has 16 points, with eight units 128; " +
			"so few points are enough, since a lease goes to who has room, whoever owns the site.",
		fmt.Sprintf("Faults: 16 agents, %d hosts; at each of 40 steps every agent fails with 5 %% or comes back "+
			"with 50 %%, and a page is linked to eight times on average, so that who has become responsible may "+
			"fetch it once more. "+
			"Ours is the line of three of p2p/ring: two of them must be there, what one fetches the others that "+
			"are there store, and who leads pulls from them; where fewer are there links wait (%.2g %% of "+
			"them).", l.Size(500, 50), 100*f.waited),
		"Quality is the part of all links that lead to the pages fetched so far. Ours is the order of " +
			"crawl/frontier over a real store; breadth first by host is UbiCrawler's.",
	}
	r.Tables = []lab.Table{b.table(), t.table(), f.table()}
	r.Figures = []draw.Figure{b.figure(), t.figure(), f.figure(), q.figure}
	return r, nil
}

// e04Shares are what balance showed: of the circle with 100 and 200 replicas, and of our ring with 1 and 8 units.
type e04Shares struct {
	deviation []float64 // percent
	moved     []int
	keys      int
	agents    []float64
	curves    [][]float64 // by strategy and number of agents
}

var e04Names = []string{"circle, 100 replicas", "circle, 200 replicas", "ring, 1 unit (16 points)",
	"ring, 8 units (128 points)"}

func e04Balance(l *lab.Lab) (b e04Shares) {
	draws := l.Size(50, 5)
	b.curves = make([][]float64, len(e04Names))
	for agents := 2; agents <= 16; agents++ {
		b.agents = append(b.agents, float64(agents))
		for i := range e04Names {
			var off []float64
			for seed := range uint64(draws) {
				for _, share := range e04SharesOf(i, agents, seed) {
					off = append(off, 100*math.Abs(share*float64(agents)-1))
				}
			}
			b.curves[i] = append(b.curves[i], rtt.Mean(off))
		}
	}
	for i := range e04Names {
		b.deviation = append(b.deviation, rtt.Mean(b.curves[i]))
	}
	hosts := l.Size(20_000, 500)
	b.keys = 15 * hosts
	b.moved = []int{0, 0}
	for agents := 1; agents < 16; agents++ {
		less, more := rival.NewCircle(agents, 100, 1), rival.NewCircle(agents+1, 100, 1)
		oursLess, oursMore := lab.HashRing(agents), lab.HashRing(agents+1)
		for h := range hosts {
			if from, to := less.Owner(rival.Hash(2, uint64(h))), more.Owner(rival.Hash(2, uint64(h))); from != to &&
				to != agents {
				b.moved[0]++
			}
			if from, to := oursLess(h), oursMore(h); from != to && to != agents {
				b.moved[1]++
			}
		}
	}
	return b
}

func e04SharesOf(strategy, agents int, seed uint64) (shares []float64) {
	if strategy < 2 {
		return rival.NewCircle(agents, 100*(strategy+1), seed).Shares()
	}
	units := []int{1, ring.MaxUnits}[strategy-2]
	var members []ring.Member
	for i := range agents {
		members = append(members, ring.Member{ID: fmt.Sprintf("agent %d of %d", i, seed), Units: units})
	}
	r := ring.New(members)
	for _, m := range members {
		shares = append(shares, r.Share(m.ID))
	}
	return shares
}

func (b e04Shares) table() lab.Table {
	t := lab.Table{"deviation of shares, % | mean of 2 to 16 agents | 2 agents | 16 agents"}
	for i, name := range e04Names {
		t = append(t, fmt.Sprintf("%s | %.1f | %.1f | %.1f", name, b.deviation[i], b.curves[i][0], b.curves[i][14]))
	}
	return t
}

func (b e04Shares) figure() draw.Figure {
	f := draw.Figure{File: "ubicrawler-balance", Title: "Balance (UbiCrawler)", X: "agents",
		Y: "deviation from the fair share, %"}
	for i, name := range e04Names {
		f.Curves = append(f.Curves, draw.Curve{Name: name, X: b.agents, Y: b.curves[i]})
	}
	return f
}

// e04Speed is what a crawl without faults showed.
type e04Speed struct {
	coverage, overlap, urls, growth float64
	agents                          []float64
	rates                           [][]float64 // by threads and number of agents, pages a second and agent
}

func e04Throughput(l *lab.Lab) (t e04Speed) {
	w := web.Generate(l.Size(20_000, 300), l.Size(400_000, 3000), l.Hosts, l.Random("E4 web", 0))
	counts, threads := []int{1, 2, 4, 8, 16}, []int{1, 2, 3, 4}
	results := make([]sim.Result, len(counts)*len(threads))
	seconds := float64(l.Size(300, 30))
	run := func(agents, threads int, w *web.Web, seconds float64) sim.Result {
		cfg := e03Config(l, w, agents, seconds)
		cfg.Threads = threads
		trip := cfg.Trip
		cfg.Trip = func(node int, host int32) float64 {
			return trip(int(rival.Hash(7, uint64(node), uint64(host))%80), host)
		} // no agent lives better than others
		cfg.Seeds = w.First[:min(1000, w.Hosts)]
		return sim.Partitioned(cfg, rival.ByCircle(agents, 100, l.Seed), nil)
	}
	l.Each(len(results), func(i int) { results[i] = run(counts[i%len(counts)], threads[i/len(counts)], w, seconds) })
	for i := range threads {
		t.rates = append(t.rates, nil)
		for j, n := range counts {
			t.rates[i] = append(t.rates[i], float64(results[i*len(counts)+j].Total())/seconds/float64(n))
		}
	}
	for _, n := range counts {
		t.agents = append(t.agents, float64(n))
	}
	t.growth = t.rates[3][4] * 16 / t.rates[3][0]
	small := web.Generate(300, 3000, nil, l.Random("E4 small web", 0))
	whole := run(16, 4, small, 1e6) // until nothing is left
	t.coverage = float64(whole.Total()-whole.Twice) / float64(small.Pages())
	t.overlap = float64(whole.Twice) / float64(small.Pages())
	last := results[len(results)-1]
	t.urls = float64(last.Links) / float64(max(1, last.Total()))
	return t
}

func (t e04Speed) table() lab.Table {
	out := lab.Table{"threads: pages a second and agent | 1 agent | 2 | 4 | 8 | 16"}
	for i, rates := range t.rates {
		line := fmt.Sprintf("%d", i+1)
		for _, r := range rates {
			line += fmt.Sprintf(" | %.2f", r)
		}
		out = append(out, line)
	}
	return out
}

func (t e04Speed) figure() draw.Figure {
	f := draw.Figure{File: "ubicrawler-throughput", Title: "Throughput (UbiCrawler)", X: "agents",
		Y: "pages a second and agent"}
	for i, rates := range t.rates {
		f.Curves = append(f.Curves, draw.Curve{Name: fmt.Sprintf("%d threads", i+1), X: t.agents, Y: rates})
	}
	return f
}
