package sim

import (
	"bytes"
	"errors"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// Visit answers a task; its outcome needs result, status, digest, bytes and outlinks.
type Visit func(t crawl.Task, now time.Time) crawl.Outcome

// alone is a node that is alone: the product's frontier over a real store, and a clock that jumps to when something
// is due.
type alone struct {
	*frontier.Frontier
	now   time.Time
	until time.Time
	visit Visit
}

// roundLimit is how many domains are lent at once, gap how long each is left alone.
const (
	roundLimit = 256
	gap        = 100 * time.Millisecond
)

// Began is when the clock of a node that is alone begins.
var Began = time.Unix(1_800_000_000, 0)

// Alone crawls from seeds until nothing is left or so much time has passed, with the frontier's order and its dates
// of further visits. The store is made in dir.
func Alone(dir string, seeds []crawl.Outlink, lasts time.Duration, visit Visit) (stored Stored, err error) {
	db, err := storage.Open(filepath.Join(dir, "papers.db"), storage.Options{NoSync: true})
	if err != nil {
		return stored, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	fixed := gap
	a := &alone{now: Began, until: Began.Add(lasts), visit: visit}
	a.Frontier = frontier.New(frontier.Config{Items: items{}, Politeness: crawl.Politeness{Fixed: &fixed},
		Now: func() time.Time { return a.now }})
	if err := db.Update(func(tx *storage.Tx) error { return a.enqueue(tx, seeds, frontier.Found{}) }); err != nil {
		return stored, err
	}
	for more := true; more && err == nil && a.now.Before(a.until); {
		err = db.Update(func(tx *storage.Tx) (err error) { more, err = a.round(tx); return err })
	}
	if err != nil {
		return stored, err
	}
	err = db.View(func(tx *storage.Tx) error {
		return tx.Bucket(bucketItems).ForEach(func(key, value []byte) error {
			stored.Items++
			stored.Bytes += len(key) + len(value) - stampBytes
			return nil
		})
	})
	return stored, err
}

// Stored is what a crawl left in the store: what members send to one another.
type Stored struct{ Items, Bytes int }

// round works what is due, delivers links, and waits for what comes next; it reports whether anything will.
func (a *alone) round(tx *storage.Tx) (more bool, err error) {
	p, err := a.Pick(tx, roundLimit, nil)
	if err != nil {
		return false, err
	}
	var grants []crawl.Lease
	for _, due := range p.Due {
		g, err := a.Choose(tx, due.Domain)
		if err != nil {
			return false, err
		}
		grants = append(grants, g)
	}
	for _, g := range grants {
		if err := a.work(tx, g); err != nil {
			return false, err
		}
	}
	a.now = a.now.Add(time.Second) // links of a second go out after it
	delivered, err := a.deliver(tx)
	if err != nil || len(p.Due) > 0 || delivered {
		return true, err
	}
	if p.Next.IsZero() {
		return false, nil
	}
	if p.Next.After(a.now) {
		a.now = p.Next
	}
	return true, nil
}

func (a *alone) work(tx *storage.Tx, g crawl.Lease) error {
	if err := a.Begun(tx, g.Domain, g.Origin(), a.now.Add(frontier.DefaultLeaseFor)); err != nil {
		return err
	}
	for _, t := range g.Tasks {
		o := a.visit(t, a.now)
		o.Lease, o.Domain, o.Task, o.Date = 1, g.Domain, t, a.now
		list, _, err := a.Settle(tx, o, true, nil)
		if err != nil {
			return err
		}
		if err := merge(tx, list); err != nil {
			return err
		}
	}
	return a.Ended(tx, g.Domain, 0)
}

// deliver takes links to other domains there, and reports whether there were any.
func (a *alone) deliver(tx *storage.Tx) (some bool, err error) {
	for after := crawl.Domain(""); ; {
		x, ok := a.Outgoing(tx, after, 1000)
		if !ok {
			return some, nil
		}
		some, after = true, x.From
		if err := a.enqueue(tx, x.Links, frontier.Found{Domain: x.From, Date: a.now}); err != nil {
			return some, err
		}
		list, err := a.Delivered(tx, x.From, x.Of)
		if err != nil {
			return some, err
		}
		if err := merge(tx, list); err != nil {
			return some, err
		}
	}
}

func (a *alone) enqueue(tx *storage.Tx, links []crawl.Outlink, from frontier.Found) error {
	for _, l := range links {
		d := l.URL.Domain()
		if _, err := a.Led(tx, d); err != nil {
			return err
		}
		list, _, err := a.Enqueue(tx, d, []crawl.Outlink{l}, from)
		if err != nil {
			return err
		}
		if err := merge(tx, list); err != nil {
			return err
		}
	}
	return nil
}

// items keeps items as p2p/stream does, with empty stamps.
type items struct{}

const stampBytes = 16

var bucketItems = []byte("items")

func itemKey(d crawl.Domain, key string) []byte { return []byte(string(d) + "\x00" + key) }

// Get implements store.Reader.
func (items) Get(tx *storage.Tx, d crawl.Domain, key string) []byte {
	if v := tx.Bucket(bucketItems).Get(itemKey(d, key)); v != nil {
		return v[stampBytes:]
	}
	return nil
}

// Scan implements store.Reader.
func (items) Scan(tx *storage.Tx, d crawl.Domain, from string, visit func(string, []byte) bool) error {
	c, prefix := tx.Bucket(bucketItems).Cursor(), itemKey(d, "")
	for k, v := c.Seek(itemKey(d, from)); bytes.HasPrefix(k, prefix) &&
		visit(string(k[len(prefix):]), v[stampBytes:]); k, v = c.Next() {
	}
	return nil
}

// merge merges items into the store and tells the indexes.
func merge(tx *storage.Tx, list []frontier.Item) error {
	for _, it := range list {
		old := bytes.Clone(items{}.Get(tx, it.Domain, it.Key))
		value := it.Value
		if old != nil {
			value = bytes.Clone(store.Merge(it.Domain, it.Key, old, value))
		}
		if bytes.Equal(value, old) {
			continue
		}
		if err := tx.Bucket(bucketItems).Put(itemKey(it.Domain, it.Key),
			append(make([]byte, stampBytes), value...)); err != nil {
			return err
		}
		if err := store.Changed(tx, it.Domain, []crawl.Change{{Key: it.Key, Old: old, New: value}}); err != nil {
			return err
		}
	}
	return nil
}
