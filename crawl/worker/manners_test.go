package worker

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// What the user does not want visited costs the site nothing, not even a
// request for its robots.txt.
func TestPool_DeclinesWithoutARequest(t *testing.T) {
	s := serveSite(t, true, html("a page"))
	r := newRig(t, setup{})
	r.cfg.Refuses = func(u crawl.URL) string {
		if strings.HasPrefix(u.Path(), "/never") {
			return "you asked never to visit it"
		}
		return ""
	}
	base := "http://" + s.addr.String()
	r.work()
	r.Take(r.lease(base+"/never/1", base+"/never/2"), time.Now())
	r.await(1)
	if got := s.seen(); len(got) != 0 {
		t.Errorf("requests %v", got)
	}
	for _, o := range r.books.outcomes() {
		if o.Result != crawl.Declined || o.Reason != "you asked never to visit it" || !o.Result.Final() {
			t.Errorf("outcome %+v", o)
		}
	}
	r.allow(base)
	r.Take(r.lease(base+"/never/3", base+"/page"), time.Now())
	r.await(2)
	want := []crawl.Result{crawl.Declined, crawl.Declined, crawl.Declined, crawl.Fetched}
	if got := results(r.books.outcomes()); !slices.Equal(got, want) {
		t.Errorf("outcomes %v, want %v", got, want)
	}
}

// A page that was visited before is asked for with its validators, and with
// none that could end the request's head.
func TestPool_AsksConditionally(t *testing.T) {
	var got []string
	s := serveSite(t, false, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, fmt.Sprintf("%s|%s", r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since")))
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		html("a page")(w, r)
	})
	r := newRig(t, setup{})
	base := "http://" + s.addr.String()
	r.allow(base)
	l := r.lease(base+"/1", base+"/2", base+"/3", base+"/4")
	l.Tasks[1].Prior = &crawl.Prior{Digest: [20]byte{7}, ETag: `"x"`, LastModified: "Thu, 01 Jan 2026 00:00:00 GMT"}
	l.Tasks[2].Prior = &crawl.Prior{Digest: [20]byte{8}, LastModified: "yesterday"}
	l.Tasks[3].Prior = &crawl.Prior{Digest: [20]byte{9}, LastModified: "a\r\nHost: b.test"}
	r.work()
	r.Take(l, time.Now())
	r.await(1)
	if want := []string{"|", `"x"|Thu, 01 Jan 2026 00:00:00 GMT`, "|yesterday", "|"}; !slices.Equal(got, want) {
		t.Errorf("asked with %q, want %q", got, want)
	}
	o := r.books.outcomes()
	if o[1].Result != crawl.Unchanged || o[1].Digest != l.Tasks[1].Prior.Digest || o[0].Result != crawl.Fetched || o[2].Result != crawl.Fetched {
		t.Errorf("outcomes %v", results(o))
	}
}

// A 304 that nobody asked for is no page.
func TestPool_UnaskedNotModifiedIsGone(t *testing.T) {
	s := serveSite(t, false, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	r := newRig(t, setup{})
	base := "http://" + s.addr.String()
	r.allow(base)
	r.work()
	r.Take(r.lease(base+"/"), time.Now())
	r.await(1)
	if got := results(r.books.outcomes()); !slices.Equal(got, []crawl.Result{crawl.Gone}) {
		t.Errorf("outcomes %v", got)
	}
}

func TestPool_TellsChallenges(t *testing.T) {
	s := serveSite(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/challenge" {
			w.Header().Set("X-Challenge", "yes")
			w.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprint(w, "are you a person?")
	})
	r := newRig(t, setup{})
	r.cfg.Challenged = func(status int, header http.Header, body []byte) bool {
		return status == 403 && header.Get("X-Challenge") != "" && string(body) == "are you a person?"
	}
	base := "http://" + s.addr.String()
	r.allow(base)
	r.work()
	r.Take(r.lease(base+"/page", base+"/challenge"), time.Now())
	r.await(1)
	if o := r.books.outcomes(); len(o) != 2 || o[0].Challenged || !o[1].Challenged {
		t.Errorf("outcomes %+v", o)
	}
}

// The sitemaps of a robots.txt travel with the next outcome, once.
func TestPool_SitemapsOfRobotsBecomeTasks(t *testing.T) {
	s := serveSite(t, true, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprintf(w, "Sitemap: http://%s/map.xml.gz\n", r.Host)
			return
		}
		html("a page")(w, r)
	})
	r := newRig(t, setup{})
	base := "http://" + s.addr.String()
	r.work()
	r.Take(r.lease(base+"/1", base+"/2"), time.Now())
	r.await(1)
	o := r.books.outcomes()
	want := crawl.Outlink{URL: mustURL(t, base+"/map.xml.gz"), Priority: crawl.PriorityHigh, Source: 1}
	if len(o) != 2 || len(o[0].Outlinks) != 1 || o[0].Outlinks[0] != want || len(o[1].Outlinks) != 0 {
		t.Errorf("outcomes %+v", o)
	}
}

// A redirect to a robots.txt that is known costs its server nothing, however
// many hosts redirect there.
func TestPool_RobotsRedirectToAKnownFileIsNotFollowed(t *testing.T) {
	victim := serveSite(t, true, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "User-agent: *\nDisallow: /private\n") })
	names := map[string]netip.AddrPort{"victim.test": victim.addr}
	site := serveSite(t, true, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.Redirect(w, r, "http://victim.test/robots.txt", http.StatusFound)
			return
		}
		html("a page")(w, r)
	})
	var leases []string
	for i := range 5 {
		name := fmt.Sprintf("s%d.test", i)
		names[name] = site.addr
		leases = append(leases, "http://"+name)
	}
	r := newRig(t, setup{names: names})
	r.believes("victim.test")
	r.work()
	for i, base := range leases {
		r.Take(r.lease(base+"/page", base+"/private"), time.Now())
		r.await(i + 1)
	}
	if got := len(victim.seen()); got != 1 {
		t.Errorf("the file was asked for %d times", got)
	}
	want := []crawl.Result{crawl.Fetched, crawl.Forbidden}
	if got := results(r.books.outcomes()); !slices.Equal(got, slices.Repeat(want, 5)) {
		t.Errorf("outcomes %v", got)
	}
}

// A domain that is refused as a whole keeps its queue: nothing is settled.
func TestPool_RefusedDomainIsPutOff(t *testing.T) {
	s := serveSite(t, true, html("a page"))
	r := newRig(t, setup{})
	never := true
	r.cfg.RefusesDomain = func(crawl.Domain) string {
		if never {
			return "you asked never to visit it"
		}
		return ""
	}
	base := "http://" + s.addr.String()
	r.work()
	r.Take(r.lease(base+"/1", base+"/2"), time.Now())
	r.await(1)
	o := r.books.outcomes()
	if len(s.seen()) != 0 || len(o) != 1 || o[0].Result != crawl.Deferred || o[0].Wait != refusedWait || o[0].Reason == "" {
		t.Errorf("%d requests, outcomes %+v", len(s.seen()), o)
	}
}
