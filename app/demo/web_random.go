package demo

import "strconv"

// random is SplitMix64 (Steele, Lea, Flood 2014): what it yields for a seed is
// settled, which no package of the standard library promises of its methods.
type random uint64

// newRandom returns a generator for a text and a seed.
func newRandom(seed uint64, text string) random {
	h := seed ^ 0xcbf29ce484222325 // FNV-1a
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return random(h)
}

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1; n must be positive and small.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

func itoa(n int) string { return strconv.Itoa(n) }
