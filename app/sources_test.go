package app

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage/warc/export"
)

// Pages that nothing links to are found by the sitemaps of robots.txt, by
// indexes of sitemaps, compressed or not, and by feeds.
func TestNode_FindsPagesBySitemapsAndFeeds(t *testing.T) {
	pack := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(s))
		w.Close()
		return b.String()
	}
	index := func(urls ...string) string {
		return `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` +
			strings.Join(urls, "</loc></sitemap><sitemap><loc>") + `</loc></sitemap></sitemapindex>`
	}
	set := func(urls ...string) string {
		return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>` +
			strings.Join(urls, "</loc></url><url><loc>") + `</loc></url></urlset>`
	}
	type doc struct{ kind, body string }
	docs := map[string]doc{
		"/robots.txt": {"text/plain", "User-agent: *\nDisallow: /secret\nSitemap: http://a.test/index.xml\n"},
		"/index.xml":  {"application/xml", index("http://a.test/one.xml.gz", "http://a.test/second.xml")},
		"/one.xml.gz": {"application/gzip", pack(set("http://a.test/by-sitemap", "http://a.test/secret", "http://b.test/elsewhere"))},
		"/second.xml": {"text/html", index("http://a.test/third.xml", "http://a.test/index.xml")},
		"/third.xml":  {"text/xml", index("http://a.test/fourth.xml")},
		"/fourth.xml": {"text/xml", set("http://a.test/too-deep")},
		"/feed":       {"application/rss+xml", `<rss version="2.0"><channel><item><link>http://a.test/by-feed</link></item></channel></rss>`},
		"/":           {"text/html", `<link rel="alternate" type="application/rss+xml" href="/feed"><link rel="canonical" href="/home"><a href="/old?utm_source=x&amp;id=1">old</a>`},
		"/home":       {"text/html", "home"},
		"/old?id=1":   {"text/html", "old"},
		"/by-sitemap": {"text/html", "found by the sitemap"},
		"/by-feed":    {"text/html", "found by the feed"},
		"/too-deep":   {"text/html", "four indexes deep"},
	}
	var mu sync.Mutex
	asked := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.Host+r.URL.RequestURI()]++
		mu.Unlock()
		d, ok := docs[r.URL.RequestURI()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", d.kind)
		fmt.Fprint(w, d.body)
	}))
	defer server.Close()
	hosts, err := fetch.ParseHosts(strings.NewReader(server.Listener.Addr().String() + " a.test b.test"))
	if err != nil {
		t.Fatal(err)
	}
	n := newNode(t, labOptions(t, t.TempDir(), hosts, "http://a.test/"))
	serveUntilIdle(t, n)
	closeNode(t, n)
	for _, path := range []string{"/index.xml", "/one.xml.gz", "/second.xml", "/third.xml", "/feed", "/", "/home", "/old?id=1", "/by-sitemap", "/by-feed"} {
		if got := asked["a.test"+path]; got != 1 {
			t.Errorf("%s was asked for %d times, want once", path, got)
		}
	}
	for _, url := range []string{"a.test/secret", "a.test/fourth.xml", "a.test/too-deep", "b.test/elsewhere", "a.test/old?utm_source=x&id=1"} {
		if got := asked[url]; got != 0 {
			t.Errorf("%s was asked for %d times", url, got)
		}
	}
}

// noarchive is not archived, noindex is archived but not exported, and both are
// fetched once.
func TestNode_ObeysWhatPagesAsk(t *testing.T) {
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<a href="/meta-noarchive">1</a><a href="/header-noarchive">2</a><a href="/meta-noindex">3</a><a href="/header-noindex">4</a><a href="/nosnippet">5</a>`)
		case "/meta-noarchive":
			fmt.Fprint(w, `<meta name="robots" content="noarchive"><a href="/beyond">6</a>`)
		case "/header-noarchive":
			w.Header().Set("X-Robots-Tag", "noarchive")
			fmt.Fprint(w, "secret")
		case "/meta-noindex":
			fmt.Fprint(w, `<meta name="forage" content="noindex">keep out`)
		case "/header-noindex":
			w.Header().Set("X-Robots-Tag", "noindex")
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "keep this out too")
		case "/nosnippet":
			fmt.Fprint(w, `<meta name="robots" content="nosnippet, max-snippet:0">as any other`)
		default:
			fmt.Fprint(w, "beyond")
		}
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	n := newNode(t, o)
	serveUntilIdle(t, n)
	closeNode(t, n)
	var index bytes.Buffer
	if _, err := export.CDXJ(t.Context(), o.Paths.WARC(), &index); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path               string
		archived, exported bool
	}{
		{"/", true, true}, {"/meta-noarchive", false, false}, {"/header-noarchive", false, false}, {"/meta-noindex", true, false},
		{"/header-noindex", true, false}, {"/nosnippet", true, true}, {"/beyond", true, true},
	} {
		url := "http://a.test" + c.path
		if got := s.times(url); got != 1 {
			t.Errorf("%s was asked for %d times", c.path, got)
		}
		if got := len(captures(t, o.Paths.WARC(), url)) == 1; got != c.archived {
			t.Errorf("%s archived: %v, want %v", c.path, got, c.archived)
		}
		if got := strings.Contains(index.String(), `"`+url+`"`); got != c.exported {
			t.Errorf("%s exported: %v, want %v", c.path, got, c.exported)
		}
	}
	// Run again: nothing of it is asked for a second time.
	n = newNode(t, o)
	serveUntilIdle(t, n)
	closeNode(t, n)
	if got := s.times("http://a.test/meta-noarchive"); got != 1 {
		t.Errorf("a page that is not archived was asked for %d times", got)
	}
}
