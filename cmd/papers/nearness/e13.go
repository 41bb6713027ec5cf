package nearness

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/crawl/near"
)

// E13 asks whether a site that moves is noticed, and one that does not is left alone: thesis §8.5, calibration.
var E13 = lab.Experiment{
	ID: "E13", Paper: "Thesis §8.5: calibration", Trips: true, Cost: 13,
	Setup: "12 crawlers; each site is fetched 50 times, moves to another place, and is fetched 50 times more; " +
		"connections differ by chance",
	Said: "–",
	Run:  runE13,
}

const (
	// jitter is the mean of what queues add to a connection, in parts of its round trip: an assumption.
	jitter = 0.1
	// lossPart is how many connections lose their first packet, an assumption, and lossMs what that costs: the first
	// retransmission is after a second (RFC 6298 §2.1).
	lossPart, lossMs = 0.01, 1000
	// visits is how often a site is fetched before and after it moves.
	visits = 50
)

// noisy is a connection in practice.
func noisy(c lab.Choice, site int) func(crawler int) float64 {
	return func(crawler int) float64 {
		ms := c.Probe(site)(crawler) * (1 + jitter*c.Rng.ExpFloat64())
		if c.Rng.Float64() < lossPart {
			ms += lossMs
		}
		return ms
	}
}

func runE13(l *lab.Lab) (lab.Result, error) {
	s := l.Over("E13", 12, func(c lab.Choice) []float64 {
		o := newOwner(NewFetchers(c))
		var found, before, after, stale, random []float64
		course := make([][]float64, shownVisits)
		moves, worse, quiet := 0, 0, 0
		for i, site := range c.Sites {
			name := fmt.Sprintf("site%d.example", i)
			settled := -1
			for v := range visits {
				crawler := o.lend(name, noisy(c, site))
				if v >= settling {
					quiet++
					if settled >= 0 && crawler != settled {
						moves++
						if c.Probe(site)(crawler) > c.Probe(site)(settled)+near.Grid.Seconds()*1000 {
							worse++
						}
					}
					settled = crawler
				}
			}
			before = append(before, c.Probe(site)(settled))
			moved := c.Sites[c.Rng.IntN(len(c.Sites))]
			old, last, at := c.Probe(moved)(settled), settled, 0
			for v := range visits {
				crawler := o.lend(name, noisy(c, moved))
				if crawler != last && v < settling {
					at = v
				}
				if last = crawler; v < shownVisits {
					course[v] = append(course[v], c.Probe(moved)(crawler))
				}
			}
			after = append(after, c.Probe(moved)(last))
			stale, random = append(stale, old), append(random, c.Probe(moved)(c.Rng.IntN(len(c.Crawlers))))
			if old > 2*c.Probe(site)(settled)+10 && last != settled { // far enough for the product to look again
				found = append(found, float64(at-1)) // the first two connections showed that something is wrong
			}
		}
		figures := []float64{rtt.Median(found), 100 * float64(moves) / float64(quiet), rtt.Median(before),
			rtt.Median(stale), rtt.Median(after), rtt.Median(random), 100 * float64(worse) / float64(quiet)}
		for _, trips := range course {
			figures = append(figures, rtt.Median(trips))
		}
		return figures
	})
	f := draw.Curve{Name: "median of all sites"}
	for v := range shownVisits {
		f.X, f.Y = append(f.X, float64(v+1)), append(f.Y, s[courseFrom+v].Median)
	}
	return lab.Result{
		Ours: fmt.Sprintf("found again in %s fetches after the two that showed it; false moves %s %% of fetches, "+
			"%s %% to a crawler more than 5 ms farther away; median connect time %s ms, after the move %s at "+
			"first, %s at last, random %s",
			s[0], s[1], s[6], s[2], s[3], s[4], s[5]),
		Marks: []lab.Mark{
			lab.AtMost("fetches until found", s[0].Median, 3),
			{Name: "false moves, % of fetches", Got: s[1].Median, High: 1,
				Because: "most of them are between crawlers about as near, which take turns as each connection " +
					"moves the remembered time of who made it"},
			lab.Is("after the move it gets nearer again", s[4].Median < s[3].Median),
		},
		Notes: []string{fmt.Sprintf("Assumed: a connection takes its round trip and an exponential part of %.0f %% "+
			"more on average; %.0f %% of connections lose their first packet and take a second longer (RFC 6298). "+
			"The book of the product's leader decides; nobody has more than its share.", 100*jitter, 100*lossPart)},
		Figures: []draw.Figure{{File: "thesis-8-5-calibration", Title: "After a site has moved (thesis §8.5)",
			X: "visit", Y: "round trip, ms", Curves: []draw.Curve{f}}},
	}, nil
}

// shownVisits is how many visits after a move are drawn, courseFrom where their figures begin.
const shownVisits, courseFrom = 20, 7

// settling is after how many visits a site is taken to be where it stays.
const settling = 10
