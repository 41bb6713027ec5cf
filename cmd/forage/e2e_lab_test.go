//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
)

// lab is a practice web and the home of a node that crawls it.
type lab struct {
	t     *testing.T
	web   *demo.Web
	home  string
	hosts string // name of the hosts file

	slow   atomic.Int64 // how long each answer takes, in nanoseconds
	served atomic.Int64
	mu     sync.Mutex
	onHit  func(n int64) // called with the number of each answered request
}

// roomyHome makes a home of a node that works however full the disk of this computer is.
func roomyHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(home, "config.toml"), "[disk]\nkeep_free = 0\nmax_percent = 100\n")
	return home
}

// newLab serves a web for the length of a test.
func newLab(t *testing.T, o demo.Options) *lab {
	t.Helper()
	l := &lab{t: t, home: roomyHome(t), hosts: filepath.Join(t.TempDir(), "hosts")}
	o.Log = func(demo.Hit) {
		time.Sleep(time.Duration(l.slow.Load())) // the answer is on its way only after this
		n := l.served.Add(1)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.onHit != nil {
			l.onHit(n)
		}
	}
	web, err := demo.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	l.web = web
	if err := os.WriteFile(l.hosts, []byte(web.Hosts()), 0o600); err != nil {
		t.Fatal(err)
	}
	return l
}

// slowDown lets each answer from now on take d.
func (l *lab) slowDown(d time.Duration) { l.slow.Store(int64(d)) }

// whenServed calls fn once, while the n-th request is being answered, or the
// next one if that has been.
func (l *lab) whenServed(n int64, fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onHit = func(now int64) {
		if now >= n {
			l.onHit = nil
			fn()
		}
	}
}

// fullSpeed are the flags of a crawl that is to be over soon. Leases last as
// long as they do elsewhere: on a busy machine those of a lab lapse.
var fullSpeed = []string{"--gap", "0s", "--fetchers", "16", "--no-limits", "--exit-when-idle", "1s", "--lab-times", "real"}

// runArgs is the command line of a crawl of the web from its start page.
func (l *lab) runArgs(flags ...string) []string {
	return slices.Concat([]string{
		"run", "--home", l.home, "--accept", "--lab", "--hosts", l.hosts, "--api", "127.0.0.1:0", "--no-tray",
		"--seeds", l.web.StartURL(),
	}, flags)
}

// start starts a crawl.
func (l *lab) start(flags ...string) *process {
	l.t.Helper()
	return startForage(l.t, l.runArgs(flags...)...)
}

// forage runs another command with the home of the lab and returns what it
// has printed.
func (l *lab) forage(args ...string) string {
	l.t.Helper()
	return startForage(l.t, append(args, "--home", l.home)...).succeed().stdout.String()
}

// status returns what "forage status" says.
func (l *lab) status() api.Status {
	l.t.Helper()
	return parseJSON[api.Status](l.t, l.forage("status", "--json"))
}

// stats returns what "forage stats" says.
func (l *lab) stats() api.Stats {
	l.t.Helper()
	return parseJSON[api.Stats](l.t, l.forage("stats", "--json"))
}

// warcDir is where the archive is.
func (l *lab) warcDir() string { return filepath.Join(l.home, "data", "warc") }

// visits are the requests that the web has answered, in the order in which
// they began.
type visits []demo.Hit

// visits returns all requests up to now.
func (l *lab) visits() visits {
	hits := l.web.Served()
	slices.SortStableFunc(hits, func(a, b demo.Hit) int { return a.Start.Compare(b.Start) })
	return hits
}

// isRobots reports whether a URL is that of a robots.txt; one site of the web
// keeps its own at another path.
func isRobots(url string) bool { return strings.HasSuffix(url, "/robots.txt") }

// pages returns the visits but those for robots.txt.
func (v visits) pages() visits {
	return slices.DeleteFunc(slices.Clone(v), func(h demo.Hit) bool { return isRobots(h.URL) })
}

// byURL groups visits.
func (v visits) byURL() map[string]visits {
	m := make(map[string]visits)
	for _, h := range v {
		m[h.URL] = append(m[h.URL], h)
	}
	return m
}

// fetched returns, sorted, the URLs that were answered with 200.
func (v visits) fetched() []string {
	var urls []string
	for url, hits := range v.byURL() {
		if slices.ContainsFunc(hits, func(h demo.Hit) bool { return h.Status == 200 }) {
			urls = append(urls, url)
		}
	}
	slices.Sort(urls)
	return urls
}

// repeats returns the visits that were no use: those of a URL that was
// requested again although the answer was no failure.
func (v visits) repeats() visits {
	var list visits
	for _, hits := range v.pages().byURL() {
		for _, h := range hits[:len(hits)-1] {
			if h.Status < 500 {
				list = append(list, h)
			}
		}
	}
	slices.SortFunc(list, func(a, b demo.Hit) int { return a.Start.Compare(b.Start) })
	return list
}

// noRepeats fails the test if something was requested a second time that had
// been answered.
func (v visits) noRepeats(t *testing.T) {
	t.Helper()
	v.onlyChecks(t, 0)
}

// onlyChecks fails the test if more was requested a second time that had been answered than members of a swarm have checked.
func (v visits) onlyChecks(t *testing.T, checks int) {
	t.Helper()
	few, list := complaints{t: t}, v.repeats()
	for _, h := range list[min(checks, len(list)):] {
		few.errorf("%s was requested again after %d", h.URL, h.Status)
	}
}

// complete fails the test unless exactly what can be reached in the web was
// fetched, nothing that must not be, and robots.txt before the rest.
func (v visits) complete(t *testing.T, web *demo.Web) {
	t.Helper()
	few := complaints{t: t}
	pages := v.pages().byURL()
	for _, url := range web.Expected() {
		if !slices.ContainsFunc(pages[url], func(h demo.Hit) bool { return h.Status == 200 }) {
			few.errorf("%s was not fetched", url)
		}
	}
	v.lawful(t, web)
}

// lawful fails the test if something was requested that must not be, or
// before the robots.txt of its host.
func (v visits) lawful(t *testing.T, web *demo.Web) {
	t.Helper()
	few := complaints{t: t}
	forbidden := web.Forbidden()
	known := make(map[string]bool) // hosts
	for _, h := range v {
		host, path, _ := strings.Cut(strings.TrimPrefix(h.URL, "http://"), "/")
		if _, found := slices.BinarySearch(forbidden, h.URL); found {
			few.errorf("%s was requested and is forbidden", h.URL)
		}
		if strings.HasPrefix(path, "img/") || strings.HasPrefix(path, "style") {
			few.errorf("%s was requested and is no page", h.URL)
		}
		if !known[host] && path != "robots.txt" {
			few.errorf("%s was requested before the robots.txt of its host", h.URL)
		}
		known[host] = true
	}
}

// complaints reports errors of one kind, the first few in full.
type complaints struct {
	t *testing.T
	n int
}

func (c *complaints) errorf(format string, args ...any) {
	c.t.Helper()
	const few = 8
	if c.n++; c.n <= few {
		c.t.Errorf(format, args...)
	} else if c.n == few+1 {
		c.t.Error("… and more of the kind")
	}
}
