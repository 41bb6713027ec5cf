package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
)

func TestPool_Outcomes(t *testing.T) {
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/page":
			w.Header().Set("ETag", `"v1"`)
			w.Header().Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
			html(`<html lang=de><title>Titel</title><a href="/a">a</a> <a href="http://other.test/b">b</a> <a href="/c" rel=nofollow>c</a>`)(w, req)
		case "/slow":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/image":
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "\x89PNG")
		case "/moved":
			http.Redirect(w, req, "/page#top", http.StatusMovedPermanently)
		case "/nowhere":
			w.WriteHeader(http.StatusFound)
		case "/cut":
			panic(http.ErrAbortHandler)
		}
	})
	closed := closedPort(t)
	base := "http://" + s.addr.String()
	for _, c := range []struct {
		url    string
		result crawl.Result
		status int
		reason string
		wait   time.Duration
		links  int
	}{
		{url: base + "/page", result: crawl.Fetched, status: 200, links: 2},
		{url: base + "/slow", result: crawl.Refused, status: 429, reason: "Too Many Requests", wait: 7 * time.Second},
		{url: base + "/busy", result: crawl.Failed, status: 503, reason: "Service Unavailable"},
		{url: base + "/broken", result: crawl.Failed, status: 500, reason: "Internal Server Error"},
		{url: base + "/gone", result: crawl.Gone, status: 410, reason: "Gone"},
		{url: base + "/image", result: crawl.Skipped, status: 200, reason: "image/png"},
		{url: base + "/moved", result: crawl.Redirected, status: 301, reason: base + "/page", links: 1},
		{url: base + "/nowhere", result: crawl.Gone, status: 302, reason: "Found without a usable target"},
		{url: base + "/cut", result: crawl.Failed, reason: "connection closed early"},
		{url: "http://" + closed.String() + "/", result: crawl.Failed, reason: "connection refused"},
		{url: "http://nobody.test/", result: crawl.Gone, reason: "no such name"},
		{url: "http://192.0.2.1/", result: crawl.Blocked, reason: "address not allowed"},
	} {
		t.Run(c.url, func(t *testing.T) {
			r := newRig(t, setup{})
			r.allow(c.url)
			r.work()
			r.Take(r.lease(c.url), time.Now())
			r.await(1)
			got := r.books.outcomes()
			if len(got) != 1 {
				t.Fatalf("%d outcomes, want 1", len(got))
			}
			o := got[0]
			if o.Result != c.result || o.Status != c.status || words.Shown(words.English, o.Reason) != c.reason || o.Wait != c.wait || len(o.Outlinks) != c.links {
				t.Errorf("outcome %v, status %d, reason %q, wait %v, %d links; want %v, %d, %q, %v, %d",
					o.Result, o.Status, words.Shown(words.English, o.Reason), o.Wait, len(o.Outlinks), c.result, c.status, c.reason, c.wait, c.links)
			}
			if o.Lease != 1 || o.Task.URL.String() != c.url || o.Domain != o.Task.URL.Domain() || o.Date.IsZero() {
				t.Errorf("outcome %+v does not say what it is of", o)
			}
			if archived := len(r.shelf.pages) == 1; archived != (c.status != 0) {
				t.Errorf("archived is %v", archived)
			}
			if c.status != 0 && (o.Sent == 0 || o.Received == 0) {
				t.Errorf("%d bytes sent, %d received", o.Sent, o.Received)
			}
		})
	}
}

// What is not final makes the owner decide when to go on.
func TestPool_LeaseEndsAtTheFirstOutcomeThatIsNotFinal(t *testing.T) {
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/1" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		html("a page")(w, req)
	})
	r := newRig(t, setup{})
	base := "http://" + s.addr.String()
	r.allow(base)
	r.work()
	r.Take(r.lease(base+"/0", base+"/1", base+"/2"), time.Now())
	r.await(1)
	want := []string{"settle 1 /0 fetched", "settle 1 /1 failed", "release 1"}
	if got := r.books.entries(); !slices.Equal(got, want) {
		t.Errorf("the owner was told %q, want %q", got, want)
	}
}

func TestPool_BlockedAddressIsNeverAsked(t *testing.T) {
	r := newRig(t, setup{}).work() // robots.txt is not known, and must not be asked for either
	r.Take(r.lease("http://192.0.2.1/a", "http://192.0.2.1/b"), time.Now())
	r.await(1)
	if got, want := results(r.books.outcomes()), []crawl.Result{crawl.Blocked, crawl.Blocked}; !slices.Equal(got, want) {
		t.Errorf("outcomes %v, want %v", got, want)
	}
	if len(r.shelf.robots) != 0 {
		t.Errorf("archived %q", r.shelf.robots)
	}
}

func TestPool_TriesTheNextAddress(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	closed := []netip.AddrPort{closedPort(t), closedPort(t), closedPort(t)}
	for _, c := range []struct {
		name  string
		addrs []netip.AddrPort
		tries int
		want  crawl.Result
	}{
		{"second", []netip.AddrPort{closed[0], s.addr}, 2, crawl.Fetched},
		{"third", []netip.AddrPort{closed[0], closed[1], s.addr}, 3, crawl.Fetched},
		{"fourth is not tried", append(slices.Clone(closed), s.addr), 3, crawl.Failed},
		{"only one", closed[:1], 1, crawl.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, setup{})
			turn := &turn{Lease: r.lease("http://many.test/"), deadline: time.Now().Add(time.Minute), closing: time.Now().Add(time.Minute)}
			for i := range c.tries {
				if n := len(r.books.outcomes()); n != 0 {
					t.Fatalf("settled after %d tries", i)
				}
				state := r.visitor.request(t.Context(), turn, host{c.addrs, new(robots.Record), new(robots.Rules)})
				r.visitor.leaveGate(turn)
				if i < c.tries-1 && state != again {
					t.Fatalf("try %d ended in state %d", i, state)
				}
			}
			if got := results(r.books.outcomes()); !slices.Equal(got, []crawl.Result{c.want}) {
				t.Errorf("outcomes %v, want %v", got, c.want)
			}
			if r.flights.gates.InUse() != 0 {
				t.Error("a gate is still taken")
			}
		})
	}
}

func TestElsewhere(t *testing.T) {
	others := []fetch.Kind{fetch.KindRefused, fetch.KindUnreachable, fetch.KindConnectTimeout, fetch.KindBlocked}
	for _, kind := range []fetch.Kind{
		fetch.KindNoName, fetch.KindLookup, fetch.KindBlocked, fetch.KindRefused, fetch.KindUnreachable,
		fetch.KindConnectTimeout, fetch.KindCertificate, fetch.KindTLS, fetch.KindTimeout, fetch.KindClosed,
		fetch.KindHeadTooLarge, fetch.KindNotHTTP, fetch.KindRequest,
	} {
		err := fmt.Errorf("wrapped: %w", &fetch.Error{Kind: kind})
		if got, want := elsewhere(err), slices.Contains(others, kind); got != want {
			t.Errorf("elsewhere(%v) = %v", kind, got)
		}
	}
	if elsewhere(io.EOF) {
		t.Error("elsewhere(EOF)")
	}
}

// Only that we ended a request ourselves leaves its task without an outcome.
// A site that does not answer in time is another matter, though the errors below
// look alike: those of the net package say that they are context.DeadlineExceeded.
func TestFailed_OnlyWhatWeCutHasNoOutcome(t *testing.T) {
	for _, c := range []struct {
		err     *fetch.Error
		settles bool
	}{
		{&fetch.Error{Kind: fetch.KindStopped, Err: context.Canceled}, false},
		{&fetch.Error{Kind: fetch.KindStopped, Err: context.DeadlineExceeded}, false},
		{&fetch.Error{Kind: fetch.KindStopped, Err: fetch.ErrClosed}, false},
		{&fetch.Error{Kind: fetch.KindConnectTimeout, Err: context.DeadlineExceeded}, true},
		{&fetch.Error{Kind: fetch.KindTimeout, Err: errors.New("no answer")}, true},
	} {
		r := newRig(t, setup{})
		turn := &turn{Lease: r.lease("http://slow.test/"), deadline: time.Now().Add(time.Minute), closing: time.Now().Add(time.Minute)}
		state := r.visitor.failed(t.Context(), turn, c.err, 1, 0)
		if state != over {
			t.Errorf("%v (%v): state %d", c.err, c.err.Err, state)
		}
		if got := len(r.books.outcomes()) == 1; got != c.settles {
			t.Errorf("%v (%v): settled is %v, want %v", c.err, c.err.Err, got, c.settles)
		}
	}
}

func TestPool_PaceSpreadsPagesOverTheMinute(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	p := New(Config{Fetchers: 1, PagesPerMin: 30})
	var asked, granted int
	for range 120 * 10 { // two minutes in steps of a tenth of a second
		if asked++; p.bounds.takePage(now) == now {
			granted++
		}
		now = now.Add(100 * time.Millisecond)
	}
	if granted != 60 {
		t.Errorf("%d pages in two minutes at 30 a minute", granted)
	}
	at := p.bounds.takePage(now)
	if p.bounds.takePage(now); at.Sub(now) > 2*time.Second {
		t.Errorf("the next page may come at %v, %v from now", at, at.Sub(now))
	}
	free := New(Config{Fetchers: 1})
	for range 10 {
		if free.bounds.takePage(now) != now {
			t.Error("paced without a bound")
		}
	}
}

func TestPool_PagesPerMinuteHoldOverAllHosts(t *testing.T) {
	const perMin = 600 // a tenth of a second apart
	names := make(map[string]netip.AddrPort)
	r := newRig(t, setup{fetchers: 8, perMin: perMin, names: names})
	s := serveSite(t, false, html("a page"))
	var leases []crawl.Lease
	for range 6 {
		other := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
			s.finish(s.begin(req.Host + req.URL.Path))
			html("a page")(w, req)
		})
		base := "http://" + other.addr.String()
		r.allow(base)
		leases = append(leases, r.lease(base+"/0"))
	}
	r.work()
	for _, l := range leases {
		r.Take(l, time.Now())
	}
	r.await(len(leases))
	visits := s.seen()
	if len(visits) != len(leases) {
		t.Fatalf("%d pages, want %d", len(visits), len(leases))
	}
	// The first may reach its server late; all together take their time.
	if d := visits[len(visits)-1].start.Sub(visits[0].start); d < 4*time.Minute/perMin {
		t.Errorf("%d pages within %v at %d a minute", len(visits), d, perMin)
	}
}
