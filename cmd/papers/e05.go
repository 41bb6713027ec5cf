package main

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/rtt"
)

// e05 asks how much sooner all sites are fetched if each is by its nearest crawler: thesis §8.2.
var e05 = experiment{
	id: "E5", paper: "Thesis §8.2: the gain of location", trips: true, cost: 10,
	setup: "4, 12 and 70 crawlers, all other nodes are sites; summed round trips, random ÷ optimal",
	said:  "one order of magnitude in summed download time, 4 crawlers, 1,000 pages",
	run:   runE05,
}

func runE05(l *lab) (result, error) {
	counts := []int{4, 12, l.size(70, 20)}
	curve := draw.Curve{Name: "round trips measured here"}
	var s []spread
	for i, n := range counts {
		s = append(s, l.over(fmt.Sprintf("E5 %d", n), n, func(c choice) []float64 {
			l.step(float64(i) / float64(len(counts)))
			var random, optimal []float64
			for _, site := range c.sites {
				random = append(random, c.probe(site)(c.rng.IntN(n)))
				optimal = append(optimal, c.best(site).Trip)
			}
			return []float64{rtt.Total(random) / rtt.Total(optimal)}
		})...)
		curve.X, curve.Y = append(curve.X, float64(n)), append(curve.Y, s[i].median)
	}
	r := result{
		ours: fmt.Sprintf("%s times with %d crawlers, %s with %d, %s with %d", s[0], counts[0], s[1], counts[1], s[2], counts[2]),
		marks: []mark{
			is("the gain grows with the crawlers", s[0].median < s[1].median && s[1].median < s[2].median),
			{name: "gain with 4 crawlers", got: s[0].median, low: 5, high: 1e18,
				because: "these are round trips, and the thesis sums the times of whole downloads"},
		},
		notes: []string{"A download of n round trips from who is f times as near takes 1/f of the time, as far as it waits for the network at all. Under politeness " +
			"this shows as connect time and as places in use, not as pages per second: a site's gap is longer than most round trips."},
		figures: []draw.Figure{{File: "thesis-8-2", Title: "Gain of the nearest crawler (thesis §8.2)", X: "crawlers", Y: "random ÷ optimal", Log: true, Curves: []draw.Curve{curve}}},
	}
	if l.isSliceOne() {
		for i, want := range []float64{2.05, 3.9, 9.9} {
			r.marks = append(r.marks, within(fmt.Sprintf("gain with %d crawlers as measured before", counts[i]), s[i].median, want, 0.15))
		}
	}
	return r, nil
}
