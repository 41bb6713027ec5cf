package robots

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// web answers requests from a table of URLs.
type web map[string]Reply

func (w web) GetRobots(ctx context.Context, u crawl.URL) (Reply, error) {
	if r, ok := w[u.String()]; ok {
		return r, ctx.Err()
	}
	return Reply{}, errors.New("connection refused")
}

var (
	noon     = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	noRules  = Reply{Status: 404}
	allBut   = "User-agent: *\nDisallow: /no\n"
	fileURL  = "http://www.example.com/robots.txt"
	withBody = func(status int, body string) Reply { return Reply{Status: status, Body: []byte(body)} }
)

func TestFetch_Policy(t *testing.T) {
	for _, c := range []struct {
		name   string
		reply  Reply
		class  Class
		ok, no Verdict // for /ok and /no
	}{
		{"rules", withBody(200, allBut), ClassRules, Allowed, Forbidden},
		{"partial content", withBody(206, allBut), ClassRules, Allowed, Forbidden},
		{"empty", withBody(204, ""), ClassRules, Allowed, Allowed},
		{"body of an error is no rule", withBody(404, allBut), ClassAllowAll, Allowed, Allowed},
		{"unauthorised", withBody(401, ""), ClassAllowAll, Allowed, Allowed},
		{"forbidden", withBody(403, ""), ClassAllowAll, Allowed, Allowed},
		{"gone", withBody(410, ""), ClassAllowAll, Allowed, Allowed},
		{"too many requests", withBody(429, allBut), ClassUnreachable, Deferred, Deferred},
		{"server error", withBody(500, allBut), ClassUnreachable, Deferred, Deferred},
		{"unavailable", withBody(503, ""), ClassUnreachable, Deferred, Deferred},
		{"not modified", withBody(304, ""), ClassUnreachable, Deferred, Deferred},
		{"choices", withBody(300, ""), ClassUnreachable, Deferred, Deferred},
		{"early hints", withBody(103, ""), ClassUnreachable, Deferred, Deferred},
		{"no status", withBody(0, allBut), ClassUnreachable, Deferred, Deferred},
		{"nonsense", withBody(2000, allBut), ClassUnreachable, Deferred, Deferred},
		{"redirect to nowhere", Reply{Status: 302}, ClassUnreachable, Deferred, Deferred},
		{"redirect to mail", Reply{Status: 302, Location: "mailto:x@example.com"}, ClassUnreachable, Deferred, Deferred},
		{"redirect to itself", Reply{Status: 301, Location: fileURL}, ClassUnreachable, Deferred, Deferred},
		{"torn", Reply{Status: 200, Body: []byte(allBut), Torn: true}, ClassUnreachable, Deferred, Deferred},
		{"torn, but long enough", Reply{Status: 200, Body: []byte(allBut + strings.Repeat("\n", MaxBody)), Torn: true}, ClassRules, Allowed, Forbidden},
	} {
		r := Fetch(t.Context(), web{fileURL: c.reply}, pageOf(t, "/some/page?q"), Record{}, noon)
		if r.Class != c.class {
			t.Errorf("%s: class %d, want %d", c.name, r.Class, c.class)
		}
		if !r.Fresh(noon) {
			t.Errorf("%s: not fresh at once", c.name)
		}
		for path, want := range map[string]Verdict{"/ok": c.ok, "/no": c.no} {
			if got, _ := r.Verdict(noon, r.Rules(), pageOf(t, path)); got != want {
				t.Errorf("%s: verdict on %s = %d, want %d", c.name, path, got, want)
			}
		}
	}
}

// A relative sitemap is one of the host that was asked, whichever page was meant and wherever the file was found.
func TestFetch_RelativeSitemap(t *testing.T) {
	const text = "Sitemap: sitemap.xml\nSitemap: /s/2.xml\nUser-agent: *\nDisallow:\n"
	for name, w := range map[string]web{
		"direct":   {fileURL: withBody(200, text)},
		"redirect": {fileURL: Reply{Status: 301, Location: "http://other.test/x/robots.txt"}, "http://other.test/x/robots.txt": withBody(200, text)},
	} {
		r := Fetch(t.Context(), w, pageOf(t, "/some/page?q"), Record{}, noon)
		got := Parse(r.Body).Sitemaps()
		if len(got) != 2 || got[0].String() != "http://www.example.com/sitemap.xml" || got[1].String() != "http://www.example.com/s/2.xml" {
			t.Errorf("%s: sitemaps %v", name, got)
		}
	}
}

func TestFetch_FollowsFiveRedirects(t *testing.T) {
	for _, c := range []struct {
		hops int
		want Class
	}{{0, ClassRules}, {1, ClassRules}, {5, ClassRules}, {6, ClassUnreachable}} {
		w := web{}
		at := fileURL
		for i := range c.hops {
			next := fmt.Sprintf("https://h%d.example/%d", i, i)
			w[at] = Reply{Status: []int{301, 302, 303, 307, 308}[i%5], Location: next}
			at = next
		}
		w[at] = withBody(200, allBut)
		r := Fetch(t.Context(), w, pageOf(t, "/"), Record{}, noon)
		if r.Class != c.want {
			t.Errorf("after %d redirects class %d, want %d", c.hops, r.Class, c.want)
		}
	}
	relative := web{fileURL: {Status: 302, Location: "/x/../r"}, "http://www.example.com/r": noRules}
	if r := Fetch(t.Context(), relative, pageOf(t, "/"), Record{}, noon); r.Class != ClassAllowAll || r.Status != 404 {
		t.Errorf("relative redirect to a 404: class %d, status %d", r.Class, r.Status)
	}
}

func TestFetch_RetriesLessAndLessOften(t *testing.T) {
	old := Record{Class: ClassRules, Fetched: noon.Add(-time.Hour), Body: []byte(allBut)}
	now := noon
	for i, want := range []time.Duration{5 * time.Minute, 10 * time.Minute, 20 * time.Minute} {
		r := Fetch(t.Context(), web{}, pageOf(t, "/"), old, now)
		if r.Class != ClassUnreachable || int(r.Failures) != i+1 {
			t.Fatalf("failure %d: class %d, %d failures", i+1, r.Class, r.Failures)
		}
		if v, wait := r.Verdict(now, r.Rules(), pageOf(t, "/")); v != Deferred || wait != want {
			t.Errorf("failure %d: verdict %d, wait %v, want %v", i+1, v, wait, want)
		}
		if r.Rules().Allowed(pageOf(t, "/")) {
			t.Errorf("failure %d: the old rules are used", i+1)
		}
		old, now = r, r.NextTry
		if old.Fresh(now) {
			t.Errorf("failure %d: still fresh when it is time to try", i+1)
		}
	}
	old.Failures = 255
	if r := Fetch(t.Context(), web{}, pageOf(t, "/"), old, noon); r.Failures != 255 || r.NextTry.Sub(noon) != 24*time.Hour {
		t.Errorf("after 255 failures: %d, wait %v", r.Failures, r.NextTry.Sub(noon))
	}
	if r := Fetch(t.Context(), web{fileURL: noRules}, pageOf(t, "/"), old, noon); r.Failures != 0 || !r.NextTry.IsZero() {
		t.Errorf("an answer leaves %d failures, next try %v", r.Failures, r.NextTry)
	}
}

func TestFetch_OurStopIsNoFailureOfTheSite(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := Fetch(ctx, web{fileURL: withBody(200, allBut)}, pageOf(t, "/"), Record{}, noon)
	if r.Class != 0 || r.Fresh(noon) {
		t.Errorf("record %+v, want the zero value", r)
	}
}

func TestRetryAfter_IsADayAtMost(t *testing.T) {
	for n := 1; n < 256; n++ {
		if got := retryAfter(uint8(n)); got < 5*time.Minute || got > 24*time.Hour {
			t.Errorf("retryAfter(%d) = %v", n, got)
		}
	}
}
