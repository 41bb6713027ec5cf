package near

import (
	"math"

	"github.com/forage-net/forage/crawl"
)

const (
	// Tries is how many fetchers are tried for a site at most. Each costs the site one more robots.txt.
	Tries = 3
	// EnoughMs is near enough: nobody else is tried.
	EnoughMs = 30
	// MinQueued is how many pages of a site must wait for another fetcher to be tried.
	MinQueued = 32
)

// Trial is a fetcher that has connected to a site.
type Trial struct {
	Peer crawl.PeerID
	At   Coordinate
	Ms   uint16 // how long that took, at least 1
}

// Candidate is a fetcher that could be tried.
type Candidate struct {
	Peer crawl.PeerID
	At   Coordinate
}

// Rule says when a search ends.
type Rule struct {
	Tries    int
	EnoughMs uint16
}

// Usual is the rule that the product has.
func Usual() Rule { return Rule{Tries, EnoughMs} }

// Next returns which candidate to try next by the usual rule; false if the search is over.
func Next(tried []Trial, candidates []Candidate) (index int, ok bool) {
	return Usual().Next(tried, candidates)
}

// Next returns the candidate that is the likeliest to be near the site: its distances to those tried are most like what
// they measured. It is none of those tried; of equal ones it is the first. It reports false if the search is over.
func (r Rule) Next(tried []Trial, candidates []Candidate) (index int, ok bool) {
	if len(tried) >= r.Tries {
		return 0, false
	}
	for _, t := range tried {
		if t.Ms <= r.EnoughMs {
			return 0, false
		}
	}
	least := math.Inf(1)
	for i, c := range candidates {
		if m := Misfit(tried, c); m < least {
			least, index, ok = m, i, true
		}
	}
	return index, ok
}

// Misfit says how little a candidate's distances to those tried are like what they measured: the sum of the
// differences, each in parts of the measured time and 10 ms. It is infinite for one that was tried. A distance that
// nobody knows counts 1.
func Misfit(tried []Trial, c Candidate) (sum float64) {
	for _, t := range tried {
		if t.Peer == c.Peer {
			return math.Inf(1)
		}
		measured := float64(t.Ms)
		if d, known := c.At.Ms(t.At); known {
			sum += math.Abs(d-measured) / (measured + 10)
		} else {
			sum++
		}
	}
	return sum
}

// Guess returns how far a node would be from a site, in milliseconds: what the nearest of those tried measured, and
// the way to that one, at a right angle. It reports false if nothing is known.
func Guess(tried []Trial, at Coordinate) (ms float64, ok bool) {
	least := uint16(math.MaxUint16)
	for _, t := range tried {
		if d, known := at.Ms(t.At); known && t.Ms < least {
			least, ms, ok = t.Ms, math.Hypot(d, float64(t.Ms)), true
		}
	}
	return ms, ok
}
