package nearness

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/crawl/near"
)

// E11 asks what more crawlers bring: thesis §8.5.
var E11 = lab.Experiment{
	ID: "E11", Paper: "Thesis §8.5: 6 against 12 crawlers", Trips: true, Cost: 1,
	Setup: "mean round trip of all sites with 6 and with 12 crawlers: optimal, guided, random",
	Said:  "–",
	Run:   runE11,
}

var e11Counts = []int{2, 4, 6, 8, 12}

func runE11(l *lab.Lab) (lab.Result, error) {
	const figures = 3
	var s []lab.Spread
	for _, n := range e11Counts {
		s = append(s, l.Over(fmt.Sprintf("E11 %d", n), n, func(c lab.Choice) []float64 {
			ours := NewFetchers(c)
			var optimal, guided, random []float64
			for _, site := range c.Sites {
				optimal = append(optimal, c.Best(site).Trip)
				guided = append(guided, ours.Guided(site, near.Usual(), n).Trip)
				random = append(random, c.Probe(site)(c.Rng.IntN(n)))
			}
			return []float64{rtt.Mean(optimal), rtt.Mean(guided), rtt.Mean(random)}
		})...)
	}
	f := draw.Figure{File: "thesis-8-5", Title: "Crawlers and distance (thesis §8.5)", X: "crawlers",
		Y: "mean round trip, ms"}
	for i, name := range []string{"optimal", "guided, 3 tries", "random"} {
		c := draw.Curve{Name: name}
		for j, n := range e11Counts {
			c.X, c.Y = append(c.X, float64(n)), append(c.Y, s[figures*j+i].Median)
		}
		f.Curves = append(f.Curves, c)
	}
	six, twelve := s[figures*2:], s[figures*4:]
	return lab.Result{
		Ours: fmt.Sprintf("with 6: optimal %s ms, **guided %s**, random %s; with 12: optimal %s, **guided %s**, "+
			"random %s", six[0], six[1], six[2], twelve[0], twelve[1], twelve[2]),
		Marks: []lab.Mark{
			lab.Is("12 crawlers are nearer than 6, chosen at best and by us", twelve[0].Median < six[0].Median &&
				twelve[1].Median < six[1].Median),
			lab.Is("the gain of location grows with the crawlers",
				twelve[2].Median/twelve[0].Median > six[2].Median/six[0].Median),
			lab.Is("the guided choice is nearer the optimum than chance is",
				six[1].Median-six[0].Median < six[2].Median-six[1].Median &&
					twelve[1].Median-twelve[0].Median < twelve[2].Median-twelve[1].Median),
		},
		Figures: []draw.Figure{f},
	}, nil
}
