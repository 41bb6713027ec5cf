package app

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// captures returns what is archived under a URL.
func captures(t testing.TB, dir, url string) (list []capture.Stored) {
	t.Helper()
	err := warcfile.Scan(dir, capture.Position{}, func(c capture.Stored) error {
		if c.URL == url {
			c.Response = slices.Clone(c.Response)
			list = append(list, c)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// onlyDomain returns what a node knows of its one domain.
func onlyDomain(t testing.TB, n *Node) nodeapi.DomainInfo {
	t.Helper()
	list, err := n.frontier.Domains("", 2)
	if err != nil || len(list) != 1 {
		t.Fatalf("domains %+v, %v; want one", list, err)
	}
	return list[0]
}

// Pages come up again: what did not change costs a 304 or a revisit record,
// what did is archived again.
func TestNode_VisitsPagesAgain(t *testing.T) {
	const visits = 4
	var counts [3]atomic.Int64
	enough := make(chan struct{})
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		i := map[string]int{"/tagged": 0, "/same": 1, "/changing": 2}[r.URL.Path]
		if n := counts[i].Add(1); n == visits {
			done := true
			for j := range counts {
				done = done && counts[j].Load() >= visits
			}
			if done {
				close(enough)
			}
		}
		switch r.URL.Path {
		case "/tagged":
			w.Header().Set("ETag", `"one"`)
			w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
			if r.Header.Get("If-None-Match") == `"one"` && r.Header.Get("If-Modified-Since") == "Mon, 02 Jan 2006 15:04:05 GMT" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, "a page with a tag")
		case "/same":
			fmt.Fprint(w, "always the same")
		case "/changing":
			fmt.Fprint(w, "version ", counts[2].Load())
		}
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/tagged", "http://a.test/same", "http://a.test/changing")
	o.ExitWhenIdle = 0
	o.Lab.Revisit = frontier.Revisit{First: time.Millisecond, Least: time.Millisecond, Most: time.Millisecond}
	n := newNode(t, o)
	served := make(chan error, 1)
	go func() { served <- n.Serve(t.Context()) }()
	<-enough
	n.Stop(t.Context())
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	site := onlyDomain(t, n)
	if site.Fetched != 3 || site.Known != 3 || site.Revisits < 3*(visits-1)-3 || site.Changed == 0 {
		t.Errorf("the site is %+v", site)
	}
	if err := n.checkBooks(); err != nil {
		t.Error(err)
	}
	closeNode(t, n)

	dir := o.Paths.WARC()
	for _, c := range []struct {
		url    string
		status string
		later  func(capture.Stored) bool
	}{
		{"http://a.test/tagged", "304", func(c capture.Stored) bool { return c.Revisit != nil && c.Revisit.NotModified }},
		{"http://a.test/same", "200", func(c capture.Stored) bool { return c.Revisit != nil && !c.Revisit.NotModified }},
		{"http://a.test/changing", "200", func(c capture.Stored) bool { return c.Revisit == nil }},
	} {
		list := captures(t, dir, c.url)
		if len(list) < visits-1 || list[0].Revisit != nil {
			t.Errorf("%s: %d captures, the first %+v", c.url, len(list), list[0].Revisit)
			continue
		}
		for i, k := range list[1:] {
			if !c.later(k) || !strings.HasPrefix(string(k.Response), "HTTP/1.1 "+c.status) {
				t.Errorf("%s, visit %d: revisit %+v, %.30q", c.url, i+2, k.Revisit, k.Response)
			}
			if k.Revisit != nil && (k.Revisit.URL != c.url || !k.Revisit.Date.Equal(list[0].Date) || k.PayloadDigest != list[0].PayloadDigest) {
				t.Errorf("%s, visit %d refers to %+v, digest %x; first is of %v, %x", c.url, i+2, k.Revisit, k.PayloadDigest, list[0].Date, list[0].PayloadDigest)
			}
		}
	}
}

// A node that dies between a 304 and its commit settles it from the archive.
func TestRecover_SettlesUnchangedPage(t *testing.T) {
	answers := make(chan int, 100)
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"one"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			answers <- 304
			return
		}
		fmt.Fprint(w, "a page")
		answers <- 200
	})
	home := t.TempDir()
	o := labOptions(t, home, s.hosts, "http://a.test/")
	o.Lab.Revisit = frontier.Revisit{First: time.Millisecond, Least: 24 * time.Hour}
	o.ExitWhenIdle = 0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := newNode(t, o)
	served := make(chan error, 1)
	go func() { served <- n.Serve(ctx) }()
	for status := range answers {
		if status == 304 {
			break
		}
	}
	n.Stop(ctx)
	<-served
	site := onlyDomain(t, n)
	closeNode(t, n)
	if site.Revisits == 1 { // the usual case: all was committed in time
		if got := captures(t, o.Paths.WARC(), "http://a.test/"); len(got) != 2 {
			t.Errorf("%d captures, want 2", len(got))
		}
	}

	// The same capture, with the page leased again as of before it: a new node
	// takes the outcome from the archive and asks nobody.
	n = newNode(t, o)
	defer closeNode(t, n)
	list := captures(t, o.Paths.WARC(), "http://a.test/")
	last := list[len(list)-1]
	task := crawl.Task{URL: o.Seeds[0], Prior: &crawl.Prior{Date: last.Date.Add(-2 * time.Second), Digest: last.PayloadDigest, ETag: `"one"`}}
	o2, err := n.recovery().OutcomeOf(last, crawl.Outcome{Task: task, Domain: "a.test"})
	if err != nil || o2.Result != crawl.Unchanged || o2.Digest != last.PayloadDigest || o2.ETag != `"one"` {
		t.Errorf("outcome %+v, %v", o2, err)
	}
}
