package nearness

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rtt"
)

// E05 asks how much sooner all sites are fetched if each is by its nearest crawler: thesis §8.2.
var E05 = lab.Experiment{
	ID: "E5", Paper: "Thesis §8.2: the gain of location", Trips: true, Cost: 1,
	Setup: "4, 12 and 70 crawlers, all other nodes are sites; summed round trips, random ÷ optimal",
	Said:  "one order of magnitude in summed download time, 4 crawlers, 1,000 pages",
	Run:   runE05,
}

func runE05(l *lab.Lab) (lab.Result, error) {
	counts := []int{4, 12, l.Size(70, 20)}
	curve := draw.Curve{Name: "round trips measured here"}
	var s []lab.Spread
	for i, n := range counts {
		s = append(s, l.Over(fmt.Sprintf("E5 %d", n), n, func(c lab.Choice) []float64 {
			l.Step(float64(i) / float64(len(counts)))
			var random, optimal []float64
			for _, site := range c.Sites {
				random = append(random, c.Probe(site)(c.Rng.IntN(n)))
				optimal = append(optimal, c.Best(site).Trip)
			}
			return []float64{rtt.Total(random) / rtt.Total(optimal)}
		})...)
		curve.X, curve.Y = append(curve.X, float64(n)), append(curve.Y, s[i].Median)
	}
	r := lab.Result{
		Ours: fmt.Sprintf("%s times with %d crawlers, %s with %d, %s with %d", s[0], counts[0], s[1], counts[1],
			s[2], counts[2]),
		Marks: []lab.Mark{
			lab.Is("the gain grows with the crawlers", s[0].Median < s[1].Median && s[1].Median < s[2].Median),
			{Name: "gain with 4 crawlers (half an order of magnitude would do)", Got: s[0].Median, Low: 5, High: 1e18,
				Because: "these are round trips, and the thesis sums the times of whole downloads"},
		},
		Notes: []string{"A download of n round trips from who is f times as near takes 1/f of the time, as far as " +
			"it waits for the network at all. Under politeness " +
			"this shows as connect time and as places in use, not as pages per second: a site's gap is longer than " +
			"most round trips."},
		Figures: []draw.Figure{{File: "thesis-8-2", Title: "Gain of the nearest crawler (thesis §8.2)",
			X: "crawlers", Y: "random ÷ optimal", Log: true, Curves: []draw.Curve{curve}}},
	}
	if l.IsSliceOne() {
		for i, want := range []float64{2.05, 3.9, 9.9} {
			r.Marks = append(r.Marks, lab.Within(fmt.Sprintf("gain with %d crawlers as measured before", counts[i]),
				s[i].Median, want, 0.15))
		}
	}
	return r, nil
}
