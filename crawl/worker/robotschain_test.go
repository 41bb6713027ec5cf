package worker

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
)

// A robots.txt whose redirects take longer than leases allow is one that cannot be
// had, not a lease that ended: else the next lease would begin again, for ever.
func TestPool_RobotsChainThatOutlastsALeaseIsAFailureOfTheSite(t *testing.T) {
	s := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/robots.txt" {
			http.Redirect(w, req, "/next", http.StatusFound)
			return
		}
		<-req.Context().Done()
	})
	r := newRig(t, setup{}).work()
	base := "http://" + s.addr.String()
	first := r.lease(base + "/page")
	first.For = 2 * time.Second
	r.Take(first, time.Now())
	r.await(1)
	rec, _, known := r.cache.Get(time.Now(), base)
	if !known || rec.Class != robots.ClassUnreachable || rec.Failures != 1 {
		t.Fatalf("known %v, class %d, %d failures; want a robots.txt that could not be had once", known, rec.Class, rec.Failures)
	}
	r.Take(r.lease(base+"/page"), time.Now())
	r.await(2)
	if o := r.last(); o.Result != crawl.Deferred || o.Wait <= 0 {
		t.Errorf("outcome %v, wait %v, want the host left alone for a while", o.Result, o.Wait)
	}
	if got, want := s.paths(), []string{"/robots.txt", "/next"}; !slices.Equal(got, want) {
		t.Errorf("requested %q, want %q", got, want)
	}
}

// However many hosts send us to a server for their robots.txt, it is asked no faster
// than politeness allows.
func TestPool_RobotsRedirectsKeepTheGapOfTheirTarget(t *testing.T) {
	const gap, hosts = 60 * time.Millisecond, 5
	target := serveSite(t, true, html("no rules"))
	names := map[string]netip.AddrPort{"target.test": target.addr}
	for i := range hosts {
		site := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "http://target.test/search?q="+req.Host, http.StatusFound)
		})
		names[fmt.Sprintf("s%d.test", i)] = site.addr
	}
	r := newRig(t, setup{names: names, fetchers: 4, gap: gap})
	r.believes("target.test")
	r.work()
	for i := range hosts {
		r.Take(r.lease(fmt.Sprintf("http://s%d.test/page", i)), time.Now())
	}
	r.await(hosts)
	visits := target.seen()
	if len(visits) < 2 {
		t.Fatalf("the target was asked %d times, which shows nothing", len(visits))
	}
	for i := 1; i < len(visits); i++ {
		if d := visits[i].start.Sub(visits[i-1].end); d < gap {
			t.Errorf("%s came %v after the end of the request before, want %v", visits[i].url, d, gap)
		}
	}
}

// A robots.txt whose Content-Encoding names no coding, or one that it is not in, is read all the same: its rules count.
func TestPool_RobotsOfAWrongContentEncoding(t *testing.T) {
	for _, coding := range []string{"aws-chunked", "utf-8", "text/plain", "none", "gzip", "br", "deflate", "zstd", "gzip, br", "compress"} {
		s := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/robots.txt" {
				w.Header().Set("Content-Encoding", coding)
				fmt.Fprint(w, "User-agent: *\nDisallow: /x\n")
				return
			}
			html("page")(w, req)
		})
		r := newRig(t, setup{}).work()
		base := "http://" + s.addr.String()
		r.Take(r.lease(base+"/x", base+"/y"), time.Now())
		r.await(1)
		if got, want := results(r.books.outcomes()), []crawl.Result{crawl.Forbidden, crawl.Fetched}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", coding, got, want)
		}
	}
}
