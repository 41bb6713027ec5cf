package nearness

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
)

// E10 asks how much training IPMicra needs: thesis §7.6.
var E10 = lab.Experiment{
	ID: "E10", Paper: "Thesis §7.6: training", Trips: true, Cost: 1,
	Setup: "IPMicra, 12 crawlers, threshold 50 ms, trained on 5 to 80 % of the sites",
	Said:  "–",
	Run:   runE10,
}

func runE10(l *lab.Lab) (lab.Result, error) {
	parts := []float64{0.05, 0.1, 0.2, 0.4, 0.6, 0.8}
	s := l.Over("E10", 12, func(c lab.Choice) (all []float64) {
		for _, trained := range parts {
			tree, _, _ := ipmicra(c, trained, 50, 0)
			all = append(all, tree...)
		}
		return all
	})
	f := draw.Figure{File: "thesis-7-6", Title: "IPMicra by training (thesis §7.6)",
		X: "trained on, % of the sites", Y: "%",
		Curves: []draw.Curve{{Name: "optimal"}, {Name: "probes of brute force"}}}
	r := lab.Result{Notes: []string{"Ranges are as in E9."},
		Tables: []lab.Table{{"trained on, % | optimal, % | probes, % | above, ms"}}}
	for i, trained := range parts {
		at := s[perSite*i:]
		r.Tables[0] = append(r.Tables[0], fmt.Sprintf("%.0f | %s | %s | %s", 100*trained, at[0], at[1], at[2]))
		for c := range f.Curves {
			f.Curves[c].X, f.Curves[c].Y = append(f.Curves[c].X, 100*trained), append(f.Curves[c].Y, at[c].Median)
		}
	}
	first, last := s, s[perSite*(len(parts)-1):]
	r.Ours = fmt.Sprintf("from 5 to 80 %%: optimal %s to %s %%, probes %s to %s %%", first[0], last[0], first[1],
		last[1])
	r.Figures = []draw.Figure{f}
	return r, nil
}
