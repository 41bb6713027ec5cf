package frontier

import (
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// Links to a domain that is kept with that of their page wait there when the page is settled. Others wait for their way.
func TestSettle_TakesLinksThatAreHere(t *testing.T) {
	n := newNode(t, Config{}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"))
	g, _ := n.lease()
	o := n.outcome(g.Tasks[0], linkTo("https://a.example/1"), linkTo("https://b.example/1"), linkTo("https://b.example/2"),
		linkTo("https://c.example/1"))
	settle := func() Applied {
		return n.apply(func(tx *storage.Tx) ([]Item, Applied, error) {
			return n.Settle(tx, o, true, func(d crawl.Domain) bool { return d == "b.example" })
		})
	}
	if a := settle(); a != (Applied{Settled: true, New: 3, Domains: 1, Here: 2, Elsewhere: 1}) {
		t.Errorf("settling does %+v, want three new URLs, a domain of them, and one link elsewhere", a)
	}
	n.check()
	if p := n.page("https://b.example/2"); p.State != store.Waiting || p.Depth != 2 || n.info("b.example").Foreign != 2 {
		t.Errorf("the URL is known as %+v, want one that waits, of two that another domain links to", p)
	}
	n.update(func(tx *storage.Tx) error {
		x, ok := n.Outgoing(tx, "", 10)
		if !ok || len(x.Links) != 1 || x.Links[0].URL.Domain() != "c.example" {
			t.Errorf("%v are on their way, want the link to c.example", x.Links)
		}
		return nil
	})
	if a := settle(); a != (Applied{}) {
		t.Errorf("settling again does %+v, want nothing", a)
	}
}
