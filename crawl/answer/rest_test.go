package answer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// A domain that nobody visits any more makes room for others.
func TestRest_IsBounded(t *testing.T) {
	var r Rest
	links := func(d, n int) (list []crawl.Outlink) {
		for i := range n {
			list = append(list, crawl.Outlink{URL: urlOf(t, fmt.Sprintf("http://d%d.test/%s%d", d, strings.Repeat("x", 1000), i))})
		}
		return list
	}
	for d := range 20 {
		r.Keep(links(d, 2000))
		if r.bytes > maxRest || len(r.links[crawl.Domain(fmt.Sprintf("d%d.test", d))]) != 2000 {
			t.Fatalf("after %d domains: %d bytes, %d links of the last", d+1, r.bytes, len(r.links))
		}
	}
	before := r.bytes
	if r.Keep(links(19, 3)); r.bytes != before {
		t.Error("more of the same domain is kept before the rest has left")
	}
	sum := 0
	for _, list := range r.links {
		sum += sizeOf(list)
	}
	if sum != r.bytes {
		t.Errorf("%d bytes are counted, %d are there", r.bytes, sum)
	}
	for d, list := range r.links {
		r.Drop(d, len(list)+1)
	}
	if r.bytes != 0 || len(r.links) != 0 {
		t.Errorf("%d bytes are left", r.bytes)
	}
	r.Drop("none.test", 7)
}

func urlOf(t testing.TB, s string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
