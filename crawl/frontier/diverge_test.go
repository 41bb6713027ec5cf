package frontier

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// live lets a node do a random thing, as a leader that is cut off from the others does.
func (n *node) live(r *rand.Rand) {
	n.t.Helper()
	switch r.IntN(8) {
	case 0:
		n.enqueue(Found{Domain: []crawl.Domain{"", testDomain, "b.example"}[r.IntN(3)]}, someLinks(r, 5)...)
	case 1:
		*n.now = n.now.Add(time.Duration(r.Int64N(int64(10 * day))))
	case 2:
		u := someLinks(r, 1)[0].URL
		judge := n.Undo
		if r.IntN(2) == 0 {
			judge = n.Confirm
		}
		n.apply(func(tx *storage.Tx) (items []Item, _ Applied, err error) {
			items, err = judge(tx, u.Domain(), store.URLKey(u))
			return items, Applied{}, err
		})
	case 3:
		n.deliver()
	default:
		if g, ok := n.lease(); ok {
			for _, task := range g.Tasks {
				n.settle(someOutcome(r, n.outcome(task, someLinks(r, 3)...)), r.IntN(5) > 0)
			}
			n.end(g.Domain)
		}
	}
}

func someLinks(r *rand.Rand, most int) (links []Link) {
	for range 1 + r.IntN(most) {
		l := linkTo(fmt.Sprintf("https://h%d.a.example/%d", r.IntN(3), r.IntN(30)))
		if r.IntN(3) == 0 {
			l = linkTo(fmt.Sprintf("https://h%d.a.example/?x=%d&a=%d", r.IntN(3), r.IntN(9), r.IntN(2)))
		}
		l.Depth = uint8(r.IntN(5))
		links = append(links, l)
	}
	return links
}

func someOutcome(r *rand.Rand, o crawl.Outcome) crawl.Outcome {
	if r.IntN(3) == 0 {
		o.Result, o.Status = crawl.Result(1+r.IntN(11)), []int{0, 200, 403, 404, 429, 500}[r.IntN(6)]
	}
	o.Date = o.Date.Add(time.Duration(r.IntN(7200)-3600) * time.Second) // clocks differ
	o.Duplicate, o.Wait = r.IntN(4) == 0, time.Duration(r.IntN(3))*time.Hour
	o.Received, o.Title = int64(r.IntN(1000)), fmt.Sprintf("title %d", r.IntN(3))
	if r.IntN(4) == 0 {
		o.Outlinks = append(o.Outlinks, linkTo("https://b.example/"), linkTo("https://c.example/"))
	}
	return o
}

// Leaders that knew nothing of each other come to the same, in whatever order their items are merged, and nothing that one of
// them did is lost.
func TestFrontier_DivergedLeadersAgree(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		nodes := make([]*node, 2+r.IntN(3))
		for i := range nodes {
			var now *time.Time
			if i > 0 {
				now = new(*nodes[0].now)
			}
			nodes[i] = newNode(t, Config{Politeness: hurried()}, now)
		}
		for _, n := range nodes {
			n.enqueue(Found{}, someLinks(r, 20)...)
		}
		for round := range 3 {
			for _, n := range nodes {
				for range 8 {
					n.live(r)
				}
				n.check()
			}
			before := make([][]Item, len(nodes))
			for i, n := range nodes {
				before[i] = n.items()
			}
			for range 2 {
				for _, i := range r.Perm(len(nodes)) {
					for _, j := range r.Perm(len(nodes)) {
						nodes[i].take(before[j], r)
					}
				}
			}
			for _, n := range nodes {
				n.check()
				sameItems(t, nodes[0], n)
				for _, list := range before {
					n.checkKept(list)
				}
			}
			if t.Failed() {
				t.Fatalf("seed %d, round %d", seed, round)
			}
		}
	}
}

// take merges items in a random order.
func (n *node) take(list []Item, r *rand.Rand) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) error {
		for _, i := range r.Perm(len(list)) {
			if err := merge(tx, list[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkKept checks that a node knows what items say: each URL, and that it was visited in this version or a later one.
func (n *node) checkKept(list []Item) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) error {
		for _, it := range list {
			if it.Key[0] != byte(store.KindURL) {
				continue
			}
			was, err := store.DecodeURL(it.Domain, it.Value)
			if err != nil {
				return err
			}
			is, err := store.DecodeURL(it.Domain, boltItems{}.Get(tx, it.Domain, it.Key))
			if err != nil || is.Version < was.Version || is.Version == was.Version && is.State < was.State ||
				is.Version == was.Version && is.State == was.State && is.Visit.Date < was.Visit.Date {
				return fmt.Errorf("%+v became %+v, %v", was, is, err)
			}
		}
		return nil
	})
}
