package swarm

import (
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl/frontier"
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
