package scale

import (
	"fmt"
	"math"
	"math/bits"
	"sort"
	"strconv"

	"github.com/forage-net/forage/crawl"
)

const (
	// zipfShift flattens the head of the Zipf–Mandelbrot distribution of domain
	// sizes: the largest of 50,000 domains has 4.8 % of the web, of which a run gets to
	// know about half. At 0 it would be 9 %.
	zipfShift = 1
	// spare is how many URLs the web has for each that a run wants known.
	spare = 1.15
	// maxQueuedDomain is where links to a domain stop being new, and maxQueued where
	// a page has on average one new link: both below the budgets of a frontier.
	maxQueuedDomain = 80_000
	maxQueued       = 900_000
)

var (
	suffixes = [...]string{"com", "org", "net", "de", "co.uk", "info", "fr", "io"}
	sections = [...]string{"news", "blog", "articles", "category", "products", "docs", "forum", "archive"}
	words    = [...]string{
		"water", "history", "review", "garden", "travel", "market", "winter", "guide", "music", "report", "city",
		"science",
		"recipe", "album", "family", "energy", "school", "weather", "bridge", "letter", "summer", "village",
		"camera", "story",
		"engine", "paper", "island", "doctor", "planet", "coffee", "street", "library",
	}
)

// web is the made-up web and what the frontier was told of it. Domains are
// numbered by size, and URLs of a domain in the order in which they become known.
// It is not safe for concurrent use.
type web struct {
	domains []crawl.Domain
	numbers map[crawl.Domain]int
	shares  []float64 // cumulative
	sizes   []uint32
	known   []uint32 // URLs 0 to known-1 of a domain were offered
	queued  []uint32
	waiting int // sum of queued
	text    []byte
}

// newWeb returns a web of n domains for runs to size known URLs.
func newWeb(n, size int) *web {
	w := &web{
		domains: make([]crawl.Domain, n), numbers: make(map[crawl.Domain]int, n), shares: make([]float64, n),
		sizes: make([]uint32, n), known: make([]uint32, n), queued: make([]uint32, n),
	}
	sum := 0.0
	for i := range n {
		sum += 1 / float64(i+1+zipfShift)
		w.shares[i] = sum
	}
	for i := range n {
		h := mix(uint64(i), 1)
		w.domains[i] = crawl.Domain(fmt.Sprintf("%s%s%d.%s", words[h%32], words[h>>8%32], i,
			suffixes[h>>16%uint64(len(suffixes))]))
		w.numbers[w.domains[i]] = i
		w.shares[i] /= sum
		w.sizes[i] = uint32(math.Ceil(spare * float64(size) / (float64(i+1+zipfShift) * sum)))
	}
	return w
}

// mix returns a hash of two numbers (SplitMix64's finalizer).
func mix(a, b uint64) uint64 {
	z := a*0x9e3779b97f4a7c15 + bits.RotateLeft64(b, 32)*0xbf58476d1ce4e5b9
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// pick returns a domain, each with a probability that is its share of the web.
func (w *web) pick(h uint64) int {
	return min(sort.SearchFloat64s(w.shares, float64(h>>11)/(1<<53)), len(w.domains)-1)
}

// url returns the text of URL i of a domain, valid until the next call. It is 70 bytes
// long on average. A domain has a second host for one in ten of its URLs.
func (w *web) url(domain int, i uint64) []byte {
	h := mix(uint64(domain)+2, i)
	host := "https://www."
	if i%10 == 9 {
		host = "https://blog."
	}
	t := append(append(append(w.text[:0], host...), w.domains[domain]...), '/')
	if i > 0 {
		t = append(append(t, sections[h%8]...), '/')
		if h>>3%2 == 0 {
			t = append(append(strconv.AppendUint(t, 2000+h>>4%26, 10), '/', '0'+byte(h>>9%10)), '/')
		}
		for n := range 2 + h>>13%4 {
			t = append(append(t, words[h>>(16+5*n)%32]...), '-')
		}
		t = strconv.AppendUint(t, i, 10)
		if h>>60%2 == 0 {
			t = append(t, ".html"...)
		}
	}
	w.text = t
	return t
}

// fresh returns a URL of a domain that was never offered.
func (w *web) fresh(domain int) (crawl.URL, error) {
	u, err := crawl.ParseURL(string(w.url(domain, uint64(w.known[domain]))))
	w.known[domain]++
	w.queued[domain]++
	w.waiting++
	return u, err
}

// room reports whether links to new URLs of a domain are left.
func (w *web) room(domain int) bool {
	return w.known[domain] < w.sizes[domain] && w.queued[domain] < maxQueuedDomain
}

// repeat returns a URL of a domain that was offered before, more often than
// not one of the first twenty: what every page of a site links to.
func (w *web) repeat(domain int, h uint64) (crawl.URL, error) {
	among := uint64(max(w.known[domain], 1))
	if h%5 < 3 {
		among = min(among, 20)
	}
	return crawl.ParseURL(string(w.url(domain, h>>8%among)))
}

// closed notes that a task of a domain left the queue.
func (w *web) closed(domain int) {
	w.queued[domain]--
	w.waiting--
}

// total returns how many URLs were offered, and the part of the largest domain.
func (w *web) total() (urls int, largest float64) {
	most := uint32(0)
	for _, n := range w.known {
		urls += int(n)
		most = max(most, n)
	}
	return urls, float64(most) / float64(max(urls, 1))
}
