package scale

import (
	"testing"

	"github.com/forage-net/forage/crawl"
)

// The filters are judged by URLs that are made a second time, so each must follow from its
// number, be canonical, be of its domain and differ from every other.
func TestWeb_URLsFollowFromNumbers(t *testing.T) {
	w, again := newWeb(100, 5000), newWeb(100, 5000)
	seen := make(map[crawl.URL]bool)
	length := 0
	for domain := range w.domains {
		for i := range w.sizes[domain] {
			u, err := w.fresh(domain)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(again.url(domain, uint64(i))); got != u.String() || u.Domain() != w.domains[domain] || seen[u] {
				t.Fatalf("URL %d of %s is %s, made again %s, seen before %t", i, w.domains[domain], u, got, seen[u])
			}
			seen[u] = true
			length += len(u.String())
		}
		if w.room(domain) {
			t.Errorf("%s has room beyond its %d URLs", w.domains[domain], w.sizes[domain])
		}
	}
	if mean := float64(length) / float64(len(seen)); mean < 60 || mean > 80 {
		t.Errorf("URLs have %.1f bytes on average, want about 70", mean)
	}
}

func TestWeb_RepeatsWereOffered(t *testing.T) {
	w := newWeb(10, 1000)
	offered := make(map[crawl.URL]bool)
	for range 30 {
		u, err := w.fresh(3)
		if err != nil {
			t.Fatal(err)
		}
		offered[u] = true
	}
	for i := range uint64(200) {
		u, err := w.repeat(3, mix(i, 1))
		if err != nil || !offered[u] {
			t.Fatalf("repeat is %s, %v, want one that was offered", u, err)
		}
	}
}

func TestWeb_GrowthEndsNearTheBound(t *testing.T) {
	w := newWeb(10, 1000)
	for _, c := range []struct{ waiting, least, most int }{
		{0, 2, 4}, {maxQueued*19/20 - 1, 2, 4}, {maxQueued * 19 / 20, 1, 1}, {maxQueued - 1, 1, 1}, {maxQueued, 0, 0},
	} {
		w.waiting = c.waiting
		for h := range uint64(10) {
			if got := w.growth(h); got < c.least || got > c.most {
				t.Errorf("growth(%d) with %d waiting = %d, want %d to %d", h, c.waiting, got, c.least, c.most)
			}
		}
	}
}
