package frontier

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// boltItems keeps items as p2p/stream does, with empty stamps.
type boltItems struct{}

var bucketItems = []byte("items")

func itemKey(d crawl.Domain, key string) []byte { return []byte(string(d) + "\x00" + key) }

func (boltItems) Get(tx *storage.Tx, d crawl.Domain, key string) []byte {
	if v := tx.Bucket(bucketItems).Get(itemKey(d, key)); v != nil {
		return v[16:]
	}
	return nil
}

func (boltItems) Scan(tx *storage.Tx, d crawl.Domain, from string, visit func(string, []byte) bool) error {
	c, prefix := tx.Bucket(bucketItems).Cursor(), itemKey(d, "")
	for k, v := c.Seek(itemKey(d, from)); bytes.HasPrefix(k, prefix) && visit(string(k[len(prefix):]), v[16:]); k, v = c.Next() {
	}
	return nil
}

// merge merges items into the store and tells the indexes.
func merge(tx *storage.Tx, list []Item) error {
	for _, it := range list {
		old := bytes.Clone(boltItems{}.Get(tx, it.Domain, it.Key))
		value := it.Value
		if old != nil {
			value = bytes.Clone(store.Merge(it.Domain, it.Key, old, value))
		}
		if bytes.Equal(value, old) {
			continue
		}
		if err := tx.Bucket(bucketItems).Put(itemKey(it.Domain, it.Key), append(make([]byte, 16), value...)); err != nil {
			return err
		}
		if err := store.Changed(tx, it.Domain, []crawl.Change{{Key: it.Key, Old: old, New: value}}); err != nil {
			return err
		}
	}
	return nil
}

// node is a frontier with a store and a clock that stands still.
type node struct {
	*Frontier
	t   testing.TB
	db  *storage.DB
	now *time.Time
}

const testDomain crawl.Domain = "a.example"

// newNode returns a node whose clock is shared with others if one is given.
func newNode(t testing.TB, cfg Config, now *time.Time) *node {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if now == nil {
		now = new(time.Unix(1_800_000_000, 0))
	}
	cfg.Items, cfg.Now = boltItems{}, func() time.Time { return *now }
	return &node{New(cfg), t, db, now}
}

func (n *node) update(fn func(tx *storage.Tx) error) {
	n.t.Helper()
	if err := n.db.Update(fn); err != nil {
		n.t.Fatal(err)
	}
}

// apply runs a call and merges its items.
func (n *node) apply(call func(tx *storage.Tx) ([]Item, Applied, error)) (a Applied) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) (err error) {
		var items []Item
		if items, a, err = call(tx); err != nil {
			return err
		}
		if err := merge(tx, items); err != nil {
			return err
		}
		return nil
	})
	return a
}

func (n *node) enqueue(from Found, links ...Link) Applied {
	n.t.Helper()
	return n.apply(func(tx *storage.Tx) ([]Item, Applied, error) {
		d := links[0].URL.Domain()
		if _, err := n.Led(tx, d); err != nil {
			return nil, Applied{}, err
		}
		return n.Enqueue(tx, d, links, from)
	})
}

func (n *node) settle(o crawl.Outcome, verified bool) Applied {
	n.t.Helper()
	return n.apply(func(tx *storage.Tx) ([]Item, Applied, error) { return n.Settle(tx, o, verified, nil) })
}

func (n *node) pick() (p Picked) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) (err error) {
		p, err = n.Pick(tx, 100, nil)
		return err
	})
	return p
}

// lease picks one domain and begins its lease; ok is false if none is due.
func (n *node) lease() (g crawl.Lease, ok bool) {
	n.t.Helper()
	p := n.pick()
	if len(p.Due) == 0 {
		return g, false
	}
	return n.begin(p.Due[0].Domain), true
}

// begin begins a lease of a domain that is due.
func (n *node) begin(d crawl.Domain) (g crawl.Lease) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) (err error) {
		if g, err = n.Choose(tx, d); err != nil {
			return err
		}
		return n.Begun(tx, d, g.Origin(), n.now.Add(132*time.Second))
	})
	return g
}

// end ends a lease and moves the clock to when the domain is due again.
func (n *node) end(d crawl.Domain) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) error { return n.Ended(tx, d, 0) })
}

func (n *node) info(d crawl.Domain) (info DomainInfo) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) (err error) {
		info, err = n.Domain(tx, d)
		return err
	})
	return info
}

func (n *node) check() {
	n.t.Helper()
	n.update(n.Check)
}

func (n *node) page(text string) (p Page) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) error {
		var ok bool
		if p, ok = n.Page(tx, parse(text)); !ok {
			return fmt.Errorf("%s is not known", text)
		}
		return nil
	})
	return p
}

func parse(text string) crawl.URL {
	u, err := crawl.ParseURL(text)
	if err != nil {
		panic(err)
	}
	return u
}

func linkTo(text string) Link {
	return Link{URL: parse(text), Priority: crawl.PriorityNormal, Depth: 1}
}

// outcome is a visit of a task that found a page.
func (n *node) outcome(t crawl.Task, links ...Link) crawl.Outcome {
	return crawl.Outcome{
		Lease: 1, Domain: t.URL.Domain(), Task: t, Result: crawl.Fetched, Status: 200, Date: *n.now, Took: 10 * time.Millisecond,
		Digest: [20]byte{1, byte(len(t.URL.String()))}, Outlinks: links,
	}
}

// Items of what is no domain need no indexes, which it cannot have.
func TestFrontier_ItemsOfNoDomain(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	n := newNode(t, Config{}, &now)
	n.update(func(tx *storage.Tx) error {
		for _, d := range []crawl.Domain{"a b", "ä.example", "a\x01.example", crawl.Domain(strings.Repeat("a.", 200))} {
			if err := tx.Bucket(bucketItems).Put(itemKey(d, "x"), make([]byte, 17)); err != nil {
				return err
			}
			if ready, err := n.Ready(tx, d); !ready || err != nil {
				t.Errorf("%q is ready: %v, %v; want true", d, ready, err)
			}
		}
		return nil
	})
}
