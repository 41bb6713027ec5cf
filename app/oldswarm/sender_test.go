package swarm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
)

func TestFirstOf(t *testing.T) {
	links := make([]frontier.OutLink, 5)
	for i := range links {
		links[i].Link.URL = strings.Repeat("u", 100)
	}
	for room, want := range map[int]int{0: 1, 99: 1, 100: 1, 199: 1, 200: 2, 499: 4, 500: 5, 1000: 5} {
		if got := len(firstOf(links, room)); got != want {
			t.Errorf("%d links in %d bytes, want %d", got, room, want)
		}
	}
	if got := firstOf(nil, 10); len(got) != 0 {
		t.Errorf("%d links of none", len(got))
	}
}

// Links to a domain of this node's that is on its way to another stay in the outbox until that is over: taken in they would be put back there. They
// keep nobody behind them, and those of domains that are here are taken in.
func TestSender_LeavesLinksToWhatIsOnItsWay(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, "self")
	l.join("other")
	n.enqueue("http://moving.test/", "http://here.test/")
	l.mu.Lock()
	l.owner = "other"
	l.mu.Unlock()
	var urls []string
	for i := range 4000 { // more than one message takes
		urls = append(urls, fmt.Sprintf("http://new.test/%d", i))
	}
	n.enqueue(urls...)
	closed := frontier.Entry{Close: &frontier.Close{Domains: []crawl.Domain{"moving.test"}, To: "other", N: 7}}
	if _, err := n.f.Propose(t.Context(), closed); err != nil {
		t.Fatal(err)
	}
	urls = urls[:0]
	for i := range 3000 {
		urls = append(urls, fmt.Sprintf("http://moving.test/%d", i))
	}
	n.enqueue(urls...)
	if got := n.totals().Outbox; got != 7000 {
		t.Fatalf("%d links in the outbox, want 7000", got)
	}
	l.mu.Lock()
	l.owner = "self" // all is this node's again
	l.mu.Unlock()
	for range 3 {
		if err := n.hurried(func() error { return n.sender.round(t.Context()) }); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.totals().Outbox; got != 3000 {
		t.Errorf("%d links in the outbox, want the 3000 to the domain that moves", got)
	}
	if info := n.info("new.test"); info.Known != 4000 {
		t.Errorf("%d URLs of the other domain are known, want 4000", info.Known)
	}
}
