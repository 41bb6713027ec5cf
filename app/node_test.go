package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/app/erase"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/journal"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// testSite answers for all hosts of a test and counts what was asked for.
type testSite struct {
	hosts *fetch.Hosts

	mu    sync.Mutex
	asked map[string]int
}

func newTestSite(t testing.TB, names string, handle http.HandlerFunc) *testSite {
	t.Helper()
	s := &testSite{asked: make(map[string]int)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked["http://"+r.Host+r.URL.RequestURI()]++
		s.mu.Unlock()
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	hosts, err := fetch.ParseHosts(strings.NewReader(server.Listener.Addr().String() + " " + names))
	if err != nil {
		t.Fatal(err)
	}
	s.hosts = hosts
	return s
}

func (s *testSite) times(url string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[url]
}

func (s *testSite) requests() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.asked {
		n += k
	}
	return n
}

// labOptions are those of a node in a lab without gaps, limits or syncs.
func labOptions(t testing.TB, home string, hosts *fetch.Hosts, seeds ...string) Options {
	t.Helper()
	paths, err := config.Resolve(home, func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	if err := paths.Create(); err != nil {
		t.Fatal(err)
	}
	o := Options{
		Paths: paths, Home: home, Config: config.Defaults(), NoSync: true, ExitWhenIdle: 300 * time.Millisecond,
		Lab: &Lab{Hosts: hosts, Gap: new(time.Duration), NoLimits: true}, Log: slog.New(slog.DiscardHandler),
	}
	o.Config.Web.Addr = "127.0.0.1:0"
	for _, s := range seeds {
		o.Seeds = append(o.Seeds, mustURL(t, s))
	}
	return o
}

func newNode(t testing.TB, o Options) *Node {
	t.Helper()
	n, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// serveUntilIdle runs a node until it has nothing left to do.
func serveUntilIdle(t testing.TB, n *Node) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := n.Serve(ctx); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if ctx.Err() != nil {
		s, _ := n.Status(context.Background())
		t.Errorf("the node found no end: %+v", s)
	}
	if err := n.checkBooks(); err != nil {
		t.Errorf("Check: %v", err)
	}
}

func closeNode(t testing.TB, n *Node) {
	t.Helper()
	if err := n.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestNode_CrawlsThePracticeWebAsItShould(t *testing.T) {
	web, err := demo.Start(demo.Options{Sites: 5, Pages: 200})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	hosts, err := fetch.ParseHosts(strings.NewReader(web.Hosts()))
	if err != nil {
		t.Fatal(err)
	}
	o := labOptions(t, t.TempDir(), hosts, web.StartURL())
	n := newNode(t, o)
	works, worked := n.archivist.Works, false
	n.archivist.Works = func() { worked = true; works() }
	serveUntilIdle(t, n)

	forbidden := web.Forbidden()
	got := make(map[string]int)
	for _, h := range web.Served() {
		if _, ok := slices.BinarySearch(forbidden, h.URL); ok {
			t.Errorf("%s was requested, which is forbidden", h.URL)
		}
		if h.Status == 200 {
			got[h.URL]++
		}
	}
	for _, u := range web.Expected() {
		if got[u] != 1 {
			t.Errorf("%s was fetched %d times", u, got[u])
		}
	}
	status, err := n.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stats, err := n.Stats(t.Context(), api.MaxHours)
	if err != nil {
		t.Fatal(err)
	}
	if status.Pages < int64(len(web.Expected())) || status.Pages != status.PagesSession || status.Pages != stats.Totals.Pages {
		t.Errorf("%d pages, %d in this run, %d in statistics, at least %d are there",
			status.Pages, status.PagesSession, stats.Totals.Pages, len(web.Expected()))
	}
	if status.Queued+status.Leases+status.InFlight != 0 || status.State != api.StateStopping || !status.Lab || status.Network != "lab-main" {
		t.Errorf("status %+v", status)
	}
	if stats.Totals.Found != status.Known {
		t.Errorf("%d URLs found by the statistics, %d known", stats.Totals.Found, status.Known)
	}
	if !worked {
		t.Error("a failure of the archive is remembered though it works again")
	}
	pages := 0
	for since := uint64(0); ; {
		events, next, _ := n.Events(since, 500)
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			if e.Kind == api.KindPage {
				pages++
			}
		}
		since = next
	}
	if int64(pages) != status.Pages && status.Seq <= journal.Size {
		t.Errorf("%d events of pages, %d pages", pages, status.Pages)
	}
	closeNode(t, n)
	checkFiles(t, o.Paths, status, stats)

	before := len(web.Served())
	again := newNode(t, o)
	serveUntilIdle(t, again)
	if n := len(web.Served()) - before; n != 0 {
		t.Errorf("%d requests after another start, though nothing was left to do", n)
	}
	after, err := again.Status(t.Context())
	if err != nil || after.Pages != status.Pages || after.PagesSession != 0 || after.BytesReceived < status.BytesReceived {
		t.Errorf("after another start: %d pages, %d in this run, %d bytes received; before %d pages, %d bytes (%v)",
			after.Pages, after.PagesSession, after.BytesReceived, status.Pages, status.BytesReceived, err)
	}
	closeNode(t, again)
}

// checkFiles compares what the files of a node that ended say to what it said.
func checkFiles(t *testing.T, paths config.Paths, status api.Status, stats api.Stats) {
	t.Helper()
	r, err := nodeapi.OpenReader(paths)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.StatusIn(t.Context(), words.English)
	if err != nil {
		t.Fatal(err)
	}
	if s.Pages != status.Pages || s.Known != status.Known || s.Domains != status.Domains || s.Queued != 0 || s.ArchiveBytes < status.ArchiveBytes/2 {
		t.Errorf("the files say %+v, the node said %+v", s, status)
	}
	if offline, err := r.Stats(t.Context(), api.MaxHours); err != nil || offline.Totals != stats.Totals {
		t.Errorf("statistics %+v in the files, %+v of the node (%v)", offline.Totals, stats.Totals, err)
	}
	dir := t.TempDir()
	count, file, err := export.AsStats(t.Context(), r, dir)
	if err != nil || int64(count) != s.Domains {
		t.Errorf("ExportStats = %d, %s, %v; want %d domains", count, file, err, s.Domains)
	}
	lines, err := export.AsCDXJ(t.Context(), paths, filepath.Join(dir, "sub", "index.cdxj"), false)
	if err != nil || int64(lines.Lines) < s.Pages {
		t.Errorf("ExportCDXJ = %+v, %v; want %d lines at least", lines, err, s.Pages)
	}
	links, err := export.AsLinks(t.Context(), paths, filepath.Join(dir, "links.tsv"), false)
	if err != nil || links.Lines == 0 || links.Damaged != nil {
		t.Errorf("ExportLinks = %+v, %v", links, err)
	}
	for name, want := range map[string]int{lines.File: lines.Lines, links.File: links.Lines} {
		text, err := os.ReadFile(name)
		if got := strings.Count(string(text), "\n"); err != nil || got != want {
			t.Errorf("%s has %d lines, want %d (%v)", name, got, want, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := export.AsLinks(cancelled, paths, filepath.Join(dir, "cut.tsv"), false); !errors.Is(err, context.Canceled) {
		t.Errorf("ExportLinks = %v after its context ended", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 6 {
		t.Errorf("%d files, want 6: nothing half written", len(entries))
	}
}

func TestNode_FullDiskLetsNothingStart(t *testing.T) {
	s := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	o.Lab.NoLimits, o.Config.Limits.Disk.Max = false, 0
	n := newNode(t, o)
	served := make(chan error, 1)
	go func() { served <- n.Serve(t.Context()) }()
	for since := uint64(0); ; {
		n.Wait(t.Context(), since)
		events, next, _ := n.Events(since, 100)
		since = next
		if len(events) == 0 {
			continue
		}
		last := events[len(events)-1].Text
		if strings.HasPrefix(last, "Resting ") && strings.Contains(last, "disk.max") {
			break
		}
	}
	status, err := n.Status(t.Context())
	if err != nil || status.State != api.StatePaused || len(status.Reasons) != 1 || !strings.Contains(status.Reasons[0], "disk.max") {
		t.Errorf("state %s %q, %v", status.State, status.Reasons, err)
	}
	if err := n.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	n.Stop(t.Context()) // a second time changes nothing
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if k := s.requests(); k != 0 {
		t.Errorf("%d requests", k)
	}
	closeNode(t, n)
}

func TestNode_PauseHoldsUntilResume(t *testing.T) {
	arrived, answer := make(chan struct{}, 10), make(chan struct{})
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "a page")
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/1", "http://a.test/2")
	n := newNode(t, o)
	served := make(chan error, 1)
	go func() { served <- n.Serve(t.Context()) }()
	<-arrived
	n.Pause(t.Context(), 0)
	for { // what was in flight is cut, and its lease is free again
		if _, leases := n.pool.InFlight(); leases == 0 {
			break
		}
		runtime.Gosched()
	}
	if k := s.times("http://a.test/1") + s.times("http://a.test/2"); k != 1 {
		t.Errorf("%d requests", k)
	}
	close(answer)
	n.Resume(t.Context())
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if err := n.checkBooks(); err != nil {
		t.Error(err)
	}
	if status, err := n.Status(t.Context()); err != nil || status.Pages != 2 {
		t.Errorf("%d pages, %v", status.Pages, err)
	}
	closeNode(t, n)
}

func TestNode_EndsWithItsContext(t *testing.T) {
	s := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	n := newNode(t, labOptions(t, t.TempDir(), s.hosts, "http://a.test/"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := n.Serve(ctx); err != nil {
		t.Errorf("Serve = %v though it was only told to end", err)
	}
	closeNode(t, n)
}

func TestNode_SeedsOutsideTheScopeAreAnError(t *testing.T) {
	s := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	o.Config.Crawl.Scope = []string{"b.test"}
	n := newNode(t, o)
	if err := n.Serve(t.Context()); err == nil || !strings.Contains(err.Error(), "none of the 1 seeds is inside the scope") {
		t.Errorf("Serve = %v", err)
	}
	closeNode(t, n)
}

func TestNode_HomeIsForOneNode(t *testing.T) {
	s := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	n := newNode(t, o)
	if _, err := New(o); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("a second node: %v, want ErrLocked", err)
	}
	if _, err := nodeapi.OpenReader(o.Paths); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("a reader: %v, want ErrLocked", err)
	}
	if _, err := erase.All(t.Context(), o.Paths, false); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("Erase = %v, want ErrLocked", err)
	}
	closeNode(t, n)
	if _, err := erase.All(t.Context(), o.Paths, false); err != nil {
		t.Errorf("Erase = %v", err)
	}
	if _, err := nodeapi.OpenReader(o.Paths); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a reader of nothing: %v", err)
	}
	if _, err := erase.All(t.Context(), o.Paths, false); err != nil {
		t.Errorf("Erase of nothing = %v", err)
	}
}

// take archives an answer to a task.
func (r *interrupted) take(claim crawl.Outcome, raw string) crawl.Outcome {
	r.t.Helper()
	if claim.Lease == 0 {
		r.t.Fatal("there is no lease for this task")
	}
	resp := answerOf(r.t, claim.Task.URL.String(), raw)
	o, p := answer.Read(claim.Task, resp, r.scope, time.Now(), nil)
	o.Lease, o.Domain = claim.Lease, claim.Domain
	if err := r.archivist.Archive(resp, &o, p); err != nil {
		r.t.Fatal(err)
	}
	return o
}

// settle tells the frontier, and waits for the commit.
func (r *interrupted) settle(o crawl.Outcome) {
	r.t.Helper()
	if err := r.swarm.Settle(r.t.Context(), o); err != nil {
		r.t.Fatal(err)
	}
	r.release(o)
}

// die ends the run as a kill would: the archive stays as it is, unfinished.
func (r *interrupted) die() *interrupted {
	r.t.Helper()
	r.stop()
	if err := r.db.Close(); err != nil {
		r.t.Fatal(err)
	}
	o := r.opts
	o.Seeds = nil
	next := interrupt(r.t, o)
	if err := next.recover(r.t.Context()); err != nil {
		r.t.Fatalf("recover: %v", err)
	}
	if err := next.checkBooks(); err != nil {
		r.t.Errorf("Check: %v", err)
	}
	return next
}

func (r *interrupted) totals() nodeapi.Totals {
	r.t.Helper()
	totals, err := r.frontier.Totals()
	if err != nil {
		r.t.Fatal(err)
	}
	return totals
}

// queued returns the URLs that are still to be fetched. It takes them all.
func (r *interrupted) queued() []string {
	r.t.Helper()
	var urls []string
	for {
		claims := r.grant()
		if len(claims) == 0 {
			slices.Sort(urls)
			return urls
		}
		for url, o := range claims {
			urls = append(urls, url)
			o.Result = crawl.Gone
			if err := r.swarm.Settle(r.t.Context(), o); err != nil {
				r.t.Fatal(err)
			}
		}
		for _, o := range claims {
			r.release(o)
		}
	}
}

const linked = `<title>One</title><a href="/x1">x</a>`

func TestRecover_SettlesWhatTheArchiveHolds(t *testing.T) {
	s := newTestSite(t, "a.test b.test", func(http.ResponseWriter, *http.Request) {})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4", "http://a.test/5", "http://b.test/")
	r := interrupt(t, o)
	claims := r.grant()
	r.take(claims["http://a.test/1"], page(linked, `ETag: "v1"`))
	r.take(claims["http://a.test/2"], page(linked)) // the same content
	r.take(claims["http://a.test/3"], "HTTP/1.1 301 Moved\r\nLocation: /target\r\nContent-Length: 0\r\n\r\n")
	r.take(claims["http://a.test/4"], "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
	r = r.die()
	got := r.totals()
	if got.Fetched != 2 || got.Duplicates != 1 || got.Other != 1 || got.Leases != 0 {
		t.Errorf("totals %+v; want 2 fetched, 1 of them a duplicate, 1 redirect, no lease", got)
	}
	want := []string{"http://a.test/4", "http://a.test/5", "http://a.test/target", "http://a.test/x1", "http://b.test/"}
	if got := r.queued(); !slices.Equal(got, want) {
		t.Errorf("queued %q, want %q", got, want)
	}
	stats, err := r.Stats(t.Context(), api.MaxHours)
	if err != nil || stats.Totals.Pages != 2 || stats.Totals.Duplicates != 1 {
		t.Errorf("statistics %+v, %v", stats.Totals, err)
	}
	if n := s.requests(); n != 0 {
		t.Errorf("%d requests", n)
	}
	// What recovery has settled stands for what comes after.
	if o := r.take(crawl.Outcome{Lease: 99, Task: crawl.Task{ID: "later", URL: mustURL(t, "http://b.test/other")}}, page(linked)); !o.Duplicate {
		t.Error("the content of a recovered page is not known any more")
	}
}

func TestRecover_TwiceChangesNothing(t *testing.T) {
	s := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	r := interrupt(t, labOptions(t, t.TempDir(), s.hosts, "http://a.test/1"))
	r.take(r.grant()["http://a.test/1"], page(linked))
	r = r.die()
	before := r.totals()
	r = r.die()
	if after := r.totals(); after != before {
		t.Errorf("totals %+v, then %+v", before, after)
	}
}

func TestRecover_WithoutTheArchiveGivesLeasesBack(t *testing.T) {
	s := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/1")
	r := interrupt(t, o)
	r.take(r.grant()["http://a.test/1"], page(linked))
	if err := os.RemoveAll(o.Paths.WARC()); err != nil {
		t.Fatal(err)
	}
	r = r.die()
	if got, want := r.queued(), []string{"http://a.test/1"}; !slices.Equal(got, want) {
		t.Errorf("queued %q, want %q", got, want)
	}
}

// A revisit has a head of its own; what it says is what counts.
func TestRecover_RevisitIsReadWithItsOwnHead(t *testing.T) {
	s := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	r := interrupt(t, labOptions(t, t.TempDir(), s.hosts, "http://a.test/1", "http://a.test/2"))
	claims := r.grant()
	r.take(claims["http://a.test/1"], page(linked, "X-Robots-Tag: nofollow"))
	live := r.take(claims["http://a.test/2"], page(linked, `ETag: "two"`))
	if !live.Duplicate || len(live.Outlinks) != 1 {
		t.Fatalf("live outcome %+v", live)
	}
	r = r.die()
	if got, want := r.queued(), []string{"http://a.test/x1"}; !slices.Equal(got, want) {
		t.Errorf("queued %q, want %q", got, want)
	}
}

// A task may have been tried before; the last capture is the one that counts.
func TestRecover_TakesTheCaptureOfTheLiveLease(t *testing.T) {
	s := newTestSite(t, "a.test b.test", func(http.ResponseWriter, *http.Request) {})
	r := interrupt(t, labOptions(t, t.TempDir(), s.hosts, "http://a.test/", "http://b.test/"))
	claims := r.grant()
	r.take(claims["http://a.test/"], page("never settled")) // keeps the checkpoint where it is
	r.settle(r.take(claims["http://b.test/"], "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"))
	claims = r.grant()
	r.take(claims["http://b.test/"], page("the second try"))
	r = r.die()
	if got := r.totals(); got.Fetched != 2 || got.Queued != 0 {
		t.Errorf("totals %+v, want 2 fetched and nothing queued", got)
	}
}

func TestRecover_DamagedArchiveCostsOnlyWhatIsDamaged(t *testing.T) {
	s := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/1", "http://a.test/2")
	r := interrupt(t, o)
	claims := r.grant()
	r.take(claims["http://a.test/1"], page(linked))
	r.take(claims["http://a.test/2"], page("the last page before the power went"))
	var last capture.Position
	if err := warcfile.Scan(o.Paths.WARC(), capture.Position{}, func(c capture.Stored) error {
		last = c.Position
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(o.Paths.WARC(), last.File+".open"), last.RecordOffset+last.RecordLength-10); err != nil {
		t.Fatal(err)
	}
	r = r.die()
	if got, want := r.queued(), []string{"http://a.test/2", "http://a.test/x1"}; !slices.Equal(got, want) {
		t.Errorf("queued %q, want %q", got, want)
	}
}

// A node that was killed goes on where it was, and asks for nothing twice.
func TestNode_GoesOnAfterAnInterruptedRun(t *testing.T) {
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "page %s", r.URL.Path)
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/1", "http://a.test/2")
	first := interrupt(t, o)
	first.take(first.grant()["http://a.test/1"], page(linked))
	first.stop()
	first.db.Close()
	n := newNode(t, o)
	serveUntilIdle(t, n)
	defer closeNode(t, n)
	for url, want := range map[string]int{"http://a.test/1": 0, "http://a.test/2": 1, "http://a.test/x1": 1} {
		if got := s.times(url); got != want {
			t.Errorf("%s was requested %d times, want %d", url, got, want)
		}
	}
	status, err := n.Status(t.Context())
	if err != nil || status.Pages != 3 {
		t.Errorf("%d pages, %v; want 3", status.Pages, err)
	}
	urls := make(map[string]bool)
	err = warcfile.Scan(o.Paths.WARC(), capture.Position{}, func(c capture.Stored) error {
		if urls[c.URL] {
			t.Errorf("%s is archived twice", c.URL)
		}
		urls[c.URL] = true
		return nil
	})
	if err != nil || len(urls) != 4 {
		t.Errorf("%d URLs in the archive, want 4 (%v)", len(urls), err)
	}
}
