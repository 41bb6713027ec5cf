package swarm

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

const (
	// sweepEvery is how often some items are looked at for whether they still mean something, sweepItems how
	// many: a node looks at ten million within three hours.
	sweepEvery = time.Second
	sweepItems = 1000
	// sweepAgain is how long after a look at all of them began the next one begins, at least: without it a node that
	// has few would look at all of them every second.
	sweepAgain = 10 * time.Minute
	// unsureFor is longer than any outcome waits for a check.
	unsureFor = time.Hour
)

// sweep deletes items that mean nothing any more: links that were delivered a day ago. It has visited again
// what waits for a check that nobody remembers, as after another led.
type sweep struct {
	cfg  *Config
	undo func(crawl.Domain, string) // has a page visited again
	next time.Time
	// began is when the look at all of them began.
	began time.Time
	d     crawl.Domain // where it goes on, "" at the beginning
	key   string
}

// stale implements group.Config.Stale.
func stale(it stream.Item) bool { return store.Stale(it.Key, it.Value, time.Now()) }

// step looks at some items.
func (w *sweep) step(n *group.Node) error {
	now := w.cfg.Now()
	if now.Before(w.next) {
		return nil
	}
	w.next = now.Add(sweepEvery)
	if w.d == "" {
		w.began = now
	}
	looked := 0
	var old []stream.Item
	err := w.cfg.DB.View(func(tx *storage.Tx) error {
		from, key := w.d, w.key
		w.d, w.key = "", ""
		return stream.ScanAll(stream.FromStorage(tx), from, key, func(it stream.Item) bool {
			if looked++; looked > sweepItems {
				w.d, w.key = it.Domain, it.Key
				return false
			}
			if stale(it) {
				old = append(old, stream.Item{Domain: it.Domain, Key: it.Key})
			}
			if store.IsUnverified(it, time.Now().Add(-unsureFor)) {
				if acts, _ := n.Acts(it.Domain); acts {
					w.undo(it.Domain, it.Key)
				}
			}
			return true
		})
	})
	if again := w.began.Add(sweepAgain); w.d == "" && again.After(w.next) {
		w.next = again
	}
	if err != nil {
		return fmt.Errorf("look for old items: %w", err)
	}
	for _, it := range old {
		n.Streams().Forget(it.Domain, it.Key)
	}
	return nil
}
