package app

import (
	"net/http"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/robots"
)

// A node that was killed may have had a request under way: its host is left alone for the
// crawl delay that is known of it.
func TestRecover_KeepsTheCrawlDelay(t *testing.T) {
	s := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/1", "http://a.test/2")
	o.Lab.Gap, o.Lab.RealTimes = nil, true // as outside a lab
	const delay = 5 * time.Minute
	r := interrupt(t, o)
	rec := robots.Record{
		Class: robots.ClassRules, Fetched: r.clock.Latest().Truncate(time.Second), Status: 200, Body: []byte("User-agent: *\nCrawl-delay: 300\n"),
	}
	if err := r.rules.Put("http://a.test", rec); err != nil {
		t.Fatal(err)
	}
	if len(r.grant()) == 0 {
		t.Fatal("nothing is leased")
	}
	killed := r.clock.Now()
	r = r.die()
	if _, rules, fresh := r.rules.Get(r.clock.Latest(), "http://a.test"); !fresh || rules.CrawlDelay() != delay {
		t.Fatalf("robots.txt is known: %v, its crawl delay is %v", fresh, rules.CrawlDelay())
	}
	list, err := r.frontier.Domains("", 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("domains %+v, %v", list, err)
	}
	// A second for what the wall clock may differ by, where it starts the line.
	if got := list[0].Next.Sub(killed); got < delay-time.Second {
		t.Errorf("the next visit is %v after the kill, want %v", got, delay)
	}
}
