package worker

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// A domain is visited again after its back-off or crawl delay, however much longer
// that is than its robots.txt may be kept: reading that again is no reason to wait again.
func TestPool_PageIsFetchedThoughRobotsExpiresInEachWait(t *testing.T) {
	for _, c := range []struct {
		name, cache string
		gap         time.Duration // that the owner asks for and keeps between leases
		delay       int           // in seconds
		leases      int           // until the page comes
	}{
		{name: "a day", gap: crawl.MaxWait, leases: 1},
		{name: "an hour, robots.txt for less", cache: "max-age=3600", gap: 3840 * time.Second, leases: 1},
		{name: "minutes, robots.txt not to be kept", cache: "no-cache", gap: 8 * time.Minute, leases: 1},
		{name: "a crawl delay, robots.txt not to be kept", cache: "no-cache", gap: 10 * time.Minute, delay: 600, leases: 2},
		{name: "a short crawl delay, robots.txt not to be kept", cache: "no-cache", gap: 20 * time.Second, delay: 20, leases: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
				if req.URL.Path != "/robots.txt" {
					html("a page")(w, req)
					return
				}
				if c.cache != "" {
					w.Header().Set("Cache-Control", c.cache)
				}
				fmt.Fprintf(w, "User-agent: *\nDisallow: /x\nCrawl-delay: %d\n", c.delay)
			})
			clock := newLine()
			r := newRig(t, setup{now: clock.Now})
			r.cfg.Politeness = crawl.Politeness{} // as outside a lab
			for range c.leases {
				l := r.lease("http://" + s.addr.String() + "/page")
				l.Gap = c.gap
				r.workOff(clock, l)
				clock.advance(max(r.last().Wait, c.gap) + 3*time.Second) // what leasing takes
			}
			if o := r.last(); o.Result != crawl.Fetched {
				t.Errorf("after %d leases: %v, %s", c.leases, o.Result, o.Reason)
			}
			if got, want := s.paths(), []string{"/robots.txt", "/page"}; !slices.Equal(got, want) {
				t.Errorf("requested %q, want %q", got, want)
			}
		})
	}
}
