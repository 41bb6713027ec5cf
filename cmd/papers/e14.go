package main

import (
	"fmt"
	"slices"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/cmd/papers/web"
	"github.com/forage-net/forage/p2p/ring"
)

// e14 asks what copies save when many members are lost at once, and what they cost: Apoidea's replicas.
var e14 = lab.Experiment{
	ID: "E14", Paper: "Apoidea: replicas and failures", Cost: 4,
	Setup: "60 members; 1 to 3 copies of what is known of a domain; 0 to 30 % of the members lost at once and for good",
	Said:  "–",
	Run:   runE14,
}

func runE14(l *lab.Lab) (lab.Result, error) {
	const members, most = 60, 3
	perURL, err := itemBytes(l)
	if err != nil {
		return lab.Result{}, err
	}
	parts := []float64{0, 0.05, 0.1, 0.2, 0.3}
	t := lab.Table{"lost members | 1 copy: URLs lost, % | 2 copies | 3 copies"}
	f := draw.Figure{File: "apoidea-replicas", Title: "What is lost with members", X: "lost members, %",
		Y: "URLs lost, %"}
	for copies := range most {
		f.Curves = append(f.Curves, draw.Curve{Name: fmt.Sprintf("%d copies", copies+1)})
	}
	draws := l.Size(400, 40)
	var last []float64
	for i, part := range parts {
		lost := make([][]float64, most)
		for d := range draws {
			for copies, x := range lostURLs(l, members, most, part, i*draws+d) {
				lost[copies] = append(lost[copies], 100*x)
			}
			l.Step(float64(i*draws+d) / float64(len(parts)*draws))
		}
		line := fmt.Sprintf("%.0f %%", 100*part)
		last = nil
		for copies := range most {
			mean := rtt.Mean(lost[copies])
			last = append(last, mean)
			line += fmt.Sprintf(" | %.2f", mean)
			f.Curves[copies].X, f.Curves[copies].Y = append(f.Curves[copies].X, 100*part),
				append(f.Curves[copies].Y, mean)
		}
		t = append(t, line)
	}
	return lab.Result{
		Ours: fmt.Sprintf("with 30 %% lost: %.3g %% of the URLs with one copy, %.3g %% with two, **%.2g %% with "+
			"three, as Forage has**; %.0f, %.0f and %.0f bytes a known "+
			"URL", last[0], last[1], last[2], perURL, 2*perURL, 3*perURL),
		Notes: []string{"Copies are where the lines of p2p/ring are, of members of one unit in networks of their " +
			"own. Bytes are those of items of crawl/frontier, after a crawl of a made-up web without titles; " +
			"indexes are not sent. " +
			"A URL that is lost is found again by the links to it, as far as their pages are visited again."},
		Tables:  []lab.Table{t},
		Figures: []draw.Figure{f},
	}, nil
}

// lostURLs loses members by chance and returns, for 1 to most copies, which part of the key space has none left.
func lostURLs(l *lab.Lab, members, most int, part float64, draw int) []float64 {
	rng := l.Random("E14", draw)
	var on []ring.Member
	for i := range members {
		on = append(on, ring.Member{ID: fmt.Sprintf("member %d of %d", i, draw), Units: 1})
	}
	r := ring.New(on)
	gone := make(map[string]bool)
	for _, i := range rng.Perm(members)[:int(part*float64(members)+0.5)] {
		gone[on[i].ID] = true
	}
	lost := make([]float64, most)
	for _, m := range on {
		line := r.Group(ring.Unit{Member: m.ID}, most)
		for copies := range most {
			if !slices.ContainsFunc(line[:copies+1], func(id string) bool { return !gone[id] }) {
				lost[copies] += r.Share(m.ID)
			}
		}
	}
	return lost
}

// itemBytes crawls a small web and returns how many bytes of items there are for each URL.
func itemBytes(l *lab.Lab) (float64, error) {
	w := web.Generate(l.Size(100, 10), l.Size(3000, 200), nil, l.Random("E14 web", 0))
	_, stored, err := frontierOrder(w)
	return float64(stored.Bytes) / float64(max(1, w.Pages())), err
}
