package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rtt"
)

// e17 asks what a search by words costs in a swarm: an index parted by words whose lists are joined, against one by
// pairs of words.
var e17 = lab.Experiment{
	ID: "E17", Paper: "Apoidea: an inverted index on top", Cost: 5,
	Setup: "made-up pages with words by Zipf's law; queries of two words of one page; lists joined between nodes " +
		"against lists of pairs",
	Said: "–",
	Run:  runE17,
}

const (
	// wordsAPage, vocabulary and keywords are assumptions: 200 words a page of 50,000, and the 20 rarest as keywords.
	wordsAPage, vocabulary, keywords = 200, 50_000, 20
	// postingBytes is a page and its rank in a list, answerBytes what goes to a node and back for any question.
	postingBytes, answerBytes = 8, 100
	// shown is how many results are wanted, and askedAll how many members are asked where pages stay where they are:
	// assumptions.
	shown, askedAll = 20, 60
)

func runE17(l *lab.Lab) (lab.Result, error) {
	sizes := []int{l.Size(1000, 100), l.Size(5000, 200), l.Size(20_000, 400), l.Size(50_000, 800)}
	t := lab.Table{"pages | join: B a query | pairs: B a query | asking 60 members: B a query | join: index, B a " +
		"page | pairs: index, B a page"}
	f := draw.Figure{File: "apoidea-index", Title: "Bytes of a query", X: "pages", Y: "bytes", Log: true,
		Curves: []draw.Curve{{Name: "join"}, {Name: "pairs"}, {Name: "all members"}}}
	ours := ""
	for i, pages := range sizes {
		c := newCorpus(l, pages, i)
		var join, pair []float64
		for range l.Size(2000, 100) {
			a, b := c.query()
			both := len(intersect(c.lists[a], c.lists[b]))
			join = append(join, answerBytes+postingBytes*float64(min(len(c.lists[a]), len(c.lists[b]))+min(both,
				shown)))
			pair = append(pair, answerBytes+postingBytes*float64(min(both, shown)))
		}
		all := float64(askedAll * (answerBytes + postingBytes*shown))
		perPage := float64(c.postings) / float64(pages) * postingBytes
		perPair := postingBytes * float64(keywords*(keywords-1)/2)
		t = append(t, fmt.Sprintf("%d | %.0f | %.0f | %.0f | %.0f | %.0f", pages, rtt.Mean(join), rtt.Mean(pair),
			all, perPage, perPair))
		for k, y := range []float64{rtt.Mean(join), rtt.Mean(pair), all} {
			f.Curves[k].X, f.Curves[k].Y = append(f.Curves[k].X, float64(pages)), append(f.Curves[k].Y, y)
		}
		ours = fmt.Sprintf("%d pages: a query takes %.0f B by joins, growing with the pages, and %.0f B by pairs; "+
			"the index has %.0f B a page by words and %.0f B by "+
			"pairs", pages, rtt.Mean(join), rtt.Mean(pair), perPage, perPair)
		l.Step(float64(i+1) / float64(len(sizes)))
	}
	return lab.Result{
		Ours: ours,
		Notes: []string{fmt.Sprintf("Assumed: %d words a page of %d by Zipf's law; the %d rarest words of a page "+
			"are its keywords; a posting has %d bytes. Only pairs of keywords are in the index of pairs, so it "+
			"answers fewer queries. "+
			"Asking %d members, each with an index of its own pages, takes the same whatever the number of pages. "+
			"Forage's search looks at a node's own pages "+
			"alone.", wordsAPage, vocabulary, keywords, postingBytes, askedAll)},
		Tables: []lab.Table{t}, Figures: []draw.Figure{f},
	}, nil
}

// corpus has the pages of each word.
type corpus struct {
	lists    map[int][]int32
	pages    [][]int // keywords of each page
	postings int
	pick     func(n int) int
}

func newCorpus(l *lab.Lab, pages, i int) *corpus {
	rng := l.Random("E17", i)
	c := &corpus{lists: make(map[int][]int32), pick: rng.IntN}
	for p := range int32(pages) {
		seen := make(map[int]bool)
		for range wordsAPage {
			w := int(math.Exp(rng.Float64() * math.Log(vocabulary))) // Zipf's law with exponent 1
			if !seen[w] {
				seen[w] = true
				c.lists[w] = append(c.lists[w], p)
				c.postings++
			}
		}
		c.pages = append(c.pages, rarest(seen))
	}
	return c
}

// query draws two keywords of one page.
func (c *corpus) query() (a, b int) {
	words := c.pages[c.pick(len(c.pages))]
	i := c.pick(len(words))
	return words[i], words[(i+1+c.pick(len(words)-1))%len(words)]
}

// rarest returns the keywords among some words: those of the highest rank.
func rarest(words map[int]bool) []int {
	list := slices.Sorted(maps.Keys(words))
	return list[max(0, len(list)-keywords):]
}

// intersect returns what two sorted lists have in common.
func intersect(a, b []int32) (both []int32) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			both = append(both, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return both
}
