package rival

import "math/rand/v2"

// Probe measures the round trip from a crawler to the site in question, in milliseconds.
type Probe func(crawler int) float64

// Found is what a strategy came to.
type Found struct {
	Crawler int
	// Trip is its round trip, and Probes how many crawlers were asked for theirs.
	Trip   float64
	Probes int
}

// search remembers the best of what was probed.
type search struct {
	Found
	probe Probe
	known map[int]float64
}

func newSearch(p Probe) *search {
	return &search{Found: Found{Crawler: -1}, probe: p, known: make(map[int]float64)}
}

// ask probes a crawler that was not probed yet and returns its round trip.
func (s *search) ask(crawler int) float64 {
	if ms, ok := s.known[crawler]; ok {
		return ms
	}
	ms := s.probe(crawler)
	s.known[crawler] = ms
	if s.Probes++; s.Crawler < 0 || ms < s.Trip {
		s.Crawler, s.Trip = crawler, ms
	}
	return ms
}

// InOrder probes crawlers in an order until one is within the threshold, and takes the best of them. Of an order by
// chance and with a threshold of 0 it is the thesis's brute force; with an order by popularity its "most popular
// first".
func InOrder(order []int, p Probe, threshold float64) Found {
	s := newSearch(p)
	for _, c := range order {
		if s.ask(c) <= threshold {
			break
		}
	}
	return s.Found
}

// BestOf takes the best of k crawlers by chance (Loo §4.5).
func BestOf(k, crawlers int, p Probe, rng *rand.Rand) Found {
	return InOrder(rng.Perm(crawlers)[:min(k, crawlers)], p, -1)
}
