package scope

import (
	"testing"

	"github.com/forage-net/forage/crawl"
)

func TestScope_AdmitsLinksInTheirOwnSpelling(t *testing.T) {
	s, err := New(Config{Depth: 3, Patterns: []string{"example.org", "docs.net/a/"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		link  string
		depth int
		want  string // "" is not admitted
	}{
		{"https://example.org/a", 3, "https://example.org/a"},
		{"https://example.org/a", 4, ""},
		{"https://other.org/a", 1, ""},
		{"https://example.org/a?utm_source=x&id=1", 1, "https://example.org/a?id=1"},
		{"https://example.org/a?fbclid=x", 1, "https://example.org/a"},
		{"https://example.org/a;jsessionid=1A530637289A03B07199A44E8D531427", 1, "https://example.org/a"},
		{"https://example.org/photo.jpg?utm_source=x", 1, ""},
		{"https://example.org/a/a/a/a", 1, "https://example.org/a/a/a/a"},
		{"https://example.org/calendar/2026/01/", 1, "https://example.org/calendar/2026/01/"},
		{"https://docs.net/a/b", 1, "https://docs.net/a/b"},
		{"https://docs.net/b/a", 1, ""},
		{"http://example.org:8080/", 1, ""},
	} {
		u, ok := s.Admit(parse(t, c.link), c.depth)
		if got := u.String(); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("Admit(%s, %d) = %s, %v, want %q", c.link, c.depth, got, ok, c.want)
		}
	}
}

func TestScope_IdentityIsThatOfTheConfiguration(t *testing.T) {
	s, err := New(Config{Depth: 3, Identity: crawl.Identity{KeepTracking: true}})
	if err != nil {
		t.Fatal(err)
	}
	link := "https://example.org/a?utm_source=x"
	if u, ok := s.Admit(parse(t, link), 1); !ok || u.String() != link {
		t.Errorf("Admit(%s) = %s, %v, want it as it is", link, u, ok)
	}
}

func TestScope_AdmitsSources(t *testing.T) {
	public, err := New(Config{Patterns: []string{"example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	lab, err := New(Config{Lab: func(h string) bool { return h == "start.test" }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		url         string
		public, lab bool
	}{
		{"https://example.org/sitemap.xml.gz", true, false},
		{"https://www.example.org/feed.xml", true, false},
		{"https://example.org/sitemap.zip", true, false},
		{"https://other.org/sitemap.xml", false, false},
		{"http://example.org:8080/sitemap.xml", false, false},
		{"http://127.0.0.1/sitemap.xml", false, false},
		{"http://start.test:8080/sitemap.xml.gz", false, true},
	} {
		u := parse(t, c.url)
		if got := public.AdmitSource(u); got != c.public {
			t.Errorf("AdmitSource(%s) = %v, want %v", u, got, c.public)
		}
		if got := lab.AdmitSource(u); got != c.lab {
			t.Errorf("in a lab: AdmitSource(%s) = %v, want %v", u, got, c.lab)
		}
	}
}
