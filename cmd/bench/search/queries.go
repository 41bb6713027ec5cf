package main

import (
	"math/rand/v2"
	"strings"

	"github.com/forage-net/forage/crawl/words"
)

const (
	leastWords = 5
	leastTitle = 2
	mostWords  = 10
)

// makeQueries makes queries that exactly one page answers best.
func makeQueries(pages []*page, most int) (list []query) {
	titles := make(map[string]int)    // how many pages have a title
	sentences := make(map[string]int) // how many pages say a sentence
	texts := make(map[string]int)
	whole := make([]string, 0, len(pages)) // what pages say, folded
	for _, p := range pages {
		titles[folded(p.Title, 200)]++
		texts[p.Text]++
		whole = append(whole, folded(p.Text, 1<<20))
		seen := make(map[string]bool)
		for _, s := range p.said {
			for _, q := range sentencesOf(s) {
				if !seen[q] {
					seen[q] = true
					sentences[q]++
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	kinds := map[string]int{}
	for _, i := range r.Perm(len(pages)) {
		p := pages[i]
		if texts[p.Text] > 1 {
			continue
		}
		if t := folded(p.Title, 200); titles[t] == 1 && len(strings.Fields(t)) >= leastTitle && kinds["title"] < most {
			kinds["title"]++
			list = append(list, query{"title", typed(p.Title), p.URL})
		}
		if kinds["sentence"] == most {
			continue
		}
		for _, j := range r.Perm(len(p.said)) {
			if q := oneOf(sentencesOf(p.said[j]), sentences); q != "" && onOne(whole, folded(q, 200)) {
				kinds["sentence"]++
				list = append(list, query{"sentence", q, p.URL})
				break
			}
		}
	}
	return list
}

// oneOf returns a sentence that one page says.
func oneOf(list []string, pages map[string]int) string {
	for _, s := range list {
		if pages[s] == 1 {
			return s
		}
	}
	return ""
}

// sentencesOf returns the words of the sentences of a paragraph that are long enough, cut where they are too long.
func sentencesOf(paragraph string) (list []string) {
	for s := range strings.SplitSeq(paragraph, ". ") {
		w := strings.Fields(typed(s))
		if len(w) >= leastWords {
			list = append(list, strings.Join(w[:min(len(w), mostWords)], " "))
		}
	}
	return list
}

// folded returns the words of a text alone, at most so many.
func folded(text string, most int) string {
	var list []string
	words.Split(text, func(_, _ int, w []byte) bool {
		list = append(list, string(w))
		return len(list) < most
	})
	return strings.Join(list, " ")
}

// typed returns a text without what would be more than words in a query.
func typed(text string) string {
	text = strings.Map(func(r rune) rune {
		switch r {
		case '"', ':', '-':
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// onOne reports whether a text stands on one page only, also in the midst of a longer sentence.
func onOne(whole []string, text string) bool {
	n := 0
	for _, w := range whole {
		if strings.Contains(w, text) {
			n++
		}
	}
	return n == 1
}
