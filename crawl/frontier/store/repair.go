package store

import (
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// Valid reports whether an item is one that this package could have written.
func Valid(it Item) (ok bool) {
	var err error
	switch kindOf(it.Key) {
	case KindURL:
		_, err = DecodeURL(it.Domain, it.Value)
	case KindRecord:
		_, err = DecodeRecord(it.Value)
	case KindLinks:
		_, err = DecodeLinks(it.Value)
	default:
		return false
	}
	return err == nil
}

// Reset deletes all indexes and returns the domains that had some. Build makes those of one domain again.
func Reset(tx *storage.Tx) ([]crawl.Domain, error) {
	var list []crawl.Domain
	for d := range Domains(tx, "") {
		list = append(list, d)
	}
	for _, name := range storage.Indexes() {
		if err := tx.DeleteBucket(name); err != nil {
			return nil, fmt.Errorf("delete bucket %s: %w", name, err)
		}
		if _, err := tx.CreateBucket(name); err != nil {
			return nil, fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	return list, nil
}
