package worker

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// A page that was known before, but without anything to ask by, is asked for without a
// condition, and a 304 to that is no page.
func TestPool_NotModifiedWithoutValidatorsIsGone(t *testing.T) {
	asked := make(chan string, 1)
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		asked <- req.Header.Get("If-None-Match") + req.Header.Get("If-Modified-Since")
		w.WriteHeader(http.StatusNotModified)
	})
	r := newRig(t, setup{})
	base := "http://" + s.addr.String()
	r.allow(base)
	r.work()
	l := r.lease(base + "/")
	l.Tasks[0].Prior = &crawl.Prior{Date: time.Now().Add(-time.Hour)}
	r.Take(l, time.Now())
	r.await(1)
	if got := <-asked; got != "" {
		t.Errorf("asked on condition of %q", got)
	}
	if got := results(r.books.outcomes()); !slices.Equal(got, []crawl.Result{crawl.Gone}) {
		t.Errorf("outcomes %v", got)
	}
}
