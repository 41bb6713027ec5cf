package frontier

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// web is a generated web: each page links to some of its domain and to one of another.
type web struct {
	domains, pages int
	fetched        map[string]int
	ended          map[crawl.Domain]time.Time // when the last lease of a domain was over
}

func newWeb(domains, pages int) *web {
	return &web{domains, pages, make(map[string]int), make(map[crawl.Domain]time.Time)}
}

func (w *web) url(d, page int) crawl.URL {
	page %= w.pages
	return parse(fmt.Sprintf("https://h%d.d%d.example/%d", page%3, d%w.domains, page))
}

func (w *web) links(u crawl.URL) (links []Link) {
	var host, d, page int
	if _, err := fmt.Sscanf(u.String(), "https://h%d.d%d.example/%d", &host, &d, &page); err != nil {
		panic(err)
	}
	for _, to := range []crawl.URL{w.url(d, page*2), w.url(d, page*2+1), w.url(d, 0), w.url(d+1, 0), w.url(d+1, page)} {
		links = append(links, Link{URL: to, Depth: uint8(min(page, 100)), Priority: crawl.PriorityNormal})
	}
	return links
}

// crawlOn lets a node visit what is due, deliver links, and wait, for some rounds or until nothing is left. It reports whether
// something was.
func (w *web) crawlOn(n *node, rounds int) (more bool) {
	n.t.Helper()
	for range rounds {
		p := n.pick()
		for _, due := range p.Due {
			g := n.begin(due.Domain)
			if gap := n.now.Sub(w.ended[g.Domain]); gap < 100*time.Millisecond {
				n.t.Errorf("%s is visited again after %s", g.Domain, gap)
			}
			for _, t := range g.Tasks {
				w.fetched[t.URL.String()]++
				n.settle(n.outcome(t, w.links(t.URL)...), true)
			}
			n.end(g.Domain)
			w.ended[g.Domain] = *n.now
		}
		*n.now = n.now.Add(50 * time.Millisecond)
		if delivered := n.deliver(); len(p.Due) > 0 || delivered {
			continue
		}
		if !p.Next.IsZero() && p.Next.Before(n.now.Add(24*time.Hour)) {
			*n.now = p.Next
			continue
		}
		*n.now = n.now.Add(time.Second) // links of this second go out after it
		if !n.deliver() {
			return false
		}
	}
	return true
}

// deliver takes links to other domains there, and reports whether there were any.
func (n *node) deliver() (some bool) {
	n.t.Helper()
	var after crawl.Domain
	for {
		var x Delivery
		var ok bool
		n.update(func(tx *storage.Tx) error {
			x, ok = n.Outgoing(tx, after, 10)
			return nil
		})
		if !ok {
			return some
		}
		some, after = true, x.From
		for _, l := range x.Links {
			n.enqueue(Found{Domain: x.From, Date: *n.now}, l)
		}
		n.apply(func(tx *storage.Tx) (items []Item, _ Applied, err error) {
			items, err = n.Delivered(tx, x.From, x.Of)
			return items, Applied{}, err
		})
	}
}

// checkFetched checks that every page was visited once.
func (w *web) checkFetched(t *testing.T) {
	t.Helper()
	if len(w.fetched) != w.domains*w.pages {
		t.Errorf("%d pages of %d", len(w.fetched), w.domains*w.pages)
	}
	for _, u := range slices.Sorted(maps.Keys(w.fetched)) {
		if w.fetched[u] != 1 {
			t.Errorf("%s was fetched %d times", u, w.fetched[u])
		}
	}
}

// hurried is a politeness with short gaps.
func hurried() crawl.Politeness { return crawl.Politeness{Fixed: new(100 * time.Millisecond)} }

func TestFrontier_VisitsEveryPageOnce(t *testing.T) {
	w := newWeb(5, 60)
	n := newNode(t, Config{Politeness: hurried()}, nil)
	n.enqueue(Found{}, Link{URL: w.url(0, 0), Priority: crawl.PriorityHigh})
	for w.crawlOn(n, 20) {
		n.check()
	}
	n.check()
	w.checkFetched(t)
	n.update(func(tx *storage.Tx) error {
		if idle, err := n.Idle(tx); err != nil || !idle {
			return fmt.Errorf("idle %v, %v", idle, err)
		}
		return nil
	})
}

func TestFrontier_TwoCopiesInTurnVisitEveryPageOnce(t *testing.T) {
	w := newWeb(4, 50)
	a := newNode(t, Config{Politeness: hurried()}, nil)
	b := newNode(t, Config{Politeness: hurried()}, a.now)
	a.enqueue(Found{}, Link{URL: w.url(0, 0), Priority: crawl.PriorityHigh})
	for turn := 0; ; turn++ {
		leads, follows := a, b
		if turn%2 == 1 {
			leads, follows = b, a
		}
		follows.give(leads)
		leads.lead()
		more := w.crawlOn(leads, 3)
		if turn%3 == 0 { // it hears of changes without indexes
			follows.forget()
		}
		leads.give(follows)
		leads.give(follows)
		a.check()
		b.check()
		if !more {
			break
		}
	}
	w.checkFetched(t)
	sameItems(t, a, b)
}

// give merges all items of a node into another.
func (n *node) give(to *node) {
	n.t.Helper()
	to.update(func(tx *storage.Tx) error { return merge(tx, n.items()) })
}

func (n *node) items() (list []Item) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) error {
		return tx.Bucket(bucketItems).ForEach(func(k, v []byte) error {
			d, key, _ := cutKey(k)
			list = append(list, Item{Domain: d, Key: key, Value: slices.Clone(v[16:])})
			return nil
		})
	})
	return list
}

func cutKey(k []byte) (crawl.Domain, string, bool) {
	i := slices.Index(k, 0)
	return crawl.Domain(k[:i]), string(k[i+1:]), i > 0
}

// lead makes the node one that leads all domains, after another did.
func (n *node) lead() {
	n.t.Helper()
	for _, it := range n.items() {
		n.update(func(tx *storage.Tx) error {
			if done, err := n.Led(tx, it.Domain); err != nil || !done {
				return fmt.Errorf("led: %v, %v", done, err)
			}
			return n.Ended(tx, it.Domain, 0)
		})
	}
}

// forget deletes all indexes.
func (n *node) forget() {
	n.t.Helper()
	for _, it := range n.items() {
		n.update(func(tx *storage.Tx) error {
			_, err := n.Left(tx, it.Domain)
			return err
		})
	}
}

func sameItems(t *testing.T, a, b *node) {
	t.Helper()
	x, y := a.items(), b.items()
	if !slices.EqualFunc(x, y, func(x, y Item) bool {
		return x.Domain == y.Domain && x.Key == y.Key && string(x.Value) == string(y.Value)
	}) {
		t.Errorf("%d and %d items differ", len(x), len(y))
	}
}
