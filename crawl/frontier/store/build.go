package store

import (
	"bytes"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// Build makes the indexes of a domain, or goes on with it: it looks at up to limit items and reports whether it
// is done. Items may change between two calls. Until it is done the domain has no place in the order of due
// times.
func Build(tx *storage.Tx, items Reader, d crawl.Domain, limit int) (done bool, err error) {
	ix := open(tx, d)
	if ix.state.is(stateBuilt) {
		return true, nil
	}
	if ix.state.is(stateForgetting) {
		if done, err := Forget(tx, d, limit); err != nil || !done {
			return false, err
		}
		ix.state = nil
	}
	if len(ix.state) == 0 {
		if err := ix.begin(); err != nil {
			return false, err
		}
	}
	found, next, err := ix.unindexed(items, limit)
	if err != nil {
		return false, fmt.Errorf("read items of %s: %w", d, err)
	}
	if _, err := ix.change(found); err != nil {
		return false, fmt.Errorf("index %s: %w", d, err)
	}
	ix.entry[partIndexed] = append([]byte{stateBuilding}, next...)
	if next == "" {
		ix.entry[partIndexed] = []byte{stateBuilt}
		if _, err := ix.entry.schedule(tx, d); err != nil {
			return false, err
		}
	}
	return next == "", ix.entry.put(tx, d)
}

// begin makes the domain one that has indexes.
func (ix *index) begin() error {
	ix.state = []byte{stateBuilding}
	t, err := ReadTotals(ix.tx)
	if err != nil {
		return err
	}
	t.Domains++
	return putTotals(ix.tx, &t)
}

// unindexed returns the next items to be indexed, and the key of the first after them, "" if there is none.
func (ix *index) unindexed(items Reader, limit int) (found []Change, next string, err error) {
	err = items.Scan(ix.tx, ix.d, string(ix.state[1:]), func(key string, value []byte) bool {
		if len(found) == limit {
			next = key
			return false
		}
		found = append(found, Change{Key: key, New: bytes.Clone(value)})
		return true
	})
	return found, next, err
}

// Forget deletes the indexes of a domain and its Place, or goes on with it: it deletes up to limit entries and
// reports whether it is done. From its first call on the domain has no indexes.
func Forget(tx *storage.Tx, d crawl.Domain, limit int) (done bool, err error) {
	ix := open(tx, d)
	if len(ix.state) == 0 {
		return true, nil
	}
	if !ix.state.is(stateForgetting) {
		if err := ix.retract(); err != nil {
			return false, fmt.Errorf("forget %s: %w", d, err)
		}
	}
	for _, name := range append([][]byte{bucketFilters, bucketHosts}, ofItems...) {
		n, err := deleteSome(tx.Bucket(name), within(d), limit)
		if err != nil {
			return false, fmt.Errorf("forget %s: %w", d, err)
		}
		if limit -= n; limit <= 0 {
			return false, nil
		}
	}
	return true, tx.Bucket(bucketDomains).Delete([]byte(d))
}

// retract takes a domain out of the totals and the orders of time.
func (ix *index) retract() error {
	s, err := ix.entry.summary(ix.d)
	if err != nil {
		return err
	}
	if err := putTotalsOf(ix.tx, &s, &summary{}); err != nil {
		return err
	}
	t, err := ReadTotals(ix.tx)
	if err != nil {
		return err
	}
	t.Domains--
	if err := putTotals(ix.tx, &t); err != nil {
		return err
	}
	if err := ix.entry.unschedule(ix.tx, ix.d); err != nil {
		return err
	}
	return (&entry{partIndexed: {stateForgetting}}).put(ix.tx, ix.d)
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
