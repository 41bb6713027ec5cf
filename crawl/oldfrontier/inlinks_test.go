package frontier

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Each domain that links to a home page raises the budget of its domain, though the URL
// is known from the first of them on.
func TestBudget_RaisedByEachDomainThatLinksToAKnownURL(t *testing.T) {
	r := newRig(t, Config{})
	home, err := crawl.ParseURL("http://z.test/")
	if err != nil {
		t.Fatal(err)
	}
	r.enqueue(home.String())
	r.visit(page(0))
	const linking = 4
	for i := range linking {
		for n := range 2 { // the second page of a domain changes nothing
			r.enqueue(fmt.Sprintf("http://d%d.test/%d", i, n))
			o := page(byte(2*i + n))
			o.Outlinks = []crawl.Outlink{{URL: home, Depth: 1, Priority: crawl.PriorityNormal}}
			r.visit(o)
		}
	}
	if got, want := r.info("z.test").Budget, uint64(DefaultBudget+linking*perLinking); got != want {
		t.Errorf("budget = %d, want %d", got, want)
	}
}

// A date in the future would bring visits forward again and again.
func TestEnqueue_DatesOfOthersAreNotAhead(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1")
	l := r.lease()
	r.settle(l, l.Tasks[0], r.at(page(1)))
	r.release(l)
	r.advance(time.Hour)
	ahead := r.clock().Add(1000 * time.Hour).Unix()
	r.propose(Received([]OutLink{{Link: Link{URL: "http://a.test/1", Modified: ahead - 1}, From: "b.test", Date: ahead}})...)
	if got := r.totals(); got.Revisiting != 0 {
		t.Errorf("totals = %+v: the page is to be visited again after an hour", got)
	}
}
