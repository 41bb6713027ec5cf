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
// Also across a restart, whatever was known by then.
func TestRun_KeepsCrawlDelay(t *testing.T) {
	t.Parallel()
	l, ofWeb := startPoliteCrawl(t)
	type crawl struct {
		name string
		stop int // after so many requests, if above 0
		site *site
		args []string
		node *process
	}
	crawls := []crawl{{name: "in one go"}, {name: "stopped after robots.txt", stop: 1}, {name: "stopped after the first page", stop: 2}}
	for i := range crawls {
		c := &crawls[i]
		c.site, c.args = slowSite(t)
		c.node = startForage(t, c.args...)
	}
	for i := range crawls {
		c := &crawls[i]
		if c.stop == 0 {
			continue
		}
		until(t, "requests", func() bool { return len(c.site.visits()) >= c.stop })
		startForage(t, "stop", "--home", c.site.home).succeed()
		c.node.succeed()
		c.node = startForage(t, c.args...)
	}
	for _, c := range crawls {
		c.node.succeed()
		keepsGap(t, c.name, c.site.visits(), 4, slowSiteDelay)
	}
	ofWeb.succeed()
	keepsGap(t, "practice web", l.visits(), 4, 2*time.Second)
}

// startPoliteCrawl starts a crawl of three pages of a site of the practice web
// that asks for a delay of a second.
func startPoliteCrawl(t *testing.T) (*lab, *process) {
	t.Helper()
	l := newLab(t, demo.Options{Sites: 5, Pages: 200})
	seeds := filepath.Join(t.TempDir(), "seeds")
	const site = "http://seed-library.test"
	writeFile(t, seeds, site+"/\n"+site+"/about.html\n\n# and\n"+site+"/contact.html\n")
	return l, startForage(t, "run", "--home", l.home, "--accept", "--lab", "--hosts", l.hosts, "--api", "127.0.0.1:0", "--seeds", seeds,
		"--scope", "seed-library.test", "--depth", "0", "--exit-when-idle", "1s")
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
func keepsGap(t *testing.T, name string, v visits, n int, gap time.Duration) {
	t.Helper()
	if len(v) != n {
		t.Errorf("%s: %d requests, want %d", name, len(v), n)
	}
	for i := 1; i < len(v); i++ {
		if waited := v[i].Start.Sub(v[i-1].End); waited < gap {
			t.Errorf("%s: %s was requested %s after %s, want %s", name, v[i].URL, waited, v[i-1].URL, gap)
		}
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
