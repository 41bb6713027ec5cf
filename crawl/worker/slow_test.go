package worker

import (
	"net/http"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// Slow domains do not wait for each other in a circle: one that was given the gate of an
// address gets a fetcher, though the fetchers for slow domains all wait for that gate.
func TestPool_SlowDomainThatHoldsAGateGetsAFetcher(t *testing.T) {
	free := make(chan struct{})
	shared := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/first" {
			<-free
		}
		html("a page")(w, req)
	})
	away := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, "http://c.test/rules", http.StatusFound)
	})
	names := map[string]netip.AddrPort{"a.test": away.addr, "b.test": shared.addr, "c.test": shared.addr}
	r := newRig(t, setup{names: names, fetchers: 2})
	r.believes("c.test")
	r.allow("http://b.test/")
	r.allow("http://c.test/")
	r.visitor.slow.note("a.test", 2*slowFrom)
	r.visitor.slow.note("b.test", 2*slowFrom)
	r.work()
	awaitLine := func(n int) {
		t.Helper()
		for end := time.Now().Add(patience); !r.flights.gates.Crowded(shared.addr, n); runtime.Gosched() {
			if time.Now().After(end) {
				t.Fatalf("there are not %d in the line of the address", n)
			}
		}
	}
	defer close(free)
	r.Take(r.lease("http://c.test/first"), time.Now())
	shared.awaitVisit(t)
	r.Take(r.lease("http://b.test/"), time.Now())
	awaitLine(1)
	r.Take(r.lease("http://a.test/"), time.Now())
	away.awaitVisit(t)
	awaitLine(2) // a.test, with the only fetcher for slow domains, asks where its rules are
	free <- struct{}{}
	r.await(3)
}
