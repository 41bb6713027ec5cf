package main

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/crawl/near"
)

// e11 asks what more crawlers bring: thesis §8.5.
var e11 = experiment{
	id: "E11", paper: "Thesis §8.5: 6 against 12 crawlers", trips: true, cost: 10,
	setup: "summed round trips of all sites with 6 and with 12 crawlers: optimal, guided, random",
	said:  "–",
	run:   runE11,
}

func runE11(l *lab) (result, error) {
	var s []spread
	counts := []int{6, 12}
	for _, n := range counts {
		s = append(s, l.over(fmt.Sprintf("E11 %d", n), n, func(c choice) []float64 {
			ours := newFetchers(c)
			var optimal, guided, random []float64
			for _, site := range c.sites {
				optimal = append(optimal, c.best(site).Trip)
				guided = append(guided, ours.guided(site, near.Usual(), n).Trip)
				random = append(random, c.probe(site)(c.rng.IntN(n)))
			}
			best := rtt.Total(optimal)
			return []float64{best / float64(len(c.sites)), rtt.Total(guided) / best, rtt.Total(random) / best}
		})...)
	}
	r := result{
		ours: fmt.Sprintf("mean of the optimum %s ms with 6, %s with 12; random ÷ optimal %s and %s; guided ÷ optimal %s and %s", s[0], s[3], s[2], s[5], s[1], s[4]),
		marks: []mark{
			is("12 crawlers are nearer than 6", s[3].median < s[0].median),
			is("the gain of location grows with the crawlers", s[5].median > s[2].median),
			is("the guided choice is nearer the optimum than chance is", s[1].median < s[2].median && s[4].median < s[5].median),
		},
	}
	return r, nil
}
