package frontier

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// An outcome for which no robots.txt was read says nothing about the crawl delay.
func TestFrontier_CrawlDelayOutlivesOutcomesThatDoNotKnowIt(t *testing.T) {
	for _, c := range []struct {
		second crawl.Outcome
		want   time.Duration
	}{
		{crawl.Outcome{Result: crawl.Declined, Reason: "you asked never to visit it"}, time.Minute},
		{crawl.Outcome{Result: crawl.Deferred, Reason: "name lookup failed"}, time.Minute},
		{crawl.Outcome{Result: crawl.Blocked, Reason: "address not allowed"}, time.Minute},
		{crawl.Outcome{Result: crawl.Deferred, CrawlDelay: 2 * time.Minute}, 2 * time.Minute},
		{crawl.Outcome{Result: crawl.Gone, Status: 404, CrawlDelay: 20 * time.Second}, 20 * time.Second}, // the file has changed
	} {
		r := newRig(t, Config{})
		r.enqueue("http://a.test/1", "http://a.test/2", "http://b.a.test/3")
		l := r.lease()
		first := fetched
		first.CrawlDelay = time.Minute
		r.settle(l, l.Tasks[0], r.at(first))
		r.settle(l, l.Tasks[1], r.at(c.second))
		r.release(l)
		if got := r.nextVisit(); got != c.want {
			t.Errorf("after %v with a crawl delay of %v the next visit is in %v, want %v", c.second.Result, c.second.CrawlDelay, got, c.want)
		}
	}
}

// A lease may come home without any outcome: its request was cut.
func TestFrontier_ReleaseBringsTheCrawlDelay(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1")
	l := r.lease()
	if _, err := r.Propose(t.Context(), Entry{Release: &Release{Lease: l.ID, Domain: l.Domain, CrawlDelay: time.Minute}}); err != nil {
		t.Fatal(err)
	}
	r.check()
	if got := r.nextVisit(); got != time.Minute {
		t.Errorf("the next visit is in %v, want 1m", got)
	}
}
