package ledger

import (
	"bytes"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/storage"
)

// Forget erases what a store keeps beside the frontier of the addresses for which gone reports true: robots.txt,
// where payloads are, and the first page.
func Forget(tx *storage.Tx, gone func(url string) bool) error {
	robots := tx.Bucket(storage.BucketRobots)
	err := deleteWhere(robots, func(origin, _ []byte) bool { return gone(string(origin) + "/robots.txt") })
	if err != nil {
		return err
	}
	if err := forgetDigests(tx.Bucket(storage.BucketDigests), gone); err != nil {
		return err
	}
	return stats.Forget(tx.Bucket(storage.BucketStats), gone)
}

// forgetDigests forgets first captures. What cannot be read is forgotten too: its payload is stored in full again.
func forgetDigests(b *storage.Bucket, gone func(url string) bool) error {
	kept := make(map[string][]byte)
	for key, raw := range freshRecords(b) {
		var list, rest []firstCapture
		_ = cbor.Unmarshal(raw, &list)
		for _, f := range list {
			if !gone(f.At.URL) {
				rest = append(rest, f)
			}
		}
		raw, err := cbor.Marshal(rest)
		if err != nil {
			return err
		}
		kept[string(key)] = raw
	}
	for key, raw := range kept {
		if err := b.Put([]byte(key), raw); err != nil {
			return err
		}
	}
	return deleteWhere(b, func(key, raw []byte) bool {
		var at reference
		return !isFreshKey(key) && (cbor.Unmarshal(raw, &at) != nil || gone(at.URL))
	})
}

// deleteWhere deletes entries of a bucket.
func deleteWhere(b *storage.Bucket, gone func(key, value []byte) bool) error {
	var keys [][]byte
	c := b.Cursor()
	for key, value := c.First(); key != nil; key, value = c.Next() {
		if gone(key, value) {
			keys = append(keys, bytes.Clone(key))
		}
	}
	for _, key := range keys {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}
