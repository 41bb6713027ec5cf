package worker

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// deafLookup fails as a resolver does whose questions nobody answers, and asks nobody.
type deafLookup struct{}

func (deafLookup) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}
}

// While sites answer, a name that cannot be looked up is the failure of its domain,
// which has an end. When none has for a while it may be our own network, for which
// no task is to blame.
func TestPool_LookupFailureIsOursOnlyWhileNobodyAnswers(t *testing.T) {
	const offline = 5 * time.Minute // how long a host is left alone
	s := serveSite(t, false, html("a page"))
	clock := newLine()
	r := newRig(t, setup{now: clock.Now})
	lab, deaf := r.cfg.Client, deafNames(t)
	base := "http://" + s.addr.String()
	r.allow(base)
	lookUp := func(when string, want crawl.Result, wait time.Duration) {
		t.Helper()
		r.cfg.Client = deaf
		r.workOff(clock, r.lease("http://dead.example.org/1", "http://dead.example.org/2"))
		if o := r.last(); o.Result != want || o.Wait != wait || o.Reason != fetch.KindLookup.Message().Stored() {
			t.Errorf("%s: %v, wait %v, reason %q; want %v, %v, %q", when, o.Result, o.Wait, o.Reason, want, wait, fetch.KindLookup)
		}
	}
	answer := func() {
		t.Helper()
		r.cfg.Client = lab
		r.workOff(clock, r.lease(base+"/page"))
		if o := r.last(); o.Result != crawl.Fetched {
			t.Fatalf("the other site: %v, %s", o.Result, o.Reason)
		}
	}
	lookUp("at first", crawl.Deferred, offline)
	answer()
	lookUp("right after an answer", crawl.Failed, 0)
	clock.advance(offline - 1)
	lookUp("just before it is long ago", crawl.Failed, 0)
	clock.advance(1)
	lookUp("when the answer is long ago", crawl.Deferred, offline)
	answer()
	lookUp("when sites answer again", crawl.Failed, 0)
	if got, want := len(r.books.outcomes()), 7; got != want {
		t.Errorf("%d outcomes, want %d: what has no name has none for the other tasks of its lease", got, want)
	}
}

// Behind a portal no page counts as visited, nothing is archived and no robots.txt is known; once it is open all is fetched.
func TestPool_CaptivePortal(t *testing.T) {
	var open atomic.Bool
	site := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
		switch {
		case !open.Load():
			http.Redirect(w, req, "http://portal.test/login", http.StatusFound)
		case req.URL.Path == "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
		default:
			html("a page of "+req.Host)(w, req)
		}
	})
	portal := serveSite(t, true, html("log in"))
	const hosts, before, wait = 5, 3, 10 * time.Second // requests before it is found, and how long it is left alone
	names := map[string]netip.AddrPort{"portal.test": portal.addr}
	for i := range hosts {
		names[fmt.Sprintf("s%d.test", i)] = site.addr
	}
	var later atomic.Int64
	r := newRig(t, setup{names: names, now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }}).work()
	home := 0
	visitAll := func() []crawl.Outcome {
		t.Helper()
		told := len(r.books.outcomes())
		for i := range hosts {
			base := fmt.Sprintf("http://s%d.test", i)
			r.Take(r.lease(base+"/page", base+"/private"), r.cfg.Now())
			home++
			r.await(home)
		}
		return r.books.outcomes()[told:]
	}
	for _, o := range visitAll() {
		if o.Result != crawl.Deferred || o.Wait <= 0 || o.NoRobots {
			t.Errorf("%s: %v, wait %v", o.Task.URL, o.Result, o.Wait)
		}
	}
	if !r.Captive() || len(portal.seen()) != 0 || len(site.seen()) != before || len(r.shelf.pages)+len(r.shelf.robots) != 0 {
		t.Errorf("captive %v, the portal saw %q, %d requests, archived %q and %q", r.Captive(), portal.paths(), len(site.seen()), r.shelf.pages, r.shelf.robots)
	}
	for i := range hosts {
		if _, _, known := r.cache.Get(r.cfg.Now(), fmt.Sprintf("http://s%d.test", i)); known {
			t.Errorf("s%d.test has a robots.txt", i)
		}
	}
	open.Store(true)
	later.Store(int64(wait + time.Second))
	got := results(visitAll())
	if want := slices.Repeat([]crawl.Result{crawl.Fetched, crawl.Forbidden}, hosts); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if r.Captive() {
		t.Error("it still says that the network is closed")
	}
}
