package worker

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// A lease of which nothing is left to be requested ends at once: the owner counts the gap from there.
func TestPool_LeaseEndsWithItsLastRequest(t *testing.T) {
	const gap = time.Hour // no test waits for it
	for _, c := range []struct {
		name  string
		tasks []string
		want  []crawl.Result
	}{
		{"one page", []string{"/1"}, []crawl.Result{crawl.Fetched}},
		{"a forbidden one last", []string{"/1", "/no/1"}, []crawl.Result{crawl.Fetched, crawl.Forbidden}},
		{"many forbidden last", []string{"/1", "/no/1", "/no/2", "/never", "/no/3"}, []crawl.Result{crawl.Fetched, crawl.Forbidden, crawl.Forbidden, crawl.Declined, crawl.Forbidden}},
		{"forbidden first", []string{"/no/1", "/1", "/never"}, []crawl.Result{crawl.Forbidden, crawl.Fetched, crawl.Declined}},
		{"another page", []string{"/1", "/no/1", "/2", "/no/2"}, []crawl.Result{crawl.Fetched}},
		{"nothing is allowed", []string{"/no/1", "/never"}, []crawl.Result{crawl.Forbidden, crawl.Declined}},
	} {
		s := serveSite(t, false, html("a page"))
		r := newRig(t, setup{gap: gap, names: map[string]netip.AddrPort{"a.test": s.addr}})
		r.keep("http://a.test", "User-agent: *\nDisallow: /no\n")
		r.cfg.Refuses = func(u crawl.URL) string {
			if u.Path() == "/never" {
				return "never"
			}
			return ""
		}
		r.work()
		var urls []string
		for _, path := range c.tasks {
			urls = append(urls, "http://a.test"+path)
		}
		r.Take(r.lease(urls...), time.Now())
		r.await(1)
		var got []crawl.Result
		for _, o := range r.books.outcomes() {
			got = append(got, o.Result)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: outcomes %v, want %v", c.name, got, c.want)
		}
	}
}
