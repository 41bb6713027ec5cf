//go:build unix

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/demo"
)

// smallWeb has all peculiarities of the practice web and few pages.
var smallWeb = demo.Options{Sites: 40, Pages: 640}

func TestRun_CrawlsEveryPageOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, smallWeb)
	first := l.start(append(slices.Clone(fullSpeed), "--json")...).succeed()

	seen := l.visits()
	seen.complete(t, l.web)
	seen.noRepeats(t)
	records := readArchive(t, l.warcDir())
	matchVisits(t, records, seen)
	status := l.status()
	checkTotals(t, l, seen, records)
	if status.Queued != 0 || status.Leases != 0 || status.State != "not running" {
		t.Errorf("after the run: %d queued, %d leased, %s", status.Queued, status.Leases, status.State)
	}
	if totals := checkStore(t, l.home); int64(totals.Fetched) != status.Pages {
		t.Errorf("the frontier counts %d pages, status %d", totals.Fetched, status.Pages)
	}

	t.Run("again", func(t *testing.T) {
		l.start(fullSpeed...).succeed()
		if more := l.visits(); len(more) != len(seen) {
			t.Errorf("the second run asked for %d things, first for %s", len(more)-len(seen), more[len(seen)].URL)
		}
	})
	t.Run("summary", func(t *testing.T) {
		summary := parseJSON[api.Status](t, first.stdout.String())
		if summary.Pages != status.Pages || summary.PagesSession != status.Pages {
			t.Errorf("the summary says %d pages, %d in this run; status says %d", summary.Pages, summary.PagesSession, status.Pages)
		}
	})
	t.Run("export", func(t *testing.T) { checkExports(t, l, seen, records) })
}

// checkTotals compares what the node has counted with what the web has seen.
func checkTotals(t *testing.T, l *lab, seen visits, records []record) {
	t.Helper()
	totals := l.stats().Totals
	var redirects, revisits int64
	pages := seen.pages()
	for _, h := range pages {
		if h.Status/100 == 3 {
			redirects++
		}
	}
	for _, r := range records {
		if r.kind == "revisit" {
			revisits++
		}
	}
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"pages", totals.Pages, l.status().Pages},
		{"redirects", totals.Redirects, redirects},
		{"requests of all kinds", totals.Pages + totals.Redirects + totals.Gone + totals.Failed, int64(len(pages))},
		{"duplicates", totals.Duplicates, revisits},
		{"URLs found", totals.Found, l.status().Known},
	} {
		if c.got != c.want {
			t.Errorf("stats count %d %s, want %d", c.got, c.what, c.want)
		}
	}
	if expected := int64(len(l.web.Expected())); totals.Pages < expected {
		t.Errorf("stats count %d pages, want %d at least", totals.Pages, expected)
	}
	if totals.BytesReceived == 0 || totals.BytesSent == 0 {
		t.Errorf("%d bytes received, %d sent", totals.BytesReceived, totals.BytesSent)
	}
}

// An orderly end loses nothing: what was fetched is settled, and the next run
// goes on with the rest.
func TestRun_InterruptedGoesOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(l *lab, p *process)
	}{
		{"SIGINT", func(_ *lab, p *process) { p.signal(syscall.SIGINT) }},
		{"SIGTERM", func(_ *lab, p *process) { p.signal(syscall.SIGTERM) }},
		{"forage stop", func(l *lab, _ *process) {
			if out := l.forage("stop"); out != "Stopped.\n" {
				l.t.Errorf("forage stop says %q", out)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, smallWeb)
			third := make(chan struct{})
			l.whenServed(int64(len(l.web.Expected()))/3, func() { close(third) })
			p := l.start(append(slices.Clone(fullSpeed), "--gap", "5ms")...)
			waitFor(t, "a third of the web to be served", third, p)
			c.end(l, p)
			p.succeed()

			half := l.visits()
			half.lawful(t, l.web)
			half.noRepeats(t)
			totals := checkStore(t, l.home)
			if totals.Queued == 0 {
				t.Error("after the interruption nothing is queued")
			}
			matchVisits(t, readArchive(t, l.warcDir()), half)

			l.start(fullSpeed...).succeed()
			seen := l.visits()
			seen.complete(t, l.web)
			seen.noRepeats(t)
			checkStore(t, l.home)
			records := readArchive(t, l.warcDir())
			matchVisits(t, records, seen)
			checkTotals(t, l, seen, records)
		})
	}
}

// Leases end while there is work left in them. What is not fetched by then is
// fetched under the next one, and nothing a second time.
func TestLong_LeasesEndWithoutRepeats(t *testing.T) {
	long(t)
	l := newLab(t, demo.Options{Pages: 1000})
	l.slowDown(100 * time.Millisecond) // with four fetchers, a crawl of several leases of ten seconds
	l.start(append(slices.Clone(fullSpeed), "--fetchers", "4", "--lab-times", "lab")...).succeed()
	l.visits().complete(t, l.web)
	l.visits().noRepeats(t)
	matchVisits(t, readArchive(t, l.warcDir()), l.visits())
	checkStore(t, l.home)
}

// Whoever interrupts a node that is still starting gets an orderly end too.
func TestRun_InterruptedWhileStarting(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 1, Pages: 60})
	seeds := filepath.Join(t.TempDir(), "seeds")
	var b strings.Builder
	for i := range sized(50_000, 200_000, 200_000) { // they take seconds to enqueue
		b.WriteString(l.web.StartURL() + "seed/" + strings.Repeat("x", i%7) + itoa(i) + "\n")
	}
	writeFile(t, seeds, b.String())
	p := startForage(t, "run", "--home", l.home, "--accept", "--lab", "--hosts", l.hosts, "--api", "127.0.0.1:0", "--seeds", seeds)
	p.awaitUp(l.home)
	p.signal(syscall.SIGINT)
	p.succeed()
	checkStore(t, l.home)
}

// A request that is answered while the node stops is the last of its lease: the
// lease goes home at once, however long the site wants to be left alone.
func TestRun_StopsWhileAnAnswerArrives(t *testing.T) {
	t.Parallel()
	s := newSite(t, "slow.test", map[string]string{
		"/robots.txt": "User-agent: *\nCrawl-delay: 600\n", "/": `<a href="/a">a</a>`, "/a": "a", "/b": "b",
	})
	seeds := filepath.Join(t.TempDir(), "seeds")
	writeFile(t, seeds, s.url("/")+"\n"+s.url("/b")+"\n")
	answer := make(chan struct{})
	s.whenAsked(1, func() { <-answer })
	p := startForage(t, "run", "--home", s.home, "--accept", "--lab", "--hosts", s.hosts, "--api", "127.0.0.1:0", "--seeds", seeds)
	p.awaitUp(s.home)
	node, err := client.Dial(filepath.Join(s.home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	until(t, "robots.txt to be asked for", func() bool { return s.asked.Load() == 1 })
	until(t, "both seeds to be known", func() bool {
		status, err := node.Status(t.Context())
		return err == nil && status.Known == 2
	})
	p.signal(syscall.SIGINT)
	until(t, "the node to stop", func() bool {
		status, err := node.Status(t.Context())
		return err != nil || status.State == api.StateStopping
	})
	close(answer)
	p.succeed()
	if totals := checkStore(t, s.home); totals.Queued != 2 {
		t.Errorf("after the end %d URLs are queued, want 2", totals.Queued)
	}
}
