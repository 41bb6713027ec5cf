package app

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/check"
	"github.com/forage-net/forage/storage/warc/lookup"
	"github.com/forage-net/forage/storage/warc/repair"
)

// libraryPages answers as sites do: in old encodings, compressed, with what is
// no page.
func libraryPages(w http.ResponseWriter, r *http.Request) {
	html := func(kind, body string) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, body)
	}
	switch r.URL.Path {
	case "/":
		html("text/html; charset=utf-8", `<html lang="en"><title>The Garden in Winter</title><h1>Winter</h1><p>Snow &amp; <b>ice</b>.`+
			`<script>alert(1)</script><ul><li><a href="/old">old</a><li><a href="/packed">packed</a></ul>`+
			`<a href="/twin">twin</a><a href="/moved">moved</a><a href="/text">text</a><a href="/feed">feed</a><a href="/picture">picture</a><a href="/twin2">t</a>`)
	case "/old":
		html("text/html; charset=windows-1252", "<title>\xdcberblick</title><p>Stra\xdfe")
	case "/packed":
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, "<title>Packed</title><pre>a\n b</pre>")
		z.Close()
	case "/twin", "/twin2":
		html("text/html", "<title>Twins</title><p>the same")
	case "/moved":
		http.Redirect(w, r, "/text", http.StatusMovedPermanently)
	case "/text":
		html("text/plain; charset=utf-8", "one\n\ntwo <b>")
	case "/feed":
		html("application/rss+xml", `<rss><channel><item><title>News</title><description>&lt;p&gt;of today</description></item></channel></rss>`)
	case "/picture":
		html("image/png", "\x89PNG\r\n")
	}
}

// serveInBackground runs a node until the test tells it to end.
func serveInBackground(t *testing.T, n *Node) (c *client.Client, end func()) {
	t.Helper()
	c, wait := serveUntilStopped(t, n)
	return c, func() {
		t.Helper()
		n.Stop(t.Context())
		wait()
		closeNode(t, n)
	}
}

// serveUntilStopped runs a node until somebody stops it, which wait waits for.
func serveUntilStopped(t *testing.T, n *Node) (c *client.Client, wait func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- n.Serve(ctx) }()
	for c == nil {
		var err error
		if c, err = client.Dial(n.opts.Paths.State); err != nil && !errors.Is(err, api.ErrNotRunning) {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
	return c, func() {
		t.Helper()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		cancel()
	}
}

// waitFor waits until there are so many of something.
func waitFor(t *testing.T, what string, want int, count func() (int, error)) {
	t.Helper()
	for start := time.Now(); ; runtime.Gosched() {
		n, err := count()
		if err != nil {
			t.Fatal(err)
		}
		if n >= want {
			return
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("%d %s after a minute, want %d", n, what, want)
		}
	}
}

// waitCaptures waits until so many captures are in the archive of a node.
func waitCaptures(t *testing.T, o Options, want int) {
	t.Helper()
	waitFor(t, "captures", want, func() (int, error) {
		found, err := lookup.Search(t.Context(), o.Paths.WARC(), "matches nothing at all", lookup.Bounds{Limit: 1})
		return found.Searched, err
	})
}

// library is what searches and reading are done with: a node over HTTP, or its files.
func checkLibrary(t *testing.T, lib api.Librarian) {
	t.Helper()
	ctx := t.Context()
	for query, want := range map[string]string{
		"winter garden": "http://a.test/", "uberblick": "http://a.test/old", "ÜBERBLICK": "http://a.test/old", "packed": "http://a.test/packedhttp://a.test/",
		"a.test/tex": "http://a.test/texthttp://a.test/", "robots": "", "moved": "http://a.test/", `"snow ice"`: "http://a.test/", `"ice snow"`: "", "winter -snow": "",
	} {
		got, err := lib.SearchArchive(ctx, query, "", 10)
		if err != nil {
			t.Fatal(err)
		}
		urls := ""
		for _, r := range got.Results {
			urls += r.URL
			if r.Domain != "a.test" || r.ID == "" || r.Time.IsZero() {
				t.Errorf("result %+v", r)
			}
		}
		if urls != want {
			t.Errorf("searching %q finds %q, want %q", query, urls, want)
		}
	}
	for url, want := range map[string]string{
		"http://a.test/": "The Garden in Winter|en|h1:Winter|p:Snow & ice.|li:old|li:packed|p:twinmovedtextfeedpicturet", "a.test/old": "Überblick||p:Straße",
		"https://www.a.test/packed": "Packed||pre:a\n b", "http://a.test/twin": "Twins||p:the same", "http://a.test/twin2": "Twins||p:the same",
		"http://a.test/moved": "||p:This address leads on to http://a.test/text", "http://a.test/text": "||pre:one|pre:two <b>",
		"http://a.test/feed":    "||h2:News|p:of today",
		"http://a.test/picture": "||p:This is not text but image/png. There is nothing to read here.",
	} {
		found, err := lib.Captures(ctx, url, "", 10)
		if err != nil || len(found.Captures) == 0 {
			t.Errorf("captures of %s: %+v, %v", url, found, err)
			continue
		}
		page, err := lib.ReadCapture(ctx, found.Captures[0].ID, "en")
		got := page.Title + "|" + page.Language
		for _, p := range page.Paragraphs {
			got += "|" + p.Kind + ":" + p.Text
		}
		if err != nil || got != want || page.Cut {
			t.Errorf("%s reads %q, %v, want %q", url, got, err, want)
		}
		if url == "http://a.test/" && (len(page.Links) != 8 || page.Links[0] != "http://a.test/old") {
			t.Errorf("links %q", page.Links)
		}
	}
	if _, err := lib.ReadCapture(ctx, "forage-20260131120000-00001-00000000.99", "en"); err == nil {
		t.Error("a capture that is not there was read")
	}
	if _, err := lib.SearchArchive(ctx, "x", "../x", 10); err == nil {
		t.Error("a place that is none was gone on from")
	}
}

// What was fetched is found and can be read: while the node runs, after it
// ended, after its index was made again, and after it started again.
func TestLibrary_FindsAndReads(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	o.ExitWhenIdle = 0
	n := newNode(t, o)
	c, end := serveInBackground(t, n)
	waitCaptures(t, o, 10)                                            // with robots.txt, without the picture's twin
	waitFor(t, "pages that can be searched", 6, func() (int, error) { // they are archived a moment before
		got, err := c.SearchArchive(t.Context(), "matches nothing at all", "", 1)
		return got.Pages, err
	})
	checkLibrary(t, c)
	end()
	lib := library.Open(o.Paths)
	checkLibrary(t, lib)

	indexes, _ := filepath.Glob(filepath.Join(o.Paths.WARC(), "*.cdxj"))
	if len(indexes) != 1 {
		t.Fatalf("indexes %q, want one", indexes)
	}
	os.Remove(indexes[0])
	report, err := check.Archive(t.Context(), o.Paths.WARC(), check.Options{})
	if err == nil {
		_, err = repair.Archive(t.Context(), durable.Disk{}, o.Paths.WARC(), report.RepairableFiles)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkLibrary(t, lib)

	n = newNode(t, o)
	c, end = serveInBackground(t, n)
	checkLibrary(t, c)
	end()
}

// A damaged index of a node that does not run is told with what to do.
func TestLibrary_DamagedIndex(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	n := newNode(t, o)
	serveUntilIdle(t, n)
	closeNode(t, n)
	segments, err := filepath.Glob(filepath.Join(o.Paths.Index(), "*.segment"))
	if err != nil || len(segments) == 0 {
		t.Fatal("no index was written", err)
	}
	if err := os.Truncate(segments[0], 100); err != nil {
		t.Fatal(err)
	}
	if _, err := library.Open(o.Paths).SearchArchive(t.Context(), "winter", "", 10); !errors.Is(err, library.ErrDamagedIndex) {
		t.Errorf("searching says %v", err)
	}
}
