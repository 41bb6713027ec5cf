package main

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/crawl/near"
)

// e13 asks whether a site that moves is noticed, and one that does not is left alone: thesis §8.5, calibration.
var e13 = experiment{
	id: "E13", paper: "Thesis §8.5: calibration", trips: true, cost: 20,
	setup: "12 crawlers; each site is fetched 50 times, moves to another place, and is fetched 50 times more; connections differ by chance",
	said:  "–",
	run:   runE13,
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
func (c choice) noisy(site int) func(crawler int) float64 {
	return func(crawler int) float64 {
		ms := c.probe(site)(crawler) * (1 + jitter*c.rng.ExpFloat64())
		if c.rng.Float64() < lossPart {
			ms += lossMs
		}
		return ms
	}
}

func runE13(l *lab) (result, error) {
	s := l.over("E13", 12, func(c choice) []float64 {
		o := newOwner(newFetchers(c))
		var found, before, after, stale, random []float64
		course := make([][]float64, shownVisits)
		moves, worse, quiet := 0, 0, 0
		for i, site := range c.sites {
			name := fmt.Sprintf("site%d.example", i)
			settled := -1
			for v := range visits {
				crawler := o.lend(name, c.noisy(site))
				if v >= settling {
					quiet++
					if settled >= 0 && crawler != settled {
						moves++
						if c.probe(site)(crawler) > c.probe(site)(settled)+near.Grid.Seconds()*1000 {
							worse++
						}
					}
					settled = crawler
				}
			}
			before = append(before, c.probe(site)(settled))
			moved := c.sites[c.rng.IntN(len(c.sites))]
			old, last, at := c.probe(moved)(settled), settled, 0
			for v := range visits {
				crawler := o.lend(name, c.noisy(moved))
				if crawler != last && v < settling {
					at = v
				}
				if last = crawler; v < shownVisits {
					course[v] = append(course[v], c.probe(moved)(crawler))
				}
			}
			after = append(after, c.probe(moved)(last))
			stale, random = append(stale, old), append(random, c.probe(moved)(c.rng.IntN(len(c.crawlers))))
			if old > 2*c.probe(site)(settled)+10 && last != settled { // far enough for the product to look again
				found = append(found, float64(at-1)) // the first two connections showed that something is wrong
			}
		}
		figures := []float64{rtt.Median(found), 100 * float64(moves) / float64(quiet), rtt.Median(before), rtt.Median(stale), rtt.Median(after), rtt.Median(random), 100 * float64(worse) / float64(quiet)}
		for _, trips := range course {
			figures = append(figures, rtt.Median(trips))
		}
		return figures
	})
	f := draw.Curve{Name: "median of all sites"}
	for v := range shownVisits {
		f.X, f.Y = append(f.X, float64(v+1)), append(f.Y, s[courseFrom+v].median)
	}
	return result{
		ours: fmt.Sprintf("found again in %s fetches after the two that showed it; false moves %s %% of fetches, %s %% to a crawler more than 5 ms farther away; median connect time %s ms, after the move %s at first, %s at last, random %s",
			s[0], s[1], s[6], s[2], s[3], s[4], s[5]),
		marks: []mark{
			atMost("fetches until found", s[0].median, 3),
			{name: "false moves, % of fetches", got: s[1].median, high: 1,
				because: "crawlers that are about as near take turns: each connection moves the remembered time of who made it"},
			is("after the move it gets nearer again", s[4].median < s[3].median),
		},
		notes: []string{fmt.Sprintf("Assumed: a connection takes its round trip and an exponential part of %.0f %% more on average; %.0f %% of connections lose their first packet and take a second longer (RFC 6298). "+
			"The book of the product's leader decides; nobody has more than its share.", 100*jitter, 100*lossPart)},
		figures: []draw.Figure{{File: "thesis-8-5-calibration", Title: "After a site has moved (thesis §8.5)", X: "visit", Y: "round trip, ms", Curves: []draw.Curve{f}}},
	}, nil
}

// shownVisits is how many visits after a move are drawn, courseFrom where their figures begin.
const shownVisits, courseFrom = 20, 7

// settling is after how many visits a site is taken to be where it stays.
const settling = 10
