package main

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/crawl/near"
)

// e11 asks what more crawlers bring: thesis §8.5.
var e11 = experiment{
	id: "E11", paper: "Thesis §8.5: 6 against 12 crawlers", trips: true, cost: 5,
	setup: "mean round trip of all sites with 6 and with 12 crawlers: optimal, guided, random",
	said:  "–",
	run:   runE11,
}

var e11Counts = []int{2, 4, 6, 8, 12}

func runE11(l *lab) (result, error) {
	const figures = 3
	var s []spread
	for _, n := range e11Counts {
		s = append(s, l.over(fmt.Sprintf("E11 %d", n), n, func(c choice) []float64 {
			ours := newFetchers(c)
			var optimal, guided, random []float64
			for _, site := range c.sites {
				optimal = append(optimal, c.best(site).Trip)
				guided = append(guided, ours.guided(site, near.Usual(), n).Trip)
				random = append(random, c.probe(site)(c.rng.IntN(n)))
			}
			return []float64{rtt.Mean(optimal), rtt.Mean(guided), rtt.Mean(random)}
		})...)
	}
	f := draw.Figure{File: "thesis-8-5", Title: "Crawlers and distance (thesis §8.5)", X: "crawlers", Y: "mean round trip, ms"}
	for i, name := range []string{"optimal", "guided, 3 tries", "random"} {
		c := draw.Curve{Name: name}
		for j, n := range e11Counts {
			c.X, c.Y = append(c.X, float64(n)), append(c.Y, s[figures*j+i].median)
		}
		f.Curves = append(f.Curves, c)
	}
	six, twelve := s[figures*2:], s[figures*4:]
	return result{
		ours: fmt.Sprintf("with 6: optimal %s ms, **guided %s**, random %s; with 12: optimal %s, **guided %s**, random %s", six[0], six[1], six[2], twelve[0], twelve[1], twelve[2]),
		marks: []mark{
			is("12 crawlers are nearer than 6, chosen at best and by us", twelve[0].median < six[0].median && twelve[1].median < six[1].median),
			is("the gain of location grows with the crawlers", twelve[2].median/twelve[0].median > six[2].median/six[0].median),
			is("the guided choice is nearer the optimum than chance is", six[1].median-six[0].median < six[2].median-six[1].median && twelve[1].median-twelve[0].median < twelve[2].median-twelve[1].median),
		},
		figures: []draw.Figure{f},
	}, nil
}
