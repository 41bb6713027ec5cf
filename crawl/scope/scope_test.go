package scope

import (
	"testing"

	"github.com/forage-net/forage/crawl"
)

func parse(t *testing.T, s string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestScope_Patterns(t *testing.T) {
	for _, c := range []struct {
		patterns []string
		url      string
		want     bool
	}{
		{nil, "https://anything.org/", true},
		{[]string{"example.org"}, "https://example.org/x", true},
		{[]string{"example.org"}, "https://www.example.org/x", true},
		{[]string{"example.org"}, "https://notexample.org/x", false},
		{[]string{"www.example.org"}, "https://example.org/", false},
		{[]string{"www.example.org/docs/"}, "https://www.example.org/docs/a", true},
		{[]string{"www.example.org/docs/"}, "https://www.example.org/blog", false},
		{[]string{"www.example.org/docs/"}, "https://blog.example.org/docs/", false},
		{[]string{"*.example.org/docs/*"}, "https://a.example.org/docs/x", true},
		{[]string{"*.example.org/docs/*"}, "https://example.org/docs/x", true},
		{[]string{"example.org/*/en/"}, "https://example.org/v2/en/intro", true},
		{[]string{"example.org/*/en/"}, "https://example.org/v2/de/intro", false},
		{[]string{"bücher.example.org"}, "https://xn--bcher-kva.example.org/", true},
		{[]string{"example.org/"}, "https://www.example.org/x", true},
		{[]string{"a.org", "b.org"}, "https://b.org/", true},
	} {
		s, err := New(Config{Patterns: c.patterns, Depth: 3})
		if err != nil {
			t.Errorf("New(%q): %v", c.patterns, err)
			continue
		}
		if got := s.Allows(parse(t, c.url), 1); got != c.want {
			t.Errorf("scope %q allows %s = %v, want %v", c.patterns, c.url, got, c.want)
		}
	}
}

func TestScope_Worlds(t *testing.T) {
	public, _ := New(Config{Depth: 16})
	lab, _ := New(Config{Depth: 16, Lab: func(h string) bool { return h == "start.test" }})
	for _, c := range []struct {
		url         string
		public, lab bool
	}{
		{"https://example.com/", true, false},
		{"http://example.com:8080/", false, false},
		{"http://start.test/", false, true},
		{"http://start.test:8080/", false, true},
		{"http://other.test/", false, false},
		{"http://localhost/", false, false},
		{"http://router.local/", false, false},
		{"http://127.0.0.1/", false, false},
		{"http://192.168.1.1/", false, false},
		{"http://[fd00::1]/", false, false},
		{"http://93.184.215.14/", false, false},
		{"http://[2a00:1450:4001::1]/", false, false},
		{"https://example.com/photo.JPG", false, false},
		{"https://example.com/photo.jpg?download", false, false},
		{"https://en.wikipedia.org/wiki/File:Map.png", true, false},
		{"https://example.com/v1.2", true, false},
	} {
		u := parse(t, c.url)
		if got := public.Allows(u, 0); got != c.public {
			t.Errorf("public world allows %s = %v, want %v", c.url, got, c.public)
		}
		if got := lab.Allows(u, 0); got != c.lab {
			t.Errorf("lab allows %s = %v, want %v", c.url, got, c.lab)
		}
	}
}

// Hosts that are addresses are in the crawl where the user named them.
func TestScope_Addresses(t *testing.T) {
	s, err := New(Config{Depth: 16, Patterns: []string{"93.184.215.15/docs/*", "example.org"},
		Seeds: []crawl.URL{parse(t, "http://192.168.1.1/"), parse(t, "http://93.184.215.16/a")}})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]bool{
		"http://93.184.215.15/docs/a": true, "http://93.184.215.14/": false, "http://93.184.215.16/": true,
		"http://192.168.1.1/": false,
	} {
		if got := s.World(parse(t, url)); got != want {
			t.Errorf("World(%s) = %v, want %v", url, got, want)
		}
	}
}

func TestScope_Depth(t *testing.T) {
	s, _ := New(Config{Depth: 2})
	u := parse(t, "https://example.com/")
	if !s.Allows(u, 2) || s.Allows(u, 3) {
		t.Errorf("Allows at depth 2, 3 = %v, %v, want true, false", s.Allows(u, 2), s.Allows(u, 3))
	}
}

func TestNew_Refuses(t *testing.T) {
	for _, p := range []string{"", " ", "http://example.org", "a b", "user@example.org", "example.org?x"} {
		if _, err := New(Config{Patterns: []string{p}}); err == nil {
			t.Errorf("New(%q) succeeded", p)
		}
	}
	for _, d := range []int{-1, 256} {
		if _, err := New(Config{Depth: d}); err == nil {
			t.Errorf("New(depth %d) succeeded", d)
		}
	}
}
