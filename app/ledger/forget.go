package ledger

import (
	"bytes"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/storage"
)

// Forget erases what a store keeps beside the frontier of the addresses for which gone reports true: robots.txt,
// and the first page; and where payloads are that are no longer in the archive in dir.
func Forget(tx *storage.Tx, dir string, gone func(url string) bool) error {
	robots := tx.Bucket(storage.BucketRobots)
	err := deleteWhere(robots, func(origin, _ []byte) bool { return gone(string(origin) + "/robots.txt") })
	if err != nil {
		return err
	}
	if err := forgetDigests(tx.Bucket(storage.BucketDigests), dir); err != nil {
		return err
	}
	return stats.Forget(tx.Bucket(storage.BucketStats), gone)
}

// forgetDigests forgets first captures. What cannot be read is forgotten too: its payload is stored in full again.
func forgetDigests(b *storage.Bucket, dir string) error {
	kept := make(map[string][]byte)
	for key, raw := range freshRecords(b) {
		var list, rest []firstCapture
		_ = cbor.Unmarshal(raw, &list)
		for _, f := range list {
			if isThere(dir, f.At, f.Digest[:]) {
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
		var at place
		return !isFreshKey(key) && (at.UnmarshalBinary(raw) != nil || !isThere(dir, at, key))
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
