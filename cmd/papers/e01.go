package main

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/nearness"
	"github.com/forage-net/forage/cmd/papers/sim"
	"github.com/forage-net/forage/cmd/papers/web"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p/ring"
)

// e01 asks what it brings that the nearest leaf peer crawls a domain: Apoidea, figures 5 to 7.
var e01 = lab.Experiment{
	ID: "E1", Paper: "Apoidea, figures 5 to 7: near and far", Trips: true, Cost: 4,
	Setup: "70 peers; the owner by hash (far), the best of its 16 leaf neighbours (near); 1 to 50 threads on two " +
		"lines; 1 to 16 peers",
	Said: "near ≈ 2 × far; grows with threads and flattens; near-linear in peers",
	Run:  runE01,
}

var (
	e01Threads = []int{1, 2, 5, 10, 20, 30, 40, 50}
	// e01Lines are assumptions: a quiet line of 10 Mbit/s and one that is busy with other things and has 2 left.
	e01Lines = []sim.Line{1.25e6, 0.25e6}
	e01Peers = []int{1, 2, 4, 8, 16}
	e01Names = []string{"far (owner by hash)", "near (best of 16 leaves)", "Forage (guided)"}
)

// leaves is how many neighbours of an owner measure a domain.
const leaves = 16

func runE01(l *lab.Lab) (lab.Result, error) {
	crawlers, seconds := l.Size(70, 20), float64(l.Size(60, 10))
	const few = 3 // the place of 10 threads, for which a line does not bound yet
	s := l.Over("E1", crawlers, func(c lab.Choice) (rates []float64) {
		for _, trips := range e01Trips(c) {
			for _, line := range e01Lines {
				for _, threads := range e01Threads {
					rates = append(rates, sim.Peer(threads, line, seconds,
						func() float64 { return trips[c.Rng.IntN(len(trips))] }, c.Rng)/1000)
				}
			}
		}
		return append(rates, rates[e01At(1, 0, few)]/rates[e01At(0, 0, few)],
			rates[e01At(2, 0, few)]/rates[e01At(0, 0, few)])
	})
	nearer, guided := s[len(s)-2], s[len(s)-1]
	rate := func(strategy, line, threads int) float64 { return s[e01At(strategy, line, threads)].Median }
	last := len(e01Threads) - 1
	peers := e01Scaling(l)
	rises := true
	for strategy := range e01Names {
		for line := range e01Lines {
			for t := range last {
				rises = rises && rate(strategy, line, t+1) >= 0.97*rate(strategy, line, t) // of runs by chance
			}
		}
	}
	r := lab.Result{
		Ours: fmt.Sprintf("with 10 threads near ÷ far %s, **guided ÷ far %s**; %d threads bring %.3g × one (far) "+
			"and %.3g × (near, busy line); 16 peers %.3g × one",
			nearer, guided, e01Threads[last], rate(0, 0, last)/rate(0, 0, 0), rate(1, 1, last)/rate(1, 1, 0),
			peers.Y[len(peers.Y)-1]/peers.Y[0]),
		Marks: []lab.Mark{
			lab.Is("throughput rises with threads, or stays where the line is full", rises),
			lab.AtLeast("near ÷ far, 10 threads, quiet line", nearer.Median, 2),
			lab.AtLeast("guided ÷ far, 10 threads, quiet line", guided.Median, 2),
			lab.Is("it flattens: 50 near threads on the busy line bring less than half of 50 × one",
				rate(1, 1, last) < 25*rate(1, 1, 0)),
			lab.AtLeast("16 peers ÷ one", peers.Y[len(peers.Y)-1]/peers.Y[0], 12),
		},
		Notes: []string{
			"A page takes one round trip for the connection and those of slow start; it then waits for the peer's " +
				"line, which all threads share. Assumed: lines of 10 Mbit/s and of 2. " +
				"Leaf neighbours are the members that are nearest on p2p/ring; Apoidea's are those of its own overlay.",
			"Peers are nodes of the simulation of E3, by our rules, with 10 threads each and sites enough for all.",
		},
	}
	for line := range e01Lines {
		f := draw.Figure{File: fmt.Sprintf("apoidea-%d", 5+line),
			Title: fmt.Sprintf("One peer, line of %.0f Mbit/s (Apoidea)", float64(e01Lines[line])*8/1e6),
			X:     "threads", Y: "kB/s"}
		for strategy, name := range e01Names {
			c := draw.Curve{Name: name}
			for t, n := range e01Threads {
				c.X, c.Y = append(c.X, float64(n)), append(c.Y, rate(strategy, line, t))
			}
			f.Curves = append(f.Curves, c)
		}
		r.Figures = append(r.Figures, f)
	}
	r.Figures = append(r.Figures, draw.Figure{File: "apoidea-7", Title: "Peers (Apoidea)", X: "peers",
		Y: "pages a second", Curves: []draw.Curve{peers}})
	return r, nil
}

// e01At is the place of a rate.
func e01At(strategy, line, threads int) int {
	return (strategy*len(e01Lines)+line)*len(e01Threads) + threads
}

// e01Trips returns, for each strategy, the round trips from who crawls each site.
func e01Trips(c lab.Choice) [][]float64 {
	out := make([][]float64, len(e01Names))
	number := make(map[string]int)
	var members []ring.Member
	for i := range c.Crawlers {
		id := fmt.Sprintf("crawler %d", i)
		number[id] = i
		members = append(members, ring.Member{ID: id, Units: 1})
	}
	r, ours := ring.New(members), nearness.NewFetchers(c)
	for _, site := range c.Sites {
		leaf := r.Near(crawl.KeyOf(crawl.Domain(fmt.Sprintf("site%d.example", site))), leaves)
		probe := c.Probe(site)
		best := probe(number[leaf[0]])
		out[0] = append(out[0], best)
		for _, id := range leaf {
			best = min(best, probe(number[id]))
		}
		out[1] = append(out[1], best)
		out[2] = append(out[2], ours.Guided(site, near.Usual(), len(c.Crawlers)).Trip)
	}
	return out
}

// e01Scaling is pages a second by the number of peers.
func e01Scaling(l *lab.Lab) draw.Curve {
	w := web.Generate(l.Size(20_000, 2000), l.Size(200_000, 8000), nil, l.Random("E1 web", 0))
	seconds := float64(l.Size(300, 60))
	c := draw.Curve{Name: "Forage, 10 threads", Y: make([]float64, len(e01Peers))}
	l.Each(len(e01Peers), func(i int) {
		cfg := e03Config(l, w, e01Peers[i], seconds)
		cfg.Threads, cfg.Seeds = 10, w.First[:w.Hosts]
		cfg.Trip = evenly(cfg.Trip)
		c.Y[i] = float64(sim.Leased(cfg).Total()) / seconds
	})
	for _, n := range e01Peers {
		c.X = append(c.X, float64(n))
	}
	return c
}
