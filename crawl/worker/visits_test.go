package worker

import (
	"net/http"
	"runtime"
	"testing"
	"time"
)

func TestPool_Visits(t *testing.T) {
	answer := make(chan struct{})
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		<-answer
		html("a page")(w, req)
	})
	base := "http://" + s.addr.String()
	r := newRig(t, setup{fetchers: 1})
	r.allow(base)
	r.work()
	if v := r.Visits(10); len(v) != 0 {
		t.Fatalf("without leases: %+v", v)
	}
	soon := time.Now().Add(time.Hour)
	later := r.lease("http://later.test/x")
	r.Take(r.lease(base+"/0", base+"/1"), time.Now())
	s.awaitVisit(t)
	v := r.Visits(10)
	if len(v) != 1 || !v[0].Busy || v[0].URL.String() != base+"/0" || v[0].Left != 2 || v[0].Granter != "" {
		t.Errorf("while a request is in flight: %+v", v)
	}
	if v := r.Visits(0); len(v) != 0 {
		t.Errorf("at most none: %+v", v)
	}
	later.Granter = "other"
	r.Take(later, soon)
	answer <- struct{}{}
	for { // the page is read, and the next one is at hand
		if v = r.Visits(10); len(v) > 0 && v[0].URL.String() == base+"/1" {
			break
		}
		runtime.Gosched()
	}
	if v[0].Left != 1 {
		t.Errorf("between two requests: %+v", v)
	}
	close(answer)
	r.await(1)
	if v = r.Visits(10); len(v) != 1 || v[0].Domain != "later.test" || v[0].Granter != "other" || v[0].Busy || !v[0].At.Equal(soon) {
		t.Errorf("a lease whose turn has not come: %+v", v)
	}
}
