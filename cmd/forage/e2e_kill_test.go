//go:build unix

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/storage/warc/check"
)

const killSeed = 20260101

// One kill of each moment always, many when there is time.
func TestKillNine(t *testing.T) {
	t.Parallel()
	kills := sized(6, 8, 8)
	killOften(t, kills, demo.Options{Pages: sized(smallWeb.Pages, 900, 900)}, killSeed)
}

func TestLong_KillNine(t *testing.T) {
	long(t)
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { killOften(t, 20, demo.Options{Pages: 3000}, seed) })
	}
}

const (
	// fetchers is how many requests may be in flight at a kill.
	fetchers = 4
	// rotateAt makes a node begin a new archive file every few dozen pages.
	rotateAt = 64 << 10
)

// moment is what a node is at when it is killed.
type moment int

const (
	atRandom   moment = iota // between two requests, or during one
	atStart                  // it has just said where its API is
	atRotation               // a new file of the archive has just appeared
	atCommit                 // the store is being written
	inDoctor                 // killed at random, and then "forage doctor" too
)

func (m moment) String() string {
	return [...]string{"at random", "at the start", "at a rotation", "at a commit", "at random, and doctor"}[m]
}

// kill is one run that was killed.
type kill struct {
	moment
	at    int64     // served requests when it was due, or when its moment was waited for
	next  time.Time // when the run after it was started
	since time.Time // when it was sent
}

func (k kill) String() string { return fmt.Sprintf("%s after %d", k.moment, k.at) }

// killOften crawls a web with a node that dies again and again, and compares
// what comes of it with a crawl that was left in peace.
func killOften(t *testing.T, kills int, o demo.Options, seed uint64) {
	flags := append(slices.Clone(fullSpeed), "--fetchers", fmt.Sprint(fetchers), "--lab-rotate", fmt.Sprint(rotateAt))
	peaceful := newLab(t, o)
	peaceful.start(flags...).succeed()
	want := peaceful.visits()
	want.noRepeats(t)

	l := newLab(t, o)
	k := killer{lab: l, random: rand.New(rand.NewPCG(seed, 0)), healthy: healthyDoctor(t, peaceful)}
	list := k.plan(kills, int64(len(want)))
	t.Logf("seed %d: %v of about %d requests", seed, list, len(want))
	for i := range list {
		p := l.start(flags...)
		if i > 0 {
			list[i-1].next = time.Now()
		}
		list[i].since = k.kill(p, list[i])
		if i%2 == 0 { // half the kills find the store as the kill before has left it
			checkStore(t, l.home)
		}
	}
	last := l.start(flags...)
	list[kills-1].next = time.Now()
	last.succeed()
	compareWithPeace(t, l, peaceful, list)
}

// compareWithPeace judges a crawl with kills by one without.
func compareWithPeace(t *testing.T, l, peaceful *lab, kills []kill) {
	t.Helper()
	got, want := l.visits(), peaceful.visits()
	got.complete(t, l.web)
	if a, b := got.fetched(), want.fetched(); !slices.Equal(a, b) {
		t.Errorf("%d URLs were fetched, %d in peace", len(a), len(b))
		reportDifference(t, a, b)
	}
	explainRepeats(t, got, kills)
	checkArchive(t, l.warcDir())
	removeAside(t, l.warcDir())
	matchVisits(t, readArchive(t, l.warcDir()), got)
	checkStore(t, l.home)
	if pages, want := l.status().Pages, peaceful.status().Pages; pages != want {
		t.Errorf("%d pages are counted, %d in peace", pages, want)
	}
	compareStats(t, l, peaceful)
	if report := startForage(t, "doctor", "--home", l.home); report.wait() != 0 {
		t.Errorf("doctor is not content:\n%s%s", report.stdout.String(), report.stderr.String())
	}
}

// checkArchive fails the test unless an archive is whole and its indexes tell
// of all of it.
func checkArchive(t *testing.T, dir string) {
	t.Helper()
	report, err := check.Archive(t.Context(), dir, check.Options{})
	if err != nil {
		t.Error(err)
	}
	for _, f := range report.Faults {
		t.Errorf("the archive is at fault: %s", f)
	}
}

// explainRepeats fails the test unless every request that was made in vain was
// in flight at a kill: one a fetcher at most, and among the last of its run.
func explainRepeats(t *testing.T, v visits, kills []kill) {
	t.Helper()
	lost := make([]visits, len(kills))
	deepest, slowest := 0, ""
	for _, h := range v.repeats() {
		i := slices.IndexFunc(kills, func(k kill) bool { return h.Start.Before(k.next) })
		if i < 0 {
			t.Errorf("%s was requested again, and no kill came between", h.URL)
			continue
		}
		distance := v.count(func(o demo.Hit) bool { return o.End.After(h.End) && o.End.Before(kills[i].since) })
		if i > 0 {
			// What a dead node had sent the server may have read when the next
			// one was at work already.
			late := v.count(func(o demo.Hit) bool { return o.Start.After(kills[i-1].next) && o.Start.Before(h.Start) })
			if late < distance && len(lost[i-1]) < fetchers {
				i, distance = i-1, late
			}
		}
		lost[i] = append(lost[i], h)
		if distance > deepest {
			deepest, slowest = distance, h.URL
		}
	}
	total := 0
	for i, list := range lost {
		total += len(list)
		if len(list) > fetchers {
			t.Errorf("kill %d cost %d requests, with %d fetchers", i, len(list), fetchers)
		}
	}
	t.Logf("%d kills cost %d requests of %d, %d being the most that may be lost; at most %d others (%s) were answered between one and its kill",
		len(kills), total, len(v), len(kills)*fetchers, deepest, slowest)
	// A fetcher that has its answer and was killed before it had written it
	// down may have been held up meanwhile, while the others went on.
	if deepest > 50*fetchers {
		t.Errorf("%s was lost though %d others were answered between it and the kill", slowest, deepest)
	}
}

// count returns how many visits are of a kind.
func (v visits) count(is func(demo.Hit) bool) (n int) {
	for _, h := range v {
		if is(h) {
			n++
		}
	}
	return n
}

// reportDifference says what two sorted lists do not have in common.
func reportDifference(t *testing.T, got, want []string) {
	t.Helper()
	few := complaints{t: t}
	for _, u := range got {
		if _, ok := slices.BinarySearch(want, u); !ok {
			few.errorf("only after kills: %s", u)
		}
	}
	for _, u := range want {
		if _, ok := slices.BinarySearch(got, u); !ok {
			few.errorf("only in peace: %s", u)
		}
	}
}

// A node dies with a page and its duplicate in the archive, neither settled.
// Both are recovered from there, and later duplicates are still recognised.
func TestKillNine_DuplicateIsNotFetchedAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, "copies.test", map[string]string{
		"/":  `<a href="/1">1</a> <a href="/2">2</a> <a href="/3">3</a> <a href="/4">4</a> <a href="/5">5</a>`,
		"/1": "<p>the same", "/2": "<p>the same", "/3": "<p>the same", "/4": "<p>the same", "/5": "<p>the same",
	})
	args := []string{
		"run", "--home", s.home, "--accept", "--lab", "--hosts", s.hosts, "--api", "127.0.0.1:0", "--seeds", s.url("/"),
		"--gap", "0s", "--fetchers", "1", "--no-limits", "--exit-when-idle", "1s",
	}
	running, third := make(chan *process, 1), make(chan struct{})
	s.whenAsked(5, func() { // robots.txt, the home page, two copies, and this one
		p := <-running
		close(third)
		p.signal(syscall.SIGKILL)
	})
	p := startForage(t, args...)
	running <- p
	waitFor(t, "the third copy", third, p)
	p.wait()
	inFlight := s.visits()[4].URL
	startForage(t, args...).succeed()

	for _, h := range s.visits().repeats() {
		if h.URL != inFlight {
			t.Errorf("%s was fetched, archived and, after the kill, fetched again", h.URL)
		}
	}
	responses := 0
	records := readArchive(t, filepath.Join(s.home, "data", "warc"))
	for _, r := range records {
		if r.kind == "response" && !isRobots(r.url) && r.url != s.url("/") {
			responses++
		}
	}
	if responses != 1 {
		t.Errorf("the same payload is stored %d times in full, want once", responses)
	}
	matchVisits(t, records, s.visits())
	checkStore(t, s.home)
}

// A node dies when it has stored the robots.txt of a site, and no page yet. The
// sitemap that the robots.txt names is fetched nevertheless.
func TestKillNine_SitemapIsNotForgotten(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	var asked sync.Map // by host and path
	running, due := make(chan *process, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, again := asked.LoadOrStore(r.Host+r.URL.Path, true)
		switch {
		case r.URL.Path == "/robots.txt":
			io.WriteString(w, "User-agent: *\nAllow: /\nSitemap: http://"+r.Host+"/map.xml\n")
			return
		case r.URL.Path == "/" && !again && len(running) > 0:
			if _, both := asked.LoadOrStore("a home page", true); both { // and the other one has been answered
				p := <-running
				awaitPages(t, home, 1)
				close(due)
				p.signal(syscall.SIGKILL)
			}
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<p>"+r.Host)
	}))
	t.Cleanup(server.Close)
	hosts, seeds := filepath.Join(t.TempDir(), "hosts"), filepath.Join(t.TempDir(), "seeds")
	address := strings.TrimPrefix(server.URL, "http://")
	writeFile(t, hosts, address+" one.test\n"+address+" other.test\n")
	writeFile(t, seeds, "http://one.test/\nhttp://other.test/\n")
	args := []string{
		"run", "--home", home, "--accept", "--lab", "--hosts", hosts, "--api", "127.0.0.1:0", "--seeds", seeds,
		"--gap", "300ms", "--fetchers", "2", "--no-limits", "--exit-when-idle", "1s", "--lab-times", "real",
	}
	p := startForage(t, args...)
	running <- p
	waitFor(t, "both home pages to be asked for", due, p)
	p.wait()
	startForage(t, args...).succeed()
	for _, name := range []string{"one.test/map.xml", "other.test/map.xml"} {
		if _, ok := asked.Load(name); !ok {
			t.Errorf("%s was forgotten", name)
		}
	}
}

// awaitPages waits until a node has stored so many pages.
func awaitPages(t *testing.T, home string, n int64) {
	node, err := client.Dial(filepath.Join(home, "state"))
	if err != nil {
		t.Error(err)
		return
	}
	until(t, "pages to be stored", func() bool {
		status, err := node.Status(t.Context())
		return err == nil && status.Pages >= n
	})
}

// A node that loses its power while it writes leaves the end of a record
// behind. It is cut off, and what is whole is kept.
func TestKillNine_TornRecord(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 2, Pages: 100})
	p := l.start(append(slices.Clone(fullSpeed), "--gap", "5ms")...)
	l.killAt(p, 60, false)
	open, err := filepath.Glob(filepath.Join(l.warcDir(), "*.open"))
	if err != nil || len(open) != 1 {
		t.Fatalf("%v are being written, %v", open, err)
	}
	tearTail(t, open[0])
	l.start(fullSpeed...).succeed()

	seen := l.visits()
	seen.complete(t, l.web)
	if n := len(seen.repeats()); n > 16 {
		t.Errorf("%d requests were repeated after one kill with 16 fetchers", n)
	}
	matchVisits(t, readArchive(t, l.warcDir()), seen)
	checkStore(t, l.home)
}
