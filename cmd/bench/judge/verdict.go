package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// question is what a crawl is asked about.
type question struct {
	judged    func(host string) bool
	gap       time.Duration // below 0 if crawl delays count instead
	tolerance time.Duration
	again     bool // pages may be fetched more than once
}

// verdict is how a crawl compares with the truth.
type verdict struct {
	Expected  int `json:"expected"`
	Fetched   int `json:"fetched"` // of the expected ones
	Overlap   int `json:"overlap"` // answers that were had before
	Requests  int `json:"requests"`
	NotHTML   int `json:"not_html"`
	Domains   int `json:"domains"`    // that had requests
	RobotsTxt int `json:"robots_txt"` // requests for one
	// Hosts is how many of them were asked for their robots.txt.
	Hosts int `json:"robots_txt_hosts"`
	// Most is how often the one was that was asked most.
	Most int `json:"robots_txt_most"`

	Missing    []string `json:"missing"`
	Twice      []string `json:"twice"`         // URLs answered more than once, with how often
	Forbidden  []string `json:"forbidden"`     // requests that robots.txt forbids
	Unnamed    []string `json:"unnamed"`       // requests to which nothing leads
	Beyond     []string `json:"beyond"`        // pages fetched that are optional, or that a sitemap alone leads to
	Unrobotted []string `json:"before_robots"` // hosts asked for a page before their robots.txt

	Gaps       int      `json:"gaps"`
	GapAsked   *float64 `json:"gap_asked_s"` // null if crawl delays count
	Smallest   float64  `json:"gap_smallest_s"`
	SmallestAt string   `json:"gap_smallest_at"` // "" if no domain had two requests
	Median     float64  `json:"gap_median_s"`
	Short      []string `json:"gaps_short"`

	Seconds float64 `json:"seconds"` // from the first request to the last answer
	Right   bool    `json:"right"`

	againAllowed bool
}

// compare judges the hits on the hosts that are judged, in the order in which
// they began.
func compare(l law, t truth, hits []hit, q question) verdict {
	v := verdict{againAllowed: q.again}
	for _, list := range []*[]string{&v.Missing, &v.Twice, &v.Forbidden, &v.Unnamed, &v.Beyond, &v.Unrobotted} {
		*list = []string{} // in JSON a list, also an empty one
	}
	g := gaps{asked: q.gap, tolerance: q.tolerance, domains: make(map[string]*rest)}
	robots := make(map[string]int)
	answers, pages := make(map[pageKey]int), make(map[pageKey]bool)
	late := make(map[string]bool)
	first, last := math.Inf(1), math.Inf(-1)
	for _, h := range hits {
		if !l.knows(h.host) || !q.judged(h.host) {
			continue
		}
		v.Requests++
		first, last = min(first, h.start), max(last, h.end)
		g.add(h, l.delay(h.host))
		if l.isRobots(h.host, h.target) {
			robots[h.host]++
			continue
		}
		if robots[h.host] == 0 && !late[h.host] {
			late[h.host] = true
			v.Unrobotted = append(v.Unrobotted, fmt.Sprintf("%s: %s", h.host, h.target))
		}
		v.weigh(l, h)
		if key := keyOf(h.host, h.target); h.isFinal() {
			answers[key]++
			pages[key] = pages[key] || h.isPage(q.again)
		}
	}
	v.countRobots(robots)
	v.comparePages(t, answers, pages, q.judged)
	v.takeGaps(&g)
	if v.Requests > 0 {
		v.Seconds = last - first
	}
	v.Right = len(v.Missing) == 0 && (q.again || v.Overlap == 0) && len(v.Forbidden) == 0 && len(v.Unnamed) == 0 &&
		len(v.Unrobotted) == 0 && len(v.Short) == 0
	return v
}

// isFinal reports whether nobody need ask again for what was answered.
func (h hit) isFinal() bool {
	return h.method == "GET" && (h.status/100 == 2 || h.status/100 == 3 || h.status == 404 || h.status == 410)
}

// isPage reports whether the answer was an HTML page, or with again that it is
// the page it was.
func (h hit) isPage(again bool) bool {
	return h.status == 200 && h.isHTML() || again && h.status == 304
}

// weigh looks at one request alone.
func (v *verdict) weigh(l law, h hit) {
	url := fmt.Sprintf("http://%s%s (%d)", h.host, h.target, h.status)
	switch {
	case l.forbids(h.host, h.target):
		v.Forbidden = append(v.Forbidden, url)
	case !l.names(h.host, h.target):
		v.Unnamed = append(v.Unnamed, url)
	}
	// A 304 has no type; it is the page it was.
	if !h.isHTML() && h.status != 304 {
		v.NotHTML++
	}
}

func (v *verdict) countRobots(robots map[string]int) {
	v.Hosts = len(robots)
	for _, n := range robots {
		v.RobotsTxt += n
		v.Most = max(v.Most, n)
	}
}

func (v *verdict) comparePages(
	t truth, answers map[pageKey]int, pages map[pageKey]bool, judged func(host string) bool,
) {
	for key := range t.pages {
		if !judged(key.host) {
			continue
		}
		v.Expected++
		if pages[key] {
			v.Fetched++
		} else {
			v.Missing = append(v.Missing, key.String())
		}
	}
	for key, n := range answers {
		if n > 1 {
			v.Overlap += n - 1
			v.Twice = append(v.Twice, fmt.Sprintf("%s (%d times)", key, n))
		}
		if pages[key] && !t.pages[key] && !t.barred[key] {
			v.Beyond = append(v.Beyond, key.String())
		}
	}
	slices.Sort(v.Missing)
	slices.Sort(v.Twice)
	slices.Sort(v.Beyond)
}

func (v *verdict) takeGaps(g *gaps) {
	v.Domains, v.Gaps, v.Short = len(g.domains), len(g.all), append([]string{}, g.short...)
	v.Smallest, v.SmallestAt, v.Median = g.smallest.Seconds(), g.smallestAt, g.median().Seconds()
	if g.asked >= 0 {
		asked := g.asked.Seconds()
		v.GapAsked = &asked
	}
}
