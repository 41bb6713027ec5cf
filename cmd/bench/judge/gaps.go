package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// gaps checks how long the web's domains were left alone: for each request the
// time from the end of the domain's requests before it to its own start,
// whichever host of the domain was asked and whoever asked.
type gaps struct {
	asked     time.Duration // of every domain; below 0 the crawl delays count instead
	tolerance time.Duration
	domains   map[string]*rest
	all       []time.Duration
	short     []string // those that were too short, in words

	smallest   time.Duration
	smallestAt string
}

// rest is what is known of a domain at a point of the log. Times are Unix
// times in seconds.
type rest struct {
	busy float64 // until when it had requests
	owed float64 // until when it is to be left alone
	last hit     // the one that kept it busy last
}

// domainOf returns the registrable domain of a host, or the host if it has none.
func domainOf(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(strings.TrimSuffix(host, "."))
	if err != nil {
		return host
	}
	return domain
}

// add takes the next request of the log, in the order of their starts; delay is
// what its host asks for.
func (g *gaps) add(h hit, delay time.Duration) {
	domain := domainOf(h.host)
	r := g.domains[domain]
	if r == nil {
		r = &rest{busy: h.end, last: h}
		g.domains[domain] = r
	} else {
		g.measure(domain, r, h)
		if h.end >= r.busy {
			r.busy, r.last = h.end, h
		}
	}
	wants := g.asked
	if wants < 0 {
		wants = delay
	}
	r.owed = max(r.owed, h.end+wants.Seconds())
}

func (g *gaps) measure(domain string, r *rest, h hit) {
	gap := seconds(h.start - r.busy)
	g.all = append(g.all, gap)
	if g.smallestAt == "" || gap < g.smallest {
		g.smallest, g.smallestAt = gap, fmt.Sprintf("http://%s%s at %.3f", h.host, h.target, h.start)
	}
	// Where nothing was asked for, requests may even overlap.
	if (g.asked >= 0 || r.owed > r.busy) && h.start < r.owed-g.tolerance.Seconds() {
		g.short = append(g.short, fmt.Sprintf("%s: %s of %s between http://%s%s (%s) and http://%s%s (%s) at %.3f",
			domain, gap, seconds(r.owed-r.busy), r.last.host, r.last.target, r.last.client, h.host, h.target,
			h.client, h.start))
	}
}

// seconds rounds to what a log tells.
func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Microsecond)
}

// median returns the middle one of all gaps, 0 if there are none.
func (g *gaps) median() time.Duration {
	if len(g.all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(g.all))
	return sorted[len(sorted)/2]
}
