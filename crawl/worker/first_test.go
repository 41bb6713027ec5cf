package worker

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

func TestGoesBefore(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	at := func(s int) *turn { return &turn{at: now.Add(time.Duration(s) * time.Second)} }
	for _, c := range []struct {
		name  string
		t     *turn
		other *turn // nil if there is none
		want  bool
	}{
		{"alone, though not yet", at(9), nil, true},
		{"its time has come, that of another earlier", at(-1), at(-5), true},
		{"both now", at(0), at(0), true},
		{"not yet, but sooner", at(1), at(2), true},
		{"not yet, and another's has come", at(1), at(-1), false},
		{"not yet, and later", at(2), at(1), false},
		{"others wait for what another holds", at(-1), &turn{}, false},
	} {
		var others turns
		if c.other != nil {
			others = turns{c.other}
		}
		if got := goesBefore(c.t, others, now); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// One fetcher works six sites. That which goes before others is done when those have hardly begun; without it they
// take turns.
func TestPool_FirstGoesBeforeOthers(t *testing.T) {
	const sites, pages = 6, 10
	for _, first := range []bool{true, false} {
		r := newRig(t, setup{fetchers: 1})
		var mu sync.Mutex
		var order []int
		var mine crawl.Domain
		r.cfg.First = func(d crawl.Domain) bool { return first && d == mine }
		var leases []crawl.Lease
		for i := range sites {
			s := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				html("a page")(w, req)
			})
			base := "http://" + s.addr.String()
			r.allow(base)
			urls := make([]string, pages)
			for k := range urls {
				urls[k] = fmt.Sprintf("%s/%d", base, k)
			}
			l := r.lease(urls...)
			l.Domain = crawl.Domain(fmt.Sprintf("s%d.test", i))
			leases = append(leases, l)
		}
		mine = leases[sites-1].Domain
		for _, l := range leases { // before anybody works, so that all wait
			r.Take(l, time.Now())
		}
		r.work()
		r.await(sites)
		mu.Lock()
		last := len(order) - 1
		for order[last] != sites-1 {
			last--
		}
		n := len(order)
		mu.Unlock()
		if n != sites*pages {
			t.Fatalf("%d requests, want %d", n, sites*pages)
		}
		// Each of its pages may have one of another before it, and each of the others a first one.
		if done := last < 2*pages+sites; done != first {
			t.Errorf("going first %v: its last page is request %d of %d: %v", first, last+1, n, order)
		}
	}
}

// It goes home like all others when work must stop.
func TestPool_FirstGoesHomeWithTheOthers(t *testing.T) {
	r := newRig(t, setup{fetchers: 1, gap: 30 * time.Second})
	r.cfg.First = func(crawl.Domain) bool { return true }
	s := serveSite(t, true, html("a page"))
	base := "http://" + s.addr.String()
	r.allow(base)
	r.work()
	r.Take(r.lease(base+"/1", base+"/2"), time.Now())
	select {
	case <-s.arrived:
	case <-time.After(patience):
		t.Fatal("no request came")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if r.Drain(ctx); ctx.Err() != nil {
		t.Fatal("it did not go home at a stop")
	}
	r.await(1)
	if got := s.paths(); !slices.Equal(got, []string{"/1"}) {
		t.Errorf("requested %q, want nothing within the gap", got)
	}
}
