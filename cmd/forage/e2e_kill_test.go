//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
)

const killSeed = 20260101

// A few kills always, many when there is time.
func TestKillNine(t *testing.T) { killOften(t, 3, demo.Options{Pages: 900}, killSeed) }

func TestLong_KillNine(t *testing.T) {
	long(t)
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { killOften(t, 20, demo.Options{Pages: 3000}, seed) })
	}
}

// fetchers is how many requests may be in flight at a kill.
const fetchers = 4

// kill is one run that was killed.
type kill struct {
	at    int64     // served requests when it was due, 0 for at once after the start
	next  time.Time // when the run after it was started
	since time.Time // when it was sent
}

// killOften crawls a web with a node that dies again and again, and compares
// what comes of it with a crawl that was left in peace.
func killOften(t *testing.T, kills int, o demo.Options, seed uint64) {
	flags := append(slices.Clone(fullSpeed), "--fetchers", fmt.Sprint(fetchers))
	peaceful := newLab(t, o)
	peaceful.start(flags...).succeed()
	want := peaceful.visits()
	want.noRepeats(t)

	l := newLab(t, o)
	random := rand.New(rand.NewPCG(seed, 0))
	moments := killMoments(random, kills, int64(len(want)))
	t.Logf("seed %d: kills at %d of about %d requests; 0 is at the start", seed, moments, len(want))
	list := make([]kill, 0, kills)
	for i, at := range moments {
		p := l.start(flags...)
		if i > 0 {
			list[i-1].next = time.Now()
		}
		k := kill{at: at}
		k.since = l.killAt(p, at, random.IntN(2) == 0)
		list = append(list, k)
		if i%2 == 0 { // half the kills find the store as the kill before has left it
			checkStore(t, l.home)
		}
	}
	last := l.start(flags...)
	list[kills-1].next = time.Now()
	last.succeed()

	got := l.visits()
	got.complete(t, l.web)
	if a, b := got.fetched(), want.fetched(); !slices.Equal(a, b) {
		t.Errorf("%d URLs were fetched, %d in peace", len(a), len(b))
		reportDifference(t, a, b)
	}
	explainRepeats(t, got, list)
	records := readArchive(t, l.warcDir())
	matchVisits(t, records, got)
	checkStore(t, l.home)
	if pages, want := l.status().Pages, peaceful.status().Pages; pages != want {
		t.Errorf("%d pages are counted, %d in peace", pages, want)
	}
}

// killMoments draws when to kill: sorted numbers of served requests, and among
// them, one in five, 0 for the moment after the start.
func killMoments(random *rand.Rand, n int, total int64) []int64 {
	moments := make([]int64, n)
	for i := range moments {
		moments[i] = 1 + random.Int64N(total*9/10)
	}
	slices.Sort(moments)
	for i := 2; i < n; i += 5 {
		moments[i] = 0
	}
	return moments
}

// killAt kills a node when the web has served n requests: while the last of
// them is being answered, or right after. It returns when it did.
func (l *lab) killAt(p *process, n int64, during bool) (at time.Time) {
	l.t.Helper()
	due := make(chan struct{})
	if n == 0 {
		p.awaitUp(l.home)
		close(due)
	} else {
		l.whenServed(n, func() {
			if during {
				at = time.Now()
				defer p.signal(syscall.SIGKILL)
			}
			close(due) // before the process ends, which would look like a failure
		})
	}
	waitFor(l.t, fmt.Sprintf("%d requests to be served", n), due, p)
	if at.IsZero() {
		at = time.Now()
		p.signal(syscall.SIGKILL)
	}
	if code := p.wait(); code != -1 {
		l.t.Fatalf("killed at %d requests, the node ended with %d", n, code)
	}
	return at
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

// A node that loses its power while it writes leaves the end of a record
// behind. It is cut off, and what is whole is kept.
func TestKillNine_TornRecord(t *testing.T) {
	l := newLab(t, demo.Options{Sites: 2, Pages: 100})
	p := l.start(append(slices.Clone(fullSpeed), "--gap", "5ms")...)
	l.killAt(p, 60, false)
	open, err := filepath.Glob(filepath.Join(l.warcDir(), "*.open"))
	if err != nil || len(open) != 1 {
		t.Fatalf("%v are being written, %v", open, err)
	}
	file := readFile(t, open[0])
	writeFile(t, open[0], string(file)+string(file[:100])) // a gzip member begins, and no more
	l.start(fullSpeed...).succeed()

	seen := l.visits()
	seen.complete(t, l.web)
	if n := len(seen.repeats()); n > 16 {
		t.Errorf("%d requests were repeated after one kill with 16 fetchers", n)
	}
	matchVisits(t, readArchive(t, l.warcDir()), seen)
	checkStore(t, l.home)
}
