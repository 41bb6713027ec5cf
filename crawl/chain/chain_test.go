package chain

import (
	"testing"

	"github.com/forage-net/forage/crawl"
)

func mustURL(t *testing.T, s string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestLeadsBack(t *testing.T) {
	for _, c := range []struct {
		target    string
		redirects uint8
		want      bool
	}{
		{"http://a.test/page?x=1", 0, true},
		{"http://a.test/page?x=1&check=1", 0, true},
		{"http://other.a.test/page", 0, false},
		{"http://a.test/set?back=%2Fpage%3Fx%3D1", 0, true},
		{"http://consent.a.test/?v=2&continue=http://a.test/page%3Fx%3D1", 0, true},
		{"http://a.test/set?back=/page", 0, false},
		{"http://a.test/set?back=/", 0, false},
		{"http://a.test/set?back=", 0, false},
		{"http://a.test/set?back=%zz", 0, false},
		{"http://a.test/set", 0, false},
		{"http://a.test/set", 1, true},
	} {
		task := crawl.Task{URL: mustURL(t, "http://a.test/page?x=1"), Redirects: c.redirects}
		if got := leadsBack(mustURL(t, c.target), task); got != c.want {
			t.Errorf("leadsBack(%s) after %d redirects = %v, want %v", c.target, c.redirects, got, c.want)
		}
	}
}

func FuzzLeadsBack(f *testing.F) {
	f.Add("http://a.test/page?x=1", "/set?back=%2Fpage%3Fx%3D1")
	f.Fuzz(func(t *testing.T, own, ref string) {
		u, err := crawl.ParseURL(own)
		if err != nil {
			return
		}
		target, err := u.Resolve(ref)
		if err == nil && target == u && !leadsBack(target, crawl.Task{URL: u}) {
			t.Errorf("%q, %q: a redirect of a page to itself does not lead back to it", own, ref)
		}
	})
}
