package nearness

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
)

// E12 asks what it costs that nobody gets more than its share: thesis §8.5, balance.
var E12 = lab.Experiment{
	ID: "E12", Paper: "Thesis §8.5: balance", Trips: true, Cost: 12,
	Setup: "12 crawlers of equal capacity, none above 1.25 × its share; summed round trips ÷ those of a min-cost " +
		"flow with the same bound",
	Said: "–",
	Run:  runE12,
}

// rounds is how often each site is lent in an experiment: after the first ones nothing changes any more.
const rounds = 60

func runE12(l *lab.Lab) (lab.Result, error) {
	const crawlers = 12
	s := l.Over("E12", crawlers, func(c lab.Choice) []float64 {
		cost := func(crawler, i int) float64 { return c.Probe(c.Sites[i])(crawler) }
		free := 0.0
		for _, site := range c.Sites {
			free += c.Best(site).Trip
		}
		// One more than the bound rounds to, so that the flow is as free as ours or freer.
		most := int(near.Most*float64(len(c.Sites))/crawlers) + 1
		optimum := rival.MinCost(crawlers, len(c.Sites), most, cost)
		fair := float64(len(c.Sites)) / crawlers
		known, fullest := byShares(c)
		tried, fullestTried := byBook(c)
		asFull := rival.MinCost(crawlers, len(c.Sites), int(fullest), cost)
		return []float64{known / optimum, tried / optimum, optimum / free, max(fullest, fullestTried) / fair,
			known / asFull}
	})
	return lab.Result{
		Ours: fmt.Sprintf("%s × the optimum if round trips are known (%s × that of a flow that fills nobody more "+
			"than ours does), %s after guided tries; the fullest has %s × its share; the bound costs %s × the "+
			"unbound optimum", s[0], s[4], s[1], s[3], s[2]),
		Marks: []lab.Mark{
			{Name: "total ÷ optimum, round trips known", Got: s[0].Median, High: 1.1,
				Because: "each site is lent by itself, so two that would be nearer with each other's fetcher are " +
					"not exchanged; and a fetcher gets a site only while it has less than 1.1 × its share"},
			// of 12 crawlers and 239 sites, rounding up is 0.05
			lab.AtMost("fullest ÷ share", s[3].High, near.Most+0.1),
		},
		Notes: []string{"Ours lends each site five times, in random order: to the nearest crawler that the shares " +
			"of crawl/near allow, if all round trips are known; " +
			"and as the product's leader does, whose book knows what three guided tries at most have measured. The " +
			"optimum is computed with successive shortest paths."},
	}, nil
}

// byShares lends sites, each to the nearest crawler that may have it, else to the one that has least, and returns the
// summed round trips and how many sites the fullest crawler has.
func byShares(c lab.Choice) (sum, fullest float64) {
	var shares near.Shares
	has := make([]int, len(c.Sites))
	for range rounds {
		for _, i := range c.Rng.Perm(len(c.Sites)) {
			d := crawl.Domain(fmt.Sprintf("site%d.example", i))
			order := c.ByDistance(c.Sites[i])
			has[i] = slices.MinFunc(order, func(a,
				b int) int {
				return cmp.Compare(shares.Count(peer(a)), shares.Count(peer(b)))
			})
			for _, crawler := range order {
				if shares.May(peer(crawler), d, 1/float64(len(c.Crawlers))) {
					has[i] = crawler
					break
				}
			}
			shares.Give(d, peer(has[i]))
		}
	}
	return total(c, has)
}

// byBook is byShares by the product's leader.
func byBook(c lab.Choice) (sum, fullest float64) {
	o, has := newOwner(NewFetchers(c)), make([]int, len(c.Sites))
	for range rounds {
		for _, i := range c.Rng.Perm(len(c.Sites)) {
			has[i] = o.lend(fmt.Sprintf("site%d.example", i), c.Probe(c.Sites[i]))
		}
		o.now = o.now.Add(time.Minute)
	}
	return total(c, has)
}

// total sums the round trips of who has each site, and counts the sites of the fullest crawler.
func total(c lab.Choice, has []int) (sum, fullest float64) {
	count := make([]float64, len(c.Crawlers))
	for i, crawler := range has {
		sum += c.Probe(c.Sites[i])(crawler)
		count[crawler]++
	}
	return sum, slices.Max(count)
}
