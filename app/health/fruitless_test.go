package health

import (
	"net/http"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// A node needs a look when nothing came of many requests for a while, whatever came instead.
func TestFruitless(t *testing.T) {
	page, noPage := crawl.Outcome{Result: crawl.Fetched, Status: 200}, crawl.Outcome{Result: crawl.Gone, Status: 404}
	timeout := crawl.Outcome{Result: crawl.Failed, Reason: "timeout"}
	noName := crawl.Outcome{Result: crawl.Gone, Reason: "no such name"}
	forbidden := crawl.Outcome{Result: crawl.Gone, Status: http.StatusForbidden}
	busy := crawl.Outcome{Result: crawl.Refused, Status: http.StatusTooManyRequests}
	human := crawl.Outcome{Result: crawl.Fetched, Status: 200, Challenged: true}
	noRobots := crawl.Outcome{Result: crawl.Deferred, Reason: "robots.txt could not be reached", NoRobots: true}
	obeyed, nothing := crawl.Outcome{Result: crawl.Forbidden}, crawl.Outcome{Result: crawl.Deferred}
	type part struct {
		n     int
		is    crawl.Outcome
		every time.Duration
	}
	for name, c := range map[string]struct {
		story             []part
		matters           bool
		requests, refused int64
	}{
		"nothing yet":          {},
		"no answers":           {[]part{{20, timeout, time.Minute}}, true, 20, 0},
		"one too few":          {[]part{{19, timeout, time.Hour}}, false, 19, 0},
		"too soon":             {[]part{{500, timeout, time.Second}}, false, 500, 0},
		"soon, and long after": {[]part{{500, timeout, time.Second}, {1, timeout, 10 * time.Minute}}, true, 501, 0},
		"no names":             {[]part{{20, noName, time.Minute}}, true, 20, 0},
		"no robots.txt":        {[]part{{20, noRobots, time.Minute}}, true, 20, 0},
		"all refuse":           {[]part{{10, forbidden, time.Minute}, {5, busy, time.Minute}, {5, human, time.Minute}}, true, 20, 20},
		"some refuse":          {[]part{{10, forbidden, time.Minute}, {10, timeout, time.Minute}}, true, 20, 10},
		"nothing requested":    {[]part{{19, timeout, time.Minute}, {50, obeyed, time.Minute}, {50, nothing, time.Minute}}, false, 19, 0},
		"a page between":       {[]part{{50, timeout, time.Minute}, {1, page, time.Minute}, {5, busy, time.Minute}}, false, 5, 5},
		"a page that is gone":  {[]part{{50, timeout, time.Minute}, {1, noPage, time.Minute}}, false, 0, 0},
		"a clock set back":     {[]part{{10, timeout, time.Minute}, {1, timeout, -24 * time.Hour}, {9, timeout, 2 * time.Minute}}, true, 20, 0},
	} {
		var f Fruitless
		at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
		for _, p := range c.story {
			for range p.n {
				at = at.Add(p.every)
				p.is.Date = at
				f.see(&p.is, KindOf(&p.is, p.is.Challenged))
			}
		}
		if f.Matters() != c.matters || f.Requests != c.requests || f.Refused != c.refused {
			t.Errorf("%s: %d requests, %d refused, matters: %v; want %d, %d, %v", name, f.Requests, f.Refused, f.Matters(), c.requests, c.refused, c.matters)
		}
	}
}
