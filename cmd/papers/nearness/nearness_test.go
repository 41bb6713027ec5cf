package nearness

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/crawl/near"
)

// some is a choice of crawlers among generated nodes.
func some(crawlers int, seed uint64) lab.Choice {
	rng := rand.New(rand.NewPCG(seed, 3))
	trips := rtt.Generate(200, seed)
	nodes := rng.Perm(trips.Len())
	return lab.Choice{Trips: trips, Rng: rng, Crawlers: nodes[:crawlers], Sites: nodes[crawlers:]}
}

// The guided choice keeps to its tries, and finds nearer crawlers with them than chance does.
func TestFetchers_GuidedIsNearerThanChance(t *testing.T) {
	for seed := range uint64(5) {
		c := some(30, seed)
		f := NewFetchers(c)
		var guided, chance []float64
		for _, site := range c.Sites {
			g := f.Guided(site, near.Usual(), 30)
			if g.Probes < 1 || g.Probes > near.Tries || g.Trip != c.Probe(site)(g.Crawler) ||
				g.Trip < c.Best(site).Trip {
				t.Fatalf("got %+v", g)
			}
			guided, chance = append(guided, g.Trip), append(chance, rival.BestOf(3, 30, c.Probe(site), c.Rng).Trip)
		}
		if a, b := rtt.Median(guided), rtt.Median(chance); a > 0.8*b {
			t.Errorf("seed %d: the guided choice is at %.1f ms, the best of three by chance at %.1f", seed, a, b)
		}
	}
}

// With coordinates that say nothing the guided choice is no better than chance: what it finds it finds by them.
func TestFetchers_GuidedNeedsCoordinates(t *testing.T) {
	c := some(30, 1)
	f, blind := NewFetchers(c), NewFetchers(c)
	for i := range blind.all {
		blind.all[i].At = near.Coordinate{}
	}
	var seeing, blinded []float64
	for _, site := range c.Sites {
		seeing, blinded = append(seeing, f.Guided(site, near.Usual(), 30).Trip),
			append(blinded, blind.Guided(site, near.Usual(), 30).Trip)
	}
	if a, b := rtt.Median(seeing), rtt.Median(blinded); a > 0.8*b {
		t.Errorf("%.1f ms with coordinates, %.1f without", a, b)
	}
}

// No way to lend is cheaper than the flow that fills nobody more.
func TestBalance_FlowIsTheLeast(t *testing.T) {
	c := some(12, 2)
	cost := func(crawler, i int) float64 { return c.Probe(c.Sites[i])(crawler) }
	for name, lend := range map[string]func(lab.Choice) (float64, float64){"shares": byShares, "book": byBook} {
		sum, fullest := lend(c)
		if least := rival.MinCost(12, len(c.Sites), int(fullest), cost); sum < least-1e-6 {
			t.Errorf("%s: %.1f ms in all, less than the least, %.1f", name, sum, least)
		}
		if fair := float64(len(c.Sites)) / 12; fullest > near.Most*fair+1 {
			t.Errorf("%s: the fullest has %.0f sites, its share is %.1f", name, fullest, fair)
		}
	}
}

// A site that moves away gets another crawler.
func TestOwner_FollowsSite(t *testing.T) {
	c := some(12, 3)
	o := newOwner(NewFetchers(c))
	lend := func(site int) (last int) {
		for range 20 {
			last = o.lend("site.example", c.Probe(site))
		}
		return last
	}
	before := lend(c.Sites[0])
	far := slices.MaxFunc(c.Sites, func(a, b int) int { return int(c.Probe(a)(before) - c.Probe(b)(before)) })
	if after := lend(far); c.Probe(far)(after) > c.Probe(far)(before)/2 {
		t.Errorf("after the site moved it takes %.0f ms, %.0f from where it was lent before", c.Probe(far)(after),
			c.Probe(far)(before))
	}
}
