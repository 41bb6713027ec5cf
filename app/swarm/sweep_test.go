package swarm

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// fill brings links to pages of one domain, each an item, to a node that is alone.
func (w *wanter) fill(t testing.TB, pages int) {
	t.Helper()
	const atOnce = 500
	for begin := 0; begin < pages; begin += atOnce {
		var links []crawl.Outlink
		for i := range min(atOnce, pages-begin) {
			u, err := crawl.ParseURL(fmt.Sprintf("http://a.example/%d", begin+i))
			if err != nil {
				t.Fatal(err)
			}
			links = append(links, crawl.Outlink{URL: u, Priority: crawl.PriorityNormal})
		}
		stored := false
		body := linksBody("b.example", w.clock.now.Unix(), links)
		for tries := 0; !stored && tries < 200; tries++ { // first it has to lead, and to make indexes
			if tries%20 == 0 {
				w.node.Put("a.example", body, "member 0", func(ok bool) { stored = stored || ok })
			}
			w.clock.now = w.clock.now.Add(time.Second)
			w.node.Tick()
			if err := errors.Join(w.index.Build(w.node), w.node.Commit(true)); err != nil {
				t.Fatal(err)
			}
		}
		if !stored {
			t.Fatal("links are not stored")
		}
	}
}

func TestSweep_LooksAtAFewItemsOnceInAWhile(t *testing.T) {
	w := newWanter(t, 1)
	w.fill(t, 5*sweepItems/2)
	begin := w.clock.now
	var looks []int
	for w.clock.now.Sub(begin) < 2*sweepAgain {
		next := w.sweep.next
		if err := w.sweep.step(w.node); err != nil {
			t.Fatal(err)
		}
		if w.sweep.next != next {
			looks = append(looks, int(w.clock.now.Sub(begin).Seconds()))
		}
		w.clock.now = w.clock.now.Add(sweepEvery)
	}
	if got := fmt.Sprint(looks); got != "[0 1 2 600 601 602]" {
		t.Errorf("it looks at some items at %s seconds, want [0 1 2 600 601 602]", got)
	}
}
