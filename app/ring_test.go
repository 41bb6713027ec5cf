package app

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
)

// Sites that are only known are in the picture, too, after those that were visited: it is not empty before the first visits.
func TestRing_ShowsSitesThatAreKnown(t *testing.T) {
	s := newTestSite(t, "a.test b.test", func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "a.test" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>b</title>")
	})
	n := newNode(t, labOptions(t, t.TempDir(), s.hosts, "http://a.test/", "http://b.test/"))
	serveUntilIdle(t, n)
	r, err := n.Ring(t.Context())
	if err != nil || len(r.Domains) != 2 {
		t.Fatalf("domains %+v, %v", r.Domains, err)
	}
	if d := r.Domains[0]; d.Domain != "b.test" || d.Fetched != 1 || d.Last == nil {
		t.Errorf("first %+v, want the one that was visited", d)
	}
	if d := r.Domains[1]; d.Domain != "a.test" || d.Fetched != 0 || d.Last != nil {
		t.Errorf("then %+v, want the one that is known", d)
	}
	closeNode(t, n)
}

func TestRing_ShowsWhatWasFetched(t *testing.T) {
	s := newTestSite(t, "a.test b.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<html lang=fi-FI><title>%s</title>", r.Host)
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/", "http://b.test/")
	n := newNode(t, o)
	serveUntilIdle(t, n)
	r, err := n.Ring(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Members) != 1 || len(r.Arcs) != 1 || r.Arcs[0] != (api.RingArc{From: 0, To: 1, Member: 0}) || r.Fill <= 0 || r.Fill >= 1 {
		t.Errorf("ring %+v", r)
	}
	if len(r.Domains) != 2 || r.Domains[0].Last == nil || r.Domains[0].Last.Before(*r.Domains[1].Last) || r.Domains[0].Fetched != 1 {
		t.Errorf("domains %+v", r.Domains)
	}
	for _, d := range r.Domains {
		if d.At != crawl.KeyOf(crawl.Domain(d.Domain)).Place() {
			t.Errorf("%s is at %v", d.Domain, d.At)
		}
	}
	closeNode(t, n)
	again := newNode(t, o)
	if after, err := again.Ring(t.Context()); err != nil || len(after.Domains) != 2 || after.Domains[0].Last == nil ||
		after.Domains[0].Last.Sub(*r.Domains[0].Last).Abs() > time.Minute || after.Domains[0].Fetched != 1 ||
		after.Domains[0].Language != "fi" || after.Domains[1].Language != "fi" {
		t.Errorf("after another start: %+v, %v, want %+v", after.Domains, err, r.Domains)
	}
	closeNode(t, again)
	o.Config.Log.RequestsDays = 0 // nobody knows when any more
	last := newNode(t, o)
	if r, err := last.Ring(t.Context()); err != nil || len(r.Domains) != 2 || r.Domains[0].Last != nil {
		t.Errorf("without a record: %+v, %v", r.Domains, err)
	}
	closeNode(t, last)
}
