package nearness

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/crawl/near"
)

// E02 asks what is lost if a site's crawler is chosen by hash: Loo §4.5, figure 12.
var E02 = lab.Experiment{
	ID: "E2", Paper: "Loo §4.5: locality", Trips: true, Cost: 2,
	Setup: "70 crawlers, 420 sites; median connect time of who fetches",
	Said:  "optimal 12.2 ms, best of 5 39.2, best of 3 49.1, by hash 79.1 ≈ random",
	Run:   runE02,
}

// names of strategies, in the order of the figures.
var e02Names = []string{"optimal", "best of 5", "best of 3", "random", "by hash of the host", "guided, 3 tries",
	"guided, 3, 12 known", "guided, 5 tries"}

func runE02(l *lab.Lab) (lab.Result, error) {
	crawlers := l.Size(70, 12)
	s := l.Over("E2", crawlers, func(c lab.Choice) []float64 {
		trips, probes := e02Trips(c)
		var figures []float64
		for i := range trips {
			figures = append(figures, rtt.Median(trips[i]), probes[i])
		}
		return figures
	})
	median := func(strategy int) float64 { return s[2*strategy].Median }
	r := lab.Result{
		Ours: fmt.Sprintf("optimal %s ms, best of 5 %s, best of 3 %s, by hash %s, random %s; **guided choice %s in "+
			"%.2g tries**", s[0], s[2], s[4], s[8], s[6], s[10], s[11].Median),
		Marks: []lab.Mark{
			lab.Is("optimal < best of 5 < best of 3 < by hash", median(0) < median(1) && median(1) < median(2) &&
				median(2) < median(4)),
			lab.AtLeast("by hash ÷ optimal", median(4)/median(0), 5), // the paper's is 6.5
			lab.About("by hash ÷ random", median(4)/median(3), 1, 0.1),
			lab.AtMost("guided, 3 tries ÷ best of 3", median(5)/median(2), 0.6),
		},
		Notes: []string{"Guided is the product's choice (crawl/near): coordinates from round trips between " +
			"crawlers, 100 for each, on the 5 ms grid; the first crawler is one by chance. " +
			"\"12 known\" is an owner that knows 12 of the crawlers. Round trips stand for connect times."},
		Tables:  []lab.Table{{"strategy | median, ms | tries"}},
		Figures: []draw.Figure{e02Figure(l, crawlers)},
	}
	for i, name := range e02Names {
		r.Tables[0] = append(r.Tables[0], fmt.Sprintf("%s | %s | %.2g", name, s[2*i], s[2*i+1].Median))
	}
	if l.IsSliceOne() {
		for i, want := range []float64{7.3, 40, 55, 137} {
			r.Marks = append(r.Marks, lab.Within(e02Names[i]+" in ms", median(i), want, 0.1))
		}
	}
	return r, nil
}

// e02Trips returns, for each strategy, the round trips from the chosen crawler to each site, and the mean number of
// tries.
func e02Trips(c lab.Choice) (trips [][]float64, tries []float64) {
	trips, tries = make([][]float64, len(e02Names)), make([]float64, len(e02Names))
	hash, ours := lab.HashRing(len(c.Crawlers)), NewFetchers(c)
	for _, site := range c.Sites {
		probe, all := c.Probe(site), len(c.Crawlers)
		for i, f := range []rival.Found{
			c.Best(site), rival.BestOf(5, all, probe, c.Rng), rival.BestOf(3, all, probe, c.Rng),
			rival.BestOf(1, all, probe, c.Rng),
			rival.InOrder([]int{hash(site)}, probe, -1),
			ours.Guided(site, near.Usual(), all), ours.Guided(site, near.Usual(), 12),
			ours.Guided(site, near.Rule{Tries: 5, EnoughMs: near.EnoughMs}, all),
		} {
			trips[i] = append(trips[i], f.Trip)
			tries[i] += float64(f.Probes) / float64(len(c.Sites))
		}
	}
	return trips, tries
}

func e02Figure(l *lab.Lab, crawlers int) draw.Figure {
	f := draw.Figure{File: "loo-12", Title: "Round trip of who fetches (Loo, figure 12)", X: "ms",
		Y: "part of the sites", Log: true}
	nodes := l.Random("E2 figure", 0).Perm(l.Trips.Len())
	c := lab.Choice{Trips: l.Trips, Rng: l.Random("E2 figure run", 0), Crawlers: nodes[:crawlers],
		Sites: nodes[crawlers:]}
	trips, _ := e02Trips(c)
	for i, trips := range trips[:6] {
		f.Curves = append(f.Curves, draw.Distribution(e02Names[i], lab.SortedAbove(trips, 0.1)))
	}
	return f
}
