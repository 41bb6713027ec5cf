package nearness

import (
	"fmt"
	"math"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rival"
)

// E07 asks how well HiMicra's tree finds a near crawler: thesis, experiment 8.1.
var E07 = lab.Experiment{
	ID: "E7", Paper: "Thesis 8.1: HiMicra", Trips: true, Cost: 1,
	Setup: "12 crawlers, tree of b = 2 trained on half of the sites; thresholds 25, 50, 75 ms",
	Said:  "optimal 89, 62, 43 %; probes 78, 55, 42 % of brute force; 4.8, 17, 22.9 ms above the optimum",
	Run:   runE07,
}

// judged collects how a strategy did over sites.
type judged struct{ sites, optimal, probes, above float64 }

// perSite is how many figures a strategy has.
const perSite = 4

// add counts a site. Crawlers that are as near as the best are optimal, too.
func (j *judged) add(f, best rival.Found, crawlers int) {
	j.sites++
	if f.Trip <= best.Trip {
		j.optimal++
	}
	j.probes += float64(f.Probes) / float64(crawlers)
	j.above += f.Trip - best.Trip
}

// figures are the optimal sites in percent, the probes in percent of asking all, and the mean milliseconds above the
// optimum: of the sites that are not optimal, and of all.
func (j *judged) figures() []float64 {
	return []float64{100 * j.optimal / j.sites, 100 * j.probes / j.sites, j.above / max(1, j.sites-j.optimal),
		j.above / j.sites}
}

// apart is how differently two crawlers see some sites: the mean difference of their round trips.
func apart(c lab.Choice, sites []int) func(a, b int) float64 {
	n := len(c.Crawlers)
	known := make([]float64, n*n)
	for a := range n {
		for b := range n {
			for _, s := range sites {
				known[a*n+b] += math.Abs(c.Probe(s)(a)-c.Probe(s)(b)) / float64(len(sites))
			}
		}
	}
	return func(a, b int) float64 { return known[a*n+b] }
}

// himicra delegates the sites that the tree was not trained on.
func himicra(c lab.Choice, trained, threshold float64) []float64 {
	split := int(trained * float64(len(c.Sites)))
	tree := rival.NewHiMicra(len(c.Crawlers), 2, apart(c, c.Sites[:split]))
	var j judged
	for _, site := range c.Sites[split:] {
		j.add(tree.Delegate(c.Probe(site), threshold), c.Best(site), len(c.Crawlers))
	}
	return j.figures()
}

var e07Thresholds = []float64{25, 50, 75}

// e07Said are the thesis's optima, probes and milliseconds at these.
var e07Said = [][]float64{{89, 62, 43}, {78, 55, 42}, {4.8, 17, 22.9}}

func runE07(l *lab.Lab) (lab.Result, error) {
	const crawlers = 12
	s := l.Over("E7", crawlers, func(c lab.Choice) (all []float64) {
		for _, trained := range []float64{0.5, 0.25, 0.75} {
			for _, t := range e07Thresholds {
				all = append(all, himicra(c, trained, t)...)
			}
		}
		return all
	})
	r := lab.Result{
		Ours: fmt.Sprintf("optimal %s %%; probes %s %%; %s ms above", column(s, 0), column(s, 1), column(s, 2)),
		Notes: []string{himicraAssumes, aboveMeans,
			"The thesis trains on 250, 500 and 750 of 1,000 sites; here these are quarters of the nodes that do " +
				"not crawl."},
		Tables: []lab.Table{{"trained on | threshold, ms | optimal, % | probes, % | above, ms | above, of all, ms"}},
	}
	for i, trained := range []string{"1/2", "1/4", "3/4"} {
		for t, ms := range e07Thresholds {
			f := s[perSite*(3*i+t):]
			r.Tables[0] = append(r.Tables[0], fmt.Sprintf("%s | %.0f | %s | %s | %s | %s", trained, ms, f[0], f[1],
				f[2], f[3]))
		}
	}
	r.Marks = ordered(s)
	r.Marks = append(r.Marks, theirs(s, e07Thresholds, e07Said)...)
	r.Figures = []draw.Figure{curves("thesis-8-1", "HiMicra, 12 crawlers (thesis 8.1)", "threshold, ms",
		e07Thresholds, s, e07Said)}
	return r, nil
}

const himicraAssumes = "Assumed, where the thesis leaves a choice: crawlers are joined by average linkage of how " +
	"differently they see the training sites, the most central one speaks for a branch, " +
	"the branch whose speaker is nearer is gone into first, and the search goes back to the others until somebody " +
	"is within the threshold. The tree is trained and judged on different sites."

const aboveMeans = "Milliseconds above the optimum are the mean over the sites that did not get their nearest " +
	"crawler; the mean over all sites is in the last column."

// column says one figure of a strategy at three thresholds.
func column(s []lab.Spread, figure int) string {
	return fmt.Sprintf("%s, %s, %s", s[figure], s[figure+perSite], s[figure+2*perSite])
}

// ordered are marks that hold wherever probes end at a threshold: a greater one saves probes and costs milliseconds.
func ordered(s []lab.Spread) []lab.Mark {
	falls := func(first int) bool {
		return s[first].Median > s[first+perSite].Median && s[first+perSite].Median > s[first+2*perSite].Median
	}
	return []lab.Mark{
		lab.Is("a greater threshold finds fewer optima", falls(0)),
		lab.Is("a greater threshold probes less", falls(1)),
		lab.Is("a greater threshold is farther from the optimum", s[3].Median < s[3+perSite].Median &&
			s[3+perSite].Median < s[3+2*perSite].Median),
	}
}

// theirs are marks of the optima, the probes and the milliseconds at three thresholds: they may differ by 12 points
// and 6 ms.
func theirs(s []lab.Spread, at []float64, want [][]float64) (marks []lab.Mark) {
	for i, name := range []string{"optimal, %", "probes, %", "above, ms"} {
		for t, w := range want[i] {
			by := 12.0
			if i == 2 {
				by = 6
			}
			marks = append(marks, lab.About(fmt.Sprintf("%s, at %.0f ms", name, at[t]), s[perSite*t+i].Median, w, by))
		}
	}
	return marks
}

// curves draws optima and probes over x, and what a paper says of them.
func curves(file, title, x string, at []float64, s []lab.Spread, said [][]float64) draw.Figure {
	f := draw.Figure{File: file, Title: title, X: x, Y: "%"}
	for i, name := range []string{"optimal", "probes of brute force"} {
		ours := draw.Curve{Name: name, X: at}
		for t := range at {
			ours.Y = append(ours.Y, s[perSite*t+i].Median)
		}
		f.Curves = append(f.Curves, ours)
	}
	for i, name := range []string{"optimal, thesis", "probes, thesis"} {
		f.Curves = append(f.Curves, draw.Curve{Name: name, X: at, Y: said[i], Dashed: true})
	}
	return f
}
