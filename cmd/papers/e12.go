package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
)

// e12 asks what it costs that nobody gets more than its share: thesis §8.5, balance.
var e12 = experiment{
	id: "E12", paper: "Thesis §8.5: balance", trips: true, cost: 20,
	setup: "12 crawlers of equal capacity, none above 1.25 × its share; summed round trips ÷ those of a min-cost flow with the same bound",
	said:  "–",
	run:   runE12,
}

// rounds is how often each site is lent in an experiment: after the first ones nothing changes any more.
const rounds = 60

func runE12(l *lab) (result, error) {
	const crawlers = 12
	s := l.over("E12", crawlers, func(c choice) []float64 {
		cost := func(crawler, i int) float64 { return c.probe(c.sites[i])(crawler) }
		free := 0.0
		for _, site := range c.sites {
			free += c.best(site).Trip
		}
		// One more than the bound rounds to, so that the flow is as free as ours or freer.
		most := int(near.Most*float64(len(c.sites))/crawlers) + 1
		optimum := rival.MinCost(crawlers, len(c.sites), most, cost)
		fair := float64(len(c.sites)) / crawlers
		known, fullest := c.byShares()
		tried, fullestTried := c.byBook()
		asFull := rival.MinCost(crawlers, len(c.sites), int(fullest), cost)
		return []float64{known / optimum, tried / optimum, optimum / free, max(fullest, fullestTried) / fair, known / asFull}
	})
	return result{
		ours: fmt.Sprintf("%s × the optimum if round trips are known (%s × that of a flow that fills nobody more than ours does), %s after guided tries; the fullest has %s × its share; the bound costs %s × the unbound optimum", s[0], s[4], s[1], s[3], s[2]),
		marks: []mark{
			{name: "total ÷ optimum, round trips known", got: s[0].median, high: 1.1,
				because: "each site is lent by itself, so two that would be nearer with each other's fetcher are not exchanged; and a fetcher gets a site only while it has less than 1.1 × its share"},
			atMost("fullest ÷ share", s[3].high, near.Most+0.1), // of 12 crawlers and 239 sites, rounding up is 0.05
		},
		notes: []string{"Ours lends each site five times, in random order: to the nearest crawler that the shares of crawl/near allow, if all round trips are known; " +
			"and as the product's leader does, whose book knows what three guided tries at most have measured. The optimum is computed with successive shortest paths."},
	}, nil
}

// byShares lends sites, each to the nearest crawler that may have it, else to the one that has least, and returns the summed round trips and how many sites the
// fullest crawler has.
func (c choice) byShares() (sum, fullest float64) {
	var shares near.Shares
	has := make([]int, len(c.sites))
	for range rounds {
		for _, i := range c.rng.Perm(len(c.sites)) {
			d := crawl.Domain(fmt.Sprintf("site%d.example", i))
			order := c.byDistance(c.sites[i])
			has[i] = slices.MinFunc(order, func(a, b int) int { return cmp.Compare(shares.Count(peer(a)), shares.Count(peer(b))) })
			for _, crawler := range order {
				if shares.May(peer(crawler), d, 1/float64(len(c.crawlers))) {
					has[i] = crawler
					break
				}
			}
			shares.Give(d, peer(has[i]))
		}
	}
	return c.total(has)
}

// byBook is byShares by the product's leader.
func (c choice) byBook() (sum, fullest float64) {
	o, has := newOwner(newFetchers(c)), make([]int, len(c.sites))
	for range rounds {
		for _, i := range c.rng.Perm(len(c.sites)) {
			has[i] = o.lend(fmt.Sprintf("site%d.example", i), c.probe(c.sites[i]))
		}
		o.now = o.now.Add(time.Minute)
	}
	return c.total(has)
}

// total sums the round trips of who has each site, and counts the sites of the fullest crawler.
func (c choice) total(has []int) (sum, fullest float64) {
	count := make([]float64, len(c.crawlers))
	for i, crawler := range has {
		sum += c.probe(c.sites[i])(crawler)
		count[crawler]++
	}
	return sum, slices.Max(count)
}
