package robots

import (
	"reflect"
	"testing"

	"github.com/forage-net/forage/crawl"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%41\nCrawl-delay: 3\nSitemap: http://a.example/\n"), "/ab")
	f.Add([]byte("\xef\xbb\xbfuser-agent forage\rdisallow /\xe3\x83\x84*'$x\r\n"), "/ツ?q='")
	f.Add([]byte("\ufeff# forage-node: 12D3KooW\n#FORAGE-NODE:a\x00b\r# forage-node: c d\n"), "/")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		u, err := crawl.ParseURL("http://www.example.com/" + path)
		if err != nil {
			return
		}
		r := Parse(body)
		text := condense(body, crawl.URL{})
		if len(text) > MaxBody {
			t.Errorf("condense of %d bytes has %d", len(body), len(text))
		}
		if again := Parse(text); len(body) < MaxBody/2 && !reflect.DeepEqual(again, r) {
			t.Errorf("Parse(condense) = %+v, want %+v", again, r)
		}
		if r.CrawlDelay() < 0 || r.CrawlDelay() > crawl.MaxCrawlDelay || len(r.Sitemaps()) > maxSitemaps {
			t.Errorf("delay %v, %d sitemaps", r.CrawlDelay(), len(r.Sitemaps()))
		}
		if len(r.Nodes()) > maxNodes {
			t.Errorf("%d nodes", len(r.Nodes()))
		}
		for _, node := range r.Nodes() {
			if len(node) == 0 || len(node) > maxNode {
				t.Errorf("node %q", node)
			}
		}
		if r.closed {
			t.Errorf("the library does not read %q", text)
		}
		if len(r.patterns)*len(u.Path()) > 1<<16 {
			return // too much for the slow way
		}
		// Slow and plain against quick: every rule on its own.
		best, want := 0, true
		for _, s := range r.spans {
			p := r.patterns[s.from:s.to]
			if n := len(p); (n > best || n == best && s.allow) && slowMatch(p, normalPath(u.Path(), decoded)) {
				best, want = n, s.allow
			}
		}
		if u.Path() == "/robots.txt" {
			want = true
		}
		if got := r.Allowed(u); got != want {
			t.Errorf("Allowed(%s) = %v, want %v by %q", u, got, want, text)
		}
	})
}

// slowMatch tries everything a pattern can match.
func slowMatch(pattern, path string) bool {
	states := map[int]bool{0: true} // how much of the path may be matched so far
	for i := range len(pattern) {
		next := map[int]bool{}
		for at := range states {
			switch {
			case pattern[i] == '*':
				for n := at; n <= len(path); n++ {
					next[n] = true
				}
			case pattern[i] == '$':
				if at == len(path) {
					next[at] = true
				}
			case at < len(path) && path[at] == pattern[i]:
				next[at+1] = true
			}
		}
		states = next
	}
	return len(states) > 0
}
