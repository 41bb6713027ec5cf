package nearness

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
)

// E08 asks how HiMicra does with more crawlers: thesis, experiment 8.2.
var E08 = lab.Experiment{
	ID: "E8", Paper: "Thesis 8.2: HiMicra with more crawlers", Trips: true, Cost: 1,
	Setup: "10, 25, 40 and 50 crawlers, b = 2, threshold 50 ms",
	Said:  "optimal 90, 63, 50, 46 %; probes 68, 37, 27, 18 % (2,000 URLs at made-up distances)",
	Run:   runE08,
}

func runE08(l *lab.Lab) (lab.Result, error) {
	counts := []int{10, 25, 40, 50}
	said := [][]float64{{90, 63, 50, 46}, {68, 37, 27, 18}}
	var s []lab.Spread
	for _, n := range counts {
		s = append(s, l.Over(fmt.Sprintf("E8 %d", n), n,
			func(c lab.Choice) []float64 { return himicra(c, 0.5, 50) })...)
	}
	f := draw.Figure{File: "thesis-8-2b", Title: "HiMicra with more crawlers (thesis 8.2)", X: "crawlers", Y: "%"}
	var r lab.Result
	for i, name := range []string{"optimal", "probes"} {
		ours, theirs := draw.Curve{Name: name}, draw.Curve{Name: name + ", thesis", Y: said[i], Dashed: true}
		text := ""
		for t, n := range counts {
			got := s[perSite*t+i]
			ours.X, ours.Y, theirs.X = append(ours.X, float64(n)), append(ours.Y, got.Median),
				append(theirs.X, float64(n))
			text += fmt.Sprintf(" %s", got)
			m := lab.About(fmt.Sprintf("%s with %d crawlers, %%", name, n), got.Median, said[i][t], 12)
			m.Because = "the thesis makes distances up, and these are measured"
			r.Marks = append(r.Marks, m)
		}
		f.Curves = append(f.Curves, ours, theirs)
		r.Ours += name + text + " %; "
	}
	last := perSite * (len(counts) - 1)
	r.Marks = append([]lab.Mark{
		lab.Is("more crawlers need a smaller part of the probes", s[1].Median > s[last+1].Median),
		lab.Is("more crawlers find fewer optima", s[0].Median > s[last].Median),
	}, r.Marks...)
	r.Ours = r.Ours[:len(r.Ours)-2]
	r.Notes = []string{"The tree is as in E7. The sites are all other nodes, half of them for training."}
	r.Figures = []draw.Figure{f}
	return r, nil
}
