package assets

import (
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

func TestSeeds(t *testing.T) {
	urls := make(map[crawl.URL]bool)
	domains := make(map[crawl.Domain]bool)
	topLevel := make(map[string]bool)
	for line := range strings.Lines(Seeds()) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		u, err := crawl.ParseURL(line)
		if err != nil || u.String() != line {
			t.Errorf("%q is not canonical: %q, %v", line, u, err)
			continue
		}
		if u.Scheme() != "https" {
			t.Errorf("%s is not https", u)
		}
		if urls[u] {
			t.Errorf("%s stands twice", u)
		}
		if d := u.Domain(); domains[d] && d != "wikipedia.org" {
			t.Errorf("%s: a second seed of %s", u, d)
		}
		urls[u] = true
		domains[u.Domain()] = true
		topLevel[u.Hostname()[strings.LastIndexByte(u.Hostname(), '.')+1:]] = true
	}
	if n := len(urls); n < 180 || n > 260 {
		t.Errorf("%d seeds, want 180 to 260", n)
	}
	if n := len(topLevel); n < 40 {
		t.Errorf("%d top-level domains, want 40 at least", n)
	}
	t.Logf("%d seeds, %d domains, %d top-level domains", len(urls), len(domains), len(topLevel))
}
