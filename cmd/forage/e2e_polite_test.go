//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// Without --gap a lab is as polite as the world: from the end of an answer to
// the next request passes what robots.txt asks for, and two seconds at least.
func TestRun_KeepsCrawlDelay(t *testing.T) {
	t.Parallel() // it waits most of the time
	t.Run("practice web", func(t *testing.T) {
		t.Parallel()
		l := newLab(t, demo.Options{Sites: 5, Pages: 200})
		seeds := filepath.Join(t.TempDir(), "seeds")
		const site = "http://seed-library.test" // Crawl-delay: 1
		writeFile(t, seeds, site+"/\n"+site+"/about.html\n\n# and\n"+site+"/contact.html\n")
		startForage(t, "run", "--home", l.home, "--accept", "--lab", "--hosts", l.hosts, "--api", "127.0.0.1:0", "--seeds", seeds,
			"--scope", "seed-library.test", "--depth", "0", "--exit-when-idle", "1s").succeed()
		keepsGap(t, l.visits(), 4, 2*time.Second)
	})
	t.Run("long delay", func(t *testing.T) {
		t.Parallel()
		s, args := slowSite(t)
		startForage(t, args...).succeed()
		keepsGap(t, s.visits(), 4, slowSiteDelay)
	})
	for _, c := range []struct {
		name string
		n    int
	}{{"stopped after robots.txt", 1}, {"stopped after the first page", 2}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, args := slowSite(t)
			p := startForage(t, args...)
			until(t, "requests", func() bool { return len(s.visits()) == c.n })
			startForage(t, "stop", "--home", s.home).succeed()
			p.succeed()
			startForage(t, args...).succeed()
			keepsGap(t, s.visits(), 4, slowSiteDelay)
		})
	}
}

const slowSiteDelay = 4 * time.Second

// slowSite serves a site that asks for a longer delay than the usual one, and
// returns the command line that crawls it.
func slowSite(t *testing.T) (*site, []string) {
	t.Helper()
	s := newSite(t, "slow.test", map[string]string{
		"/robots.txt": "User-agent: *\nCrawl-delay: 4\n", "/": `<a href="/a">a</a> <a href="/b">b</a>`, "/a": "a", "/b": "b",
	})
	return s, []string{
		"run", "--home", s.home, "--accept", "--lab", "--hosts", s.hosts, "--api", "127.0.0.1:0", "--seeds", s.url("/"), "--exit-when-idle", "1s",
	}
}

// keepsGap fails the test unless n requests were made, one after the other
// with a gap between them.
func keepsGap(t *testing.T, v visits, n int, gap time.Duration) {
	t.Helper()
	if len(v) != n {
		t.Errorf("%d requests, want %d", len(v), n)
	}
	for i := 1; i < len(v); i++ {
		if waited := v[i].Start.Sub(v[i-1].End); waited < gap {
			t.Errorf("%s was requested %s after %s, want %s", v[i].URL, waited, v[i-1].URL, gap)
		}
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
