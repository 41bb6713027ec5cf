//go:build !items

package app

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage"
)

// A disk that refuses to note what others have for good refuses it for now: with room, it is counted once, its leases are over,
// and the next start does not read it again.
func TestSettledElsewhere_IsNotedWhenTheDiskLetsIt(t *testing.T) {
	for name, again := range map[string]func(n *Node){
		"with the next":   func(n *Node) { n.settledElsewhere(nil, []crawl.Lease{{ID: 9, Granter: "third"}}) },
		"within a minute": func(n *Node) { n.noteUnnoted() },
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t, labOptions(t, t.TempDir(), nil))
			defer closeNode(t, n)
			var list []crawl.Outcome
			for i := range 3 {
				r := answerOf(t, fmt.Sprintf("http://a.test/%d", i), fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\npage %d", i))
				o, p := worker.Read(crawl.Task{ID: crawl.TaskID(fmt.Sprint(i)), URL: r.URL}, r, n.scope, time.Now())
				if err := n.archivist.Archive(r, &o, p); err != nil {
					t.Fatal(err)
				}
				o.Granter, o.Lease, o.Domain = "other", 7, "a.test"
				list = append(list, o)
			}
			lease := crawl.Lease{ID: 7, Granter: "other", Domain: "a.test", Tasks: []crawl.Task{list[0].Task}}
			if err := n.keepHeld([]crawl.Lease{lease}); err != nil {
				t.Fatal(err)
			}
			whole := n.db
			n.db = refusingDB(t)
			n.settledElsewhere(list[:1], nil)
			n.settledElsewhere(list[1:], []crawl.Lease{lease})
			if len(n.archivist.order) != len(list) {
				t.Errorf("%d captures wait for their outcomes, want %d", len(n.archivist.order), len(list))
			}
			n.db = whole
			if !holds(t, n, lease) {
				t.Error("the lease is not held any more")
			}
			again(n)
			again(n)
			if holds(t, n, lease) {
				t.Error("the lease is still held")
			}
			if len(n.archivist.order) != 0 {
				t.Errorf("%d captures wait for their outcomes", len(n.archivist.order))
			}
			n.settledElsewhere(nil, []crawl.Lease{{ID: 1, Granter: "third"}}) // a checkpoint is of what was settled before
			if at, err := n.archivist.start(); err != nil || after(n.archivist.end, at) {
				t.Errorf("the next start reads from %v on, %v; want %v", at, err, n.archivist.end)
			}
			var all allTime
			if err := n.db.View(func(tx *storage.Tx) error {
				_, err := getStat(tx.Bucket(storage.BucketStats), keyAllTime, &all)
				return err
			}); err != nil || all.Tally.Pages != uint64(len(list)) {
				t.Errorf("%d pages counted, %v; want %d", all.Tally.Pages, err, len(list))
			}
			if kept, err := countedLeases(n.db); err != nil || len(kept) != 0 {
				t.Errorf("something is kept of %v, %v", kept, err)
			}
		})
	}
}

// refusingDB opens a store in which nothing can be written.
func refusingDB(t *testing.T) *storage.DB {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "forage.db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return db
}

// holds reports whether a node keeps a lease of others.
func holds(t *testing.T, n *Node, l crawl.Lease) (is bool) {
	t.Helper()
	if err := n.db.View(func(tx *storage.Tx) error {
		is = tx.Bucket(storage.BucketHeld).Get(heldKey(l.Granter, l.ID)) != nil
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return is
}
