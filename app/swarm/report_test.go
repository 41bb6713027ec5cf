package swarm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// Outcomes with many long links go home in several messages: one that is too long to be read as a whole would
// lose some of them.
func TestFirstReport_LosesNothing(t *testing.T) {
	lease := crawl.Lease{ID: 7, Domain: "a.test"}
	var outcomes []crawl.Outcome
	links := 0
	for i, n := range []int{0, 2400, 1700, 2400, 0, 2400, 10, 0, 0} {
		u := mustURL(t, fmt.Sprintf("http://a.test/%d", i))
		o := crawl.Outcome{Domain: lease.Domain, Task: crawl.Task{URL: u}, Result: crawl.Fetched, Status: 200}
		for j := range n {
			o.Outlinks = append(o.Outlinks, crawl.Outlink{URL: mustURL(t,
				fmt.Sprintf("http://a.test/%s/%d/%d", strings.Repeat("x", 300), i, j)), Priority: crawl.PriorityNormal})
		}
		links += n
		outcomes = append(outcomes, o)
	}
	gotLinks, at := 0, 0
	for at < len(outcomes) {
		b, count, over := firstReport(bodyReport, lease, outcomes[at:], true)
		read, ok := readReport(lease.Domain, b[1:], func(crawl.Outlink) bool { return true })
		if !ok || count < 1 || len(read.outcomes) != count || over != (at+count == len(outcomes)) || read.over != over {
			t.Fatalf("from %d: %d of %d outcomes are read, over %v, %v", at, len(read.outcomes), count, over, ok)
		}
		for i, o := range read.outcomes {
			if want := outcomes[at+i].Task.URL; o.Task.URL != want {
				t.Errorf("outcome %d is of %s, want %s", at+i, o.Task.URL, want)
			}
			gotLinks += len(o.Outlinks)
		}
		at += count
	}
	if gotLinks != links {
		t.Errorf("%d links are read of %d", gotLinks, links)
	}
	if _, count, over := firstReport(bodyReport, lease, nil, true); count != 0 || !over {
		t.Errorf("the end of a lease: %d outcomes, over %v", count, over)
	}
}

func mustURL(t *testing.T, text string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
