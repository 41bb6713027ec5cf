package demo

import (
	"slices"
	"strings"
	"testing"
)

func TestWeb_WriteTruth(t *testing.T) {
	w, err := newWeb(Options{Sites: 60, Pages: 1200})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := w.WriteTruth(&b); err != nil {
		t.Fatal(err)
	}
	urls := make(map[string][]string)
	for line := range strings.Lines(b.String()) {
		kind, url, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("line %q has no tab", line)
		}
		urls[kind] = append(urls[kind], url)
	}
	slices.Sort(urls["expected"])
	diff(t, "expected", urls["expected"], w.Expected())
	for _, c := range []struct{ kind, url string }{
		{"forbidden", "http://corner-bakery.test/private/till.html"},
		{"forbidden", "http://corner-bakery.test/img/*"},
		{"optional", "http://corner-bakery.test/loop/one"},
		{"optional", "http://kaffeeroesterei.test/*"},
		{"optional", w.Endless() + "*"},
		{"robots", "http://start.test/robots.txt"},
		{"robots", "http://railway-museum.test/policies/robots.txt"},
		{"delay", "http://seed-library.test/\t1s"},
	} {
		if !slices.Contains(urls[c.kind], c.url) {
			t.Errorf("%s is not among the %s ones", c.url, c.kind)
		}
	}
	if len(urls) != 5 {
		t.Errorf("%d kinds, want 5", len(urls))
	}
}

// A web of more sites than there is material for has several hosts in some
// domains, and domains that ask for a delay.
func TestWeb_Variety(t *testing.T) {
	w, err := newWeb(Options{Sites: 300, Pages: 12_000})
	if err != nil {
		t.Fatal(err)
	}
	severalHosts, delays, names := 0, 0, make(map[string]bool)
	for _, s := range w.sites {
		names[s.spec.name] = true
		if len(s.hosts) > 1 {
			severalHosts++
		}
		if s.robots[s.hosts[0]].delay > 0 {
			delays++
		}
	}
	if len(names) != 301 || severalHosts < 40 || delays < 20 {
		t.Errorf("%d names, %d domains of several hosts, %d delays, want 301, 40 and 20 at least", len(names), severalHosts, delays)
	}
}
