package store

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// boltItems keeps items as p2p/stream does, with empty stamps.
type boltItems struct{}

var bucketItems = []byte("items")

func (boltItems) Get(tx *storage.Tx, d crawl.Domain, key string) []byte {
	if v := tx.Bucket(bucketItems).Get(within(d, key)); v != nil {
		return v[16:]
	}
	return nil
}

func (boltItems) Scan(tx *storage.Tx, d crawl.Domain, from string, visit func(string, []byte) bool) error {
	for k, v := range scan(tx.Bucket(bucketItems), within(d), []byte(from)) {
		if !visit(string(k), v[16:]) {
			break
		}
	}
	return nil
}

// merge merges an item into the store and tells the indexes.
func (b boltItems) merge(tx *storage.Tx, it Item) error {
	old := bytes.Clone(b.Get(tx, it.Domain, it.Key))
	value := it.Value
	if old != nil {
		value = bytes.Clone(Merge(it.Domain, it.Key, old, it.Value))
	}
	if bytes.Equal(value, old) && old != nil {
		return nil
	}
	if err := tx.Bucket(bucketItems).Put(within(it.Domain, it.Key), append(make([]byte, 16), value...)); err != nil {
		return err
	}
	return Changed(tx, it.Domain, []Change{{Key: it.Key, Old: old, New: value}})
}

// delete deletes an item and tells the indexes.
func (b boltItems) delete(tx *storage.Tx, d crawl.Domain, key string) error {
	old := bytes.Clone(b.Get(tx, d, key))
	if err := tx.Bucket(bucketItems).Delete(within(d, key)); err != nil {
		return err
	}
	return Changed(tx, d, []Change{{Key: key, Old: old}})
}

func openDB(t testing.TB) *storage.DB {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	update(t, db, func(tx *storage.Tx) error {
		if _, err := tx.CreateBucketIfNotExists(bucketItems); err != nil {
			return err
		}
		return nil
	})
	return db
}

func update(t testing.TB, db *storage.DB, fn func(tx *storage.Tx) error) {
	t.Helper()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}
