package web

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func TestGenerate_EveryPageIsReached(t *testing.T) {
	w := Generate(50, 2000, nil, newRand())
	seen := make([]bool, w.Pages())
	for h := range w.Hosts {
		open := []int32{w.First[h]}
		seen[w.First[h]] = true
		for len(open) > 0 {
			p := open[0]
			open = open[1:]
			for _, to := range w.Links(p) {
				if !seen[to] && int(w.Host[to]) == h {
					seen[to] = true
					open = append(open, to)
				}
			}
		}
	}
	if slices.Contains(seen, false) {
		t.Error("a page cannot be reached from the home page of its host")
	}
	if w.Pages() < 1500 || w.Pages() > 2100 {
		t.Errorf("%d pages, want about 2,000", w.Pages())
	}
}

// The made-up web has the properties that its description names.
func TestGenerate_IsLikeAWeb(t *testing.T) {
	w := Generate(500, 20_000, nil, newRand())
	own, all := 0, 0
	for p := range int32(w.Pages()) {
		for _, to := range w.Links(p) {
			all++
			if w.Host[to] == w.Host[p] {
				own++
			}
		}
	}
	if part := float64(own) / float64(all); part < 0.74 || part > 0.82 {
		t.Errorf("%.2f of the links stay on their host, want 0.75 to 0.8", part)
	}
	if per := float64(all) / float64(w.Pages()); per < 7 || per > 10 {
		t.Errorf("%.1f links a page, want about 8", per)
	}
	degrees := w.Degrees()
	slices.Sort(degrees)
	if top, middle := degrees[len(degrees)-1], degrees[len(degrees)/2]; top < 20*middle {
		t.Errorf("the most linked page has %d links, the middle one %d: no power law", top, middle)
	}
}

func TestReadGraph_LinksFollowEdges(t *testing.T) {
	g, err := ReadGraph(strings.NewReader("0\ta\n1\tb\n2\tc\n"), strings.NewReader("0\t2\n1\t2\n2\t1\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := Generate(3, 300, g, newRand()) // c has the most incoming edges, so it is host 0; b is 1, a is 2
	if size := func(h int) int32 { return w.First[h+1] - w.First[h] }; size(0) <= size(1) || size(1) <= size(2) {
		t.Errorf("hosts have %d, %d and %d pages, want most for the most linked", size(0), size(1), size(2))
	}
	for p := range int32(w.Pages()) {
		for _, to := range w.Links(p) {
			if w.Host[p] == 1 && w.Host[to] == 2 || w.Host[p] == 2 && w.Host[to] == 1 || w.Host[p] == 0 &&
				w.Host[to] == 2 {
				t.Fatalf("host %d links to %d, which is no edge", w.Host[p], w.Host[to])
			}
		}
	}
}

func FuzzReadGraph(f *testing.F) {
	f.Add("0\ta\n1\tb\n", "0\t1\n1 0\n")
	f.Fuzz(func(t *testing.T, vertices, edges string) {
		g, err := ReadGraph(strings.NewReader(vertices), strings.NewReader(edges))
		if err != nil {
			return
		}
		for h := range int32(g.Hosts()) {
			for _, to := range g.edges(h) {
				if to < 0 || int(to) >= g.Hosts() {
					t.Fatalf("edge to %d of %d", to, g.Hosts())
				}
			}
		}
	})
}
