package stream

import "github.com/forage-net/forage/crawl"

// Rewrite changes the value of an item in this store alone: its stamp stays, so that the change is sent to
// nobody. An item that is not there stays away.
func Rewrite(tx Tx, d crawl.Domain, key string, change func(value []byte) []byte) error {
	at := itemKey(d, key)
	raw := tx.Get(bucketItems, at)
	if raw == nil {
		return nil
	}
	value, stamp, err := parseStored(raw)
	if err != nil {
		return err
	}
	return tx.Put(bucketItems, at, storedItem(stamp, change(value)))
}
