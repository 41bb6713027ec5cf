package worker

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// answerTo makes the answer of a domain: a status, and where it leads.
func answerTo(t testing.TB, domain crawl.Domain, status int, location string) *fetch.Response {
	t.Helper()
	raw := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: 0\r\n", status)
	if location != "" {
		raw += "Location: " + location + "\r\n"
	}
	r, err := fetch.ParseResponse(mustURL(t, "http://"+string(domain)+"/"), []byte(raw+"\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPortal(t *testing.T) {
	type answer struct {
		after    time.Duration // since the one before
		domain   crawl.Domain
		status   int
		location string
		wait     time.Duration // wanted
		closed   bool          // wanted
	}
	const login, own, other = "http://portal.test/login?from=x", "/next", "http://d.test/"
	for name, answers := range map[string][]answer{
		"all lead to one": {
			{0, "a.test", 302, login, portalWait, false}, {0, "b.test", 302, login, portalWait, false},
			{0, "c.test", 302, login, portalWait, true}, {4 * time.Second, "d.test", 302, login, 6 * time.Second, true},
		},
		"whatever the redirect": {
			{0, "a.test", 301, login, portalWait, false}, {0, "b.test", 303, login, portalWait, false},
			{0, "c.test", 307, login, portalWait, true}, {0, "d.test", 308, login, portalWait, true},
		},
		"by a path for each host": {
			{0, "a.test", 302, "http://gw.portal.test/a", portalWait, false}, {0, "b.test", 302, "https://portal.test/b", portalWait, false},
			{0, "c.test", 302, "//login.portal.test/", portalWait, true},
		},
		"it stays closed": {
			{0, "a.test", 511, "", portalWait, true}, {portalWait, "a.test", 511, "", 2 * portalWait, true},
			{2 * portalWait, "b.test", 511, "", 4 * portalWait, true}, {4 * portalWait, "b.test", 511, "", 8 * portalWait, true},
			{time.Hour, "b.test", 511, "", 16 * portalWait, true}, {time.Hour, "b.test", 511, "", offlineWait, true}, {time.Hour, "b.test", 511, "", offlineWait, true},
		},
		"it opens": {
			{0, "a.test", 302, login, portalWait, false}, {0, "b.test", 302, login, portalWait, false}, {0, "c.test", 302, login, portalWait, true},
			{portalWait, "a.test", 200, "", 0, false}, {0, "b.test", 302, other, 0, false}, {0, "c.test", 404, "", 0, false},
		},
		"while it crawls": {
			{0, "a.test", 200, "", 0, false}, {0, "b.test", 302, login, 0, false}, {0, "c.test", 302, login, portalWait, false},
			{0, "d.test", 302, login, portalWait, true},
		},
		"its own page is no proof": {
			{0, "a.test", 302, login, portalWait, false}, {0, "portal.test", 200, "", 0, false}, {0, "b.test", 302, login, portalWait, false},
			{0, "portal.test", 302, own, 0, false}, {0, "c.test", 302, login, portalWait, true},
		},
		"a site that moved": {
			{0, "a.test", 301, login, portalWait, false}, {portalWait, "a.test", 301, login, 0, false}, {0, "a.test", 301, login, 0, false},
		},
		"two sites that moved": {
			{0, "a.test", 301, login, portalWait, false}, {0, "b.test", 301, login, portalWait, false}, {portalWait, "a.test", 301, login, portalWait, false},
			{provenFor, "a.test", 301, login, 0, false}, {0, "b.test", 301, login, 0, false},
		},
		"three sites that moved, and nothing else": {
			{0, "a.test", 301, login, portalWait, false}, {0, "b.test", 301, login, portalWait, false}, {0, "c.test", 301, login, portalWait, true},
			{portalDoubt + 1, "a.test", 301, login, 0, true},
		},
		"many that moved, beside others": {
			{0, "x.test", 200, "", 0, false}, {0, "a.test", 301, login, 0, false}, {0, "x.test", 200, "", 0, false}, {0, "b.test", 301, login, 0, false},
			{0, "y.test", 503, "", 0, false}, {0, "c.test", 301, login, 0, false}, {0, "x.test", 404, "", 0, false}, {0, "d.test", 301, login, 0, false},
		},
		"each elsewhere": {
			{0, "x.test", 200, "", 0, false}, {0, "a.test", 302, "http://1.test/", 0, false}, {0, "b.test", 302, "http://2.test/", 0, false}, {0, "c.test", 302, "http://3.test/", 0, false},
		},
		"within themselves": {
			{0, "a.test", 302, "http://www.a.test/", 0, false}, {0, "b.test", 302, own, 0, false}, {0, "c.test", 302, "https://c.test/", 0, false},
		},
		"nowhere": {{0, "a.test", 302, "", 0, false}, {0, "b.test", 302, "mailto:a@b.test", 0, false}, {0, "c.test", 304, "", 0, false}},
	} {
		var p portal
		now := time.Unix(1e9, 0)
		for i, a := range answers {
			now = now.Add(a.after)
			r := answerTo(t, a.domain, a.status, a.location)
			if wait := p.judge(now, a.domain, r); wait != a.wait || p.closed() != a.closed {
				t.Errorf("%s, %d: wait %v, closed %v, want %v, %v", name, i, wait, p.closed(), a.wait, a.closed)
			}
			if len(p.led) > portalFrom {
				t.Errorf("%s: %d domains are kept", name, len(p.led))
			}
		}
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
	const hosts = 5
	names := map[string]netip.AddrPort{"portal.test": portal.addr}
	for i := range hosts {
		names[fmt.Sprintf("s%d.test", i)] = site.addr
	}
	var later atomic.Int64
	r := newRig(t, setup{names: names, now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }}).work()
	home := 0
	visitAll := func() []crawl.Outcome {
		t.Helper()
		before := len(r.books.outcomes())
		for i := range hosts {
			base := fmt.Sprintf("http://s%d.test", i)
			r.Take(r.lease(base+"/page", base+"/private"), r.cfg.Now())
			home++
			r.await(home)
		}
		return r.books.outcomes()[before:]
	}
	for _, o := range visitAll() {
		if o.Result != crawl.Deferred || o.Wait <= 0 || o.NoRobots {
			t.Errorf("%s: %v, wait %v", o.Task.URL, o.Result, o.Wait)
		}
	}
	if !r.Captive() || len(portal.seen()) != 0 || len(site.seen()) != portalFrom || len(r.shelf.pages)+len(r.shelf.robots) != 0 {
		t.Errorf("captive %v, the portal saw %q, %d requests, archived %q and %q", r.Captive(), portal.paths(), len(site.seen()), r.shelf.pages, r.shelf.robots)
	}
	for i := range hosts {
		if _, _, known := r.cache.Get(r.cfg.Now(), fmt.Sprintf("http://s%d.test", i)); known {
			t.Errorf("s%d.test has a robots.txt", i)
		}
	}
	open.Store(true)
	later.Store(int64(portalWait + time.Second))
	got := results(visitAll())
	if want := slices.Repeat([]crawl.Result{crawl.Fetched, crawl.Forbidden}, hosts); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if r.Captive() {
		t.Error("it still says that the network is closed")
	}
}
