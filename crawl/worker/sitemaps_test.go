package worker

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
)

// urlset makes a sitemap.
func urlset(urls ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, u := range urls {
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>", u)
	}
	return b.String() + "</urlset>"
}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

// sourceLease is a lease on sitemaps, with pages after them.
func (r *rig) sourceLease(sitemap string, pages ...string) crawl.Lease {
	l := r.lease(append([]string{sitemap}, pages...)...)
	l.Tasks[0].Source = 1
	return l
}

// keep has the robots.txt of an origin be known.
func (r *rig) keep(origin, text string) {
	r.t.Helper()
	rec := robots.Fetch(r.t.Context(), answered{robots.Reply{Status: 200, Body: []byte(text)}}, mustURL(r.t, origin+"/"), robots.Record{}, r.cfg.Now())
	if err := r.cache.Put(origin, rec); err != nil {
		r.t.Fatal(err)
	}
}

// A sitemap on another host speaks for a site whose robots.txt names one there, and for no other.
func TestPool_SitemapElsewhere(t *testing.T) {
	const cdn = "http://files.cdn.test/"
	two := []string{"http://a.example/deep", "http://b.example/foreign"}
	for _, c := range []struct {
		name, robots string // of a.example
		path, body   string // of the sitemap
		contentType  string
		want         []string
	}{
		{"named", "Sitemap: " + cdn + "a.xml", "a.xml", urlset(two...), "application/xml", two[:1]},
		{"in text", "Sitemap: " + cdn + "a.txt", "a.txt", strings.Join(two, "\n"), "text/plain", two[:1]},
		{"packed", "Sitemap: " + cdn + "a.xml.gz", "a.xml.gz", gzipped(urlset(two...)), "application/gzip", two[:1]},
		{"below an index that is named", "Sitemap: " + cdn + "index.xml", "part-7.xml", urlset(two...), "text/xml", two[:1]},
		{"without a scheme", "Sitemap: //files.cdn.test/a.xml", "a.xml", urlset(two...), "application/xml", two[:1]},
		{"among its own", "Sitemap: http://a.example/s.xml\nSitemap: " + cdn + "a.xml", "a.xml", urlset(append(two, cdn+"own")...), "application/xml", []string{two[0], cdn + "own"}},
		{"not named", "Sitemap: http://a.example/s.xml", "a.xml", urlset(two...), "application/xml", nil},
		{"another host is named", "Sitemap: http://other.cdn.test/a.xml", "a.xml", urlset(append(two, cdn+"own")...), "application/xml", []string{cdn + "own"}},
		{"other sitemaps on other hosts", "Sitemap: " + cdn + "a.xml", "a.xml", `<sitemapindex><sitemap><loc>http://a.example/s.xml</loc></sitemap></sitemapindex>`, "application/xml", nil},
	} {
		names := make(map[string]netip.AddrPort)
		s := serveSite(t, false, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.contentType)
			fmt.Fprint(w, c.body)
		})
		names["files.cdn.test"] = s.addr
		r := newRig(t, setup{names: names})
		r.allow(cdn)
		r.keep("http://a.example", c.robots)
		r.work()
		r.Take(r.sourceLease(cdn+c.path), time.Now())
		r.await(1)
		var got []string
		for _, o := range r.books.outcomes() {
			for _, l := range o.Outlinks {
				got = append(got, l.URL.String())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: links %q, want %q", c.name, got, c.want)
		}
	}
}

// Links that an outcome has no room for travel with the next ones: each URL of a sitemap arrives once, in its order.
func TestPool_LargeSitemapIsReadToItsEnd(t *testing.T) {
	many := func(n, length int) (urls []string) {
		for i := range n {
			urls = append(urls, fmt.Sprintf("http://a.test/%s/%05d", strings.Repeat("x", length), i))
		}
		return urls
	}
	for _, c := range []struct {
		name        string
		urls        []string
		body        func(urls ...string) string
		contentType string
		packed      bool
	}{
		{"long URLs, 3.4 MB", many(9000, 300), urlset, "application/xml", false},
		{"many URLs", many(25_000, 20), urlset, "application/xml", false},
		{"as many as a sitemap may have", many(50_000, 30), urlset, "text/xml", false},
		{"in text, 5 MB", many(15_000, 300), func(urls ...string) string { return strings.Join(urls, "\n") }, "text/plain", false},
		{"packed", many(20_000, 300), func(urls ...string) string { return gzipped(urlset(urls...)) }, "application/gzip", false},
		{"packed on the way", many(20_000, 300), func(urls ...string) string { return gzipped(urlset(urls...)) }, "application/xml", true},
		{"small", many(3, 30), urlset, "application/xml", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := c.body(c.urls...)
			s := serveSite(t, false, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/s" {
					html("a page")(w, r)
					return
				}
				w.Header().Set("Content-Type", c.contentType)
				if c.packed {
					w.Header().Set("Content-Encoding", "gzip")
				}
				fmt.Fprint(w, body)
			})
			r := newRig(t, setup{names: map[string]netip.AddrPort{"a.test": s.addr}})
			r.allow("http://a.test/")
			r.work()
			pages := make([]string, 12)
			for i := range pages {
				pages[i] = fmt.Sprintf("http://a.test/page/%d", i)
			}
			r.Take(r.sourceLease("http://a.test/s", pages[:6]...), time.Now())
			r.await(1)
			r.Take(r.lease(pages[6:]...), time.Now()) // what is left outlives a lease
			r.await(2)
			var got []string
			for _, o := range r.books.outcomes() {
				size := 0
				for _, l := range o.Outlinks {
					size += len(l.URL.String())
					got = append(got, l.URL.String())
				}
				if size > crawl.MaxOutlinkBytes {
					t.Errorf("an outcome has links of %d bytes", size)
				}
			}
			if !slices.Equal(got, c.urls) {
				t.Errorf("%d links came, want %d in their order", len(got), len(c.urls))
			}
			if n := r.visitor.rest.Bytes(); n != 0 {
				t.Errorf("URLs of %d bytes are left", n)
			}
		})
	}
}
