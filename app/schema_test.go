package app

import (
	"slices"
	"testing"

	"github.com/forage-net/forage/storage"
)

// noteBuckets notes which buckets of the stores hold something. There must be none that package storage does not name.
func (s *simSwarm) noteBuckets(used map[string]bool) {
	s.t.Helper()
	for _, x := range s.running() {
		noteBuckets(s.t, x.node.db, used)
	}
}

// checkSchema makes sure that each bucket that package storage names is used by some node, except two: outgoing is empty when all
// links are delivered, and shapes while no URL has two parameters.
func (s *simSwarm) checkSchema(used map[string]bool) {
	s.t.Helper()
	used[string(storage.BucketOutgoing)], used[string(storage.BucketShapes)] = true, true
	for _, name := range storage.Buckets() {
		if !used[string(name)] {
			s.t.Errorf("no node has anything in the bucket %s", name)
		}
	}
}

// noteBuckets notes the buckets of a store that hold something.
func noteBuckets(t *testing.T, db *storage.DB, used map[string]bool) {
	t.Helper()
	err := db.View(func(tx *storage.Tx) error {
		return tx.ForEach(func(name []byte, b *storage.Bucket) error {
			if !slices.ContainsFunc(storage.Buckets(), func(n []byte) bool { return string(n) == string(name) }) {
				t.Errorf("the store has a bucket %s that nothing describes", name)
			}
			if first, _ := b.Cursor().First(); first != nil {
				used[string(name)] = true
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}
