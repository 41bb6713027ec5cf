package main

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
)

// e08 asks how HiMicra does with more crawlers: thesis, experiment 8.2.
var e08 = experiment{
	id: "E8", paper: "Thesis 8.2: HiMicra with more crawlers", trips: true, cost: 20,
	setup: "10, 25, 40 and 50 crawlers, b = 2, threshold 50 ms",
	said:  "optimal 90, 63, 50, 46 %; probes 68, 37, 27, 18 % (2,000 URLs at made-up distances)",
	run:   runE08,
}

func runE08(l *lab) (result, error) {
	counts := []int{10, 25, 40, 50}
	said := [][]float64{{90, 63, 50, 46}, {68, 37, 27, 18}}
	var s []spread
	for _, n := range counts {
		s = append(s, l.over(fmt.Sprintf("E8 %d", n), n, func(c choice) []float64 { return himicra(c, 0.5, 50) })...)
	}
	f := draw.Figure{File: "thesis-8-2b", Title: "HiMicra with more crawlers (thesis 8.2)", X: "crawlers", Y: "%"}
	var r result
	for i, name := range []string{"optimal", "probes"} {
		ours, theirs := draw.Curve{Name: name}, draw.Curve{Name: name + ", thesis", Y: said[i], Dashed: true}
		text := ""
		for t, n := range counts {
			got := s[perSite*t+i]
			ours.X, ours.Y, theirs.X = append(ours.X, float64(n)), append(ours.Y, got.median), append(theirs.X, float64(n))
			text += fmt.Sprintf(" %s", got)
			m := about(fmt.Sprintf("%s with %d crawlers, %%", name, n), got.median, said[i][t], 12)
			m.because = "the thesis makes distances up, and these are measured"
			r.marks = append(r.marks, m)
		}
		f.Curves = append(f.Curves, ours, theirs)
		r.ours += name + text + " %; "
	}
	last := perSite * (len(counts) - 1)
	r.marks = append([]mark{
		is("more crawlers need a smaller part of the probes", s[1].median > s[last+1].median),
		is("more crawlers find fewer optima", s[0].median > s[last].median),
	}, r.marks...)
	r.ours = r.ours[:len(r.ours)-2]
	r.notes = []string{"The tree is as in E7. The sites are all other nodes, half of them for training."}
	r.figures = []draw.Figure{f}
	return r, nil
}
