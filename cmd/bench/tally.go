package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// tally counts what the web was asked for. It is safe for concurrent use.
type tally struct {
	mu          sync.Mutex
	requests    int
	statuses    map[string][]int // by URL, in the order of the answers
	first, last time.Time        // of the first request and the last answer
}

func newTally() *tally { return &tally{statuses: make(map[string][]int)} }

func (t *tally) add(h demo.Hit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	t.statuses[h.URL] = append(t.statuses[h.URL], h.Status)
	if t.first.IsZero() || h.Start.Before(t.first) {
		t.first = h.Start
	}
	if h.End.After(t.last) {
		t.last = h.End
	}
}

// verdict is what the server's log says of a crawl.
type verdict struct {
	pages    int       // expected ones that were answered with 200
	requests int       // of any kind, failures and robots.txt included
	first    time.Time // when the first request came
	span     time.Duration
	wrongs   []string // one for every URL that was treated wrongly
}

// judge compares what was asked for with what a right crawler asks for. So many pages may be got once more: nodes of a
// swarm check each other.
func (t *tally) judge(expected, forbidden []string, checks int64) verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := verdict{requests: t.requests, first: t.first, span: t.last.Sub(t.first)}
	for _, u := range expected {
		statuses := t.statuses[u]
		if slices.Contains(statuses, 200) {
			v.pages++
		}
		switch {
		case onceRight(statuses):
		case len(statuses) == 2 && statuses[0] == 200 && statuses[1] == 200 && checks > 0:
			checks--
		default:
			v.wrongs = append(v.wrongs, fmt.Sprintf("%s was answered %v, want it fetched once", u, statuses))
		}
	}
	for _, u := range forbidden {
		if statuses := t.statuses[u]; statuses != nil {
			v.wrongs = append(v.wrongs, fmt.Sprintf("%s was requested and must not be", u))
		}
	}
	for u := range t.statuses {
		if notPage(u) {
			v.wrongs = append(v.wrongs, fmt.Sprintf("%s was requested and is no page", u))
		}
	}
	return v
}

// onceRight reports whether a page was got with one request. Two pages of the
// web answer the first request with an error of the server, and are to be asked for again.
func onceRight(statuses []int) bool {
	if len(statuses) == 2 && statuses[0] >= 500 {
		statuses = statuses[1:]
	}
	return len(statuses) == 1 && statuses[0] == 200
}

// notPage reports whether a URL is that of an image or a style sheet.
func notPage(rawURL string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && (strings.HasPrefix(u.Path, "/img/") || strings.HasPrefix(u.Path, "/style"))
}
