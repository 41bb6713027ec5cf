package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// verdict is how a crawl compares with the truth.
type verdict struct {
	reachable, fetched int
	missing            []string
	twice              []string // pages fetched more than once, with how often
	twiceAllowed       bool
	forbidden          []string // requests that robots.txt forbids
	beyond             []string // allowed pages that no link leads to
	unrobotted         []string // hosts asked for a page before their robots.txt
	robots             map[string]int
	requests, nonHTML  int
	gap, smallest      time.Duration
	smallestAt         string // "" if no host had two requests
}

// compare judges the hits on the hosts that are judged.
func compare(w web, t truth, hits []hit, judged func(host string) bool, gap time.Duration, again bool) verdict {
	v := verdict{robots: make(map[string]int), twiceAllowed: again, gap: gap}
	fetches := make(map[pageKey]int)
	last := make(map[string]float64)
	late := make(map[string]bool)
	for _, h := range hits {
		s := w.sites[h.host]
		if s == nil || !judged(h.host) {
			continue
		}
		v.requests++
		v.measureGap(h, last)
		if h.target == "/robots.txt" {
			v.robots[h.host]++
			continue
		}
		if v.robots[h.host] == 0 && !late[h.host] {
			late[h.host] = true
			v.unrobotted = append(v.unrobotted, fmt.Sprintf("%s: %s", h.host, h.target))
		}
		if !s.robots.allows(h.target) {
			v.forbidden = append(v.forbidden, fmt.Sprintf("http://%s%s (%d)", h.host, h.target, h.status))
		}
		// A 304 has no type; it is the page it was.
		if !h.isHTML() && h.status != 304 {
			v.nonHTML++
		}
		if h.method == "GET" && (h.status == 200 && h.isHTML() || again && h.status == 304) {
			fetches[keyOf(h.host, h.target)]++
		}
	}
	v.comparePages(t, fetches, judged)
	return v
}

// measureGap keeps the smallest time between the ends of two requests to a
// host. The log has no beginnings; on loopback a request lasts less than the
// slack.
func (v *verdict) measureGap(h hit, last map[string]float64) {
	before, ok := last[h.host]
	last[h.host] = h.end
	if !ok {
		return
	}
	gap := time.Duration((h.end - before) * float64(time.Second)).Round(time.Millisecond)
	if v.smallestAt == "" || gap < v.smallest {
		v.smallest, v.smallestAt = gap, fmt.Sprintf("http://%s%s at %.3f", h.host, h.target, h.end)
	}
}

func (v *verdict) comparePages(t truth, fetches map[pageKey]int, judged func(host string) bool) {
	for key := range t.pages {
		if !judged(key.host) {
			continue
		}
		v.reachable++
		if fetches[key] == 0 {
			v.missing = append(v.missing, key.String())
		}
	}
	for key, n := range fetches {
		v.fetched++
		if n > 1 {
			v.twice = append(v.twice, fmt.Sprintf("%s (%d times)", key, n))
		}
		if !t.pages[key] && !t.barred[key] {
			v.beyond = append(v.beyond, key.String())
		}
	}
	slices.Sort(v.missing)
	slices.Sort(v.twice)
	slices.Sort(v.beyond)
}

// slack is allowed for a gap: the log rounds times and has only the ends of
// requests.
const slack = 5 * time.Millisecond

// right reports whether nothing is to be complained of.
func (v verdict) right() bool {
	return len(v.missing) == 0 && (v.twiceAllowed || len(v.twice) == 0) && len(v.forbidden) == 0 &&
		len(v.unrobotted) == 0 && v.gapHolds()
}

func (v verdict) gapHolds() bool {
	return v.gap == 0 || v.smallestAt == "" || v.smallest >= v.gap-slack
}

// report writes the verdict in lines of a name and a value, and returns
// whether the crawl was right.
func (v verdict) report(out io.Writer) bool {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-22s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("pages reachable", "%d", v.reachable)
	line("pages fetched", "%d", v.fetched)
	list(out, "pages missing", v.missing)
	list(out, "fetched twice", v.twice)
	list(out, "forbidden requests", v.forbidden)
	list(out, "beyond the links", v.beyond)
	list(out, "before robots.txt", v.unrobotted)
	total := 0
	for _, host := range slices.SortedFunc(maps.Keys(v.robots), func(a, b string) int {
		return cmp.Or(v.robots[b]-v.robots[a], cmp.Compare(a, b))
	}) {
		line("robots.txt", "%s %d", host, v.robots[host])
		total += v.robots[host]
	}
	line("requests", "%d, of them %d robots.txt and %s not HTML", v.requests, total, percent(v.nonHTML, v.requests))
	if v.smallestAt != "" {
		line("smallest gap", "%s (%s)", v.smallest, v.smallestAt)
	}
	if !v.gapHolds() {
		line("gap asked for", "%s: not kept", v.gap)
	}
	if !v.right() {
		line("verdict", "wrong")
		return false
	}
	line("verdict", "right")
	return true
}

// shown is how many lines of a list are written.
const shown = 10

func list(out io.Writer, name string, lines []string) {
	fmt.Fprintf(out, "%-22s %d\n", name, len(lines))
	for _, l := range lines[:min(shown, len(lines))] {
		fmt.Fprintf(out, "  %s\n", l)
	}
	if more := len(lines) - shown; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

func percent(n, of int) string {
	if of == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}
