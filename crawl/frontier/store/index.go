package store

import (
	"bytes"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// Changed keeps the indexes of a domain that has them. It does nothing for other domains. The caller calls it in the
// transaction of the changes.
func Changed(tx *storage.Tx, d crawl.Domain, changes []Change) error {
	ix := open(tx, d)
	held := make([]Change, 0, len(changes))
	for _, c := range changes {
		if ix.state.covers(c.Key) {
			held = append(held, c)
		}
	}
	if len(held) == 0 {
		return nil
	}
	written, err := ix.change(held)
	if err == nil && written {
		err = ix.entry.put(tx, d)
	}
	if err != nil {
		return fmt.Errorf("index %s: %w", d, err)
	}
	return nil
}

// index is the indexes of one domain.
type index struct {
	tx    *storage.Tx
	d     crawl.Domain
	entry entry
	state indexed // of the entry
	// moved says that the domain's work may be due at another time than before.
	moved bool
	seen  *bloom.Batch // URLs for the domain's Bloom filter, nil if there are none
}

func open(tx *storage.Tx, d crawl.Domain) *index {
	ix := &index{tx: tx, d: d, entry: readEntry(tx, d)}
	ix.state = ix.entry.state()
	return ix
}

// change takes changes of items in, and reports whether the entry changed, which is to be written then.
func (ix *index) change(changes []Change) (entry bool, err error) {
	before, err := ix.entry.summary(ix.d)
	if err != nil {
		return false, err
	}
	after := before
	for _, c := range changes {
		switch kindOf(c.Key) {
		case KindURL:
			err = ix.changeURL(&after, derive(ix.d, c.Key, c.Old), derive(ix.d, c.Key, c.New))
		case KindRecord:
			rec, _ := DecodeRecord(c.New) // one that cannot be read is as good as none
			ix.moved = ix.moved || after.until != rec.Answer.Until
			after.until = rec.Answer.Until
		case KindLinks:
			err = ix.changeKey(bucketOutgoing, outgoingKey(ix.d, c.Key, c.Old), outgoingKey(ix.d, c.Key, c.New))
		}
		if err != nil {
			return false, err
		}
	}
	if ix.seen != nil {
		if err := ix.seen.Flush(); err != nil {
			return false, err
		}
	}
	if entry = before != after; entry {
		if err := putTotalsOf(ix.tx, &before, &after); err != nil {
			return false, err
		}
		ix.entry[partCounts] = after.encode()
	}
	if !ix.moved || !ix.state.is(stateBuilt) {
		return entry, nil
	}
	stand := ix.entry[partStand]
	err = ix.entry.schedule(ix.tx, ix.d)
	return entry || !bytes.Equal(stand, ix.entry[partStand]), err
}

func (ix *index) changeURL(s *summary, old, new derived) error {
	s.Counts.change(&old.counts, ^uint64(0))
	s.Counts.change(&new.counts, 1)
	if new.known && !old.known {
		if err := ix.see(new.seen); err != nil {
			return err
		}
	}
	if err := ix.changeShape(&old, &new); err != nil {
		return err
	}
	ix.moved = ix.moved || !bytes.Equal(old.revisit, new.revisit)
	if err := ix.move(bucketRevisits, old.revisit, new.revisit); err != nil {
		return err
	}
	if bytes.Equal(old.queue, new.queue) {
		return nil
	}
	if err := ix.move(bucketQueue, old.queue, new.queue); err != nil {
		return err
	}
	if old.queue != nil && !bytes.Equal(old.host, new.host) || new.queue == nil {
		if err := ix.rest(old.host); err != nil {
			return err
		}
	}
	if new.queue != nil {
		return ix.wake(new.host)
	}
	return nil
}

// move has a set hold a string instead of another; nil is none.
func (ix *index) move(bucket, old, new []byte) error {
	if bytes.Equal(old, new) {
		return nil
	}
	p := setOf(ix.tx, bucket, ix.d)
	if old != nil {
		if err := p.Delete(old); err != nil {
			return err
		}
	}
	if new == nil {
		return nil
	}
	return p.Add(new)
}

// changeKey moves an entry of an index from one key to another; nil is none.
func (ix *index) changeKey(bucket, old, new []byte) error {
	if bytes.Equal(old, new) {
		return nil
	}
	b := ix.tx.Bucket(bucket)
	if old != nil {
		if err := b.Delete(old); err != nil {
			return err
		}
	}
	if new == nil {
		return nil
	}
	return b.Put(new, []byte{})
}

// see puts a URL into the domain's Bloom filter.
func (ix *index) see(h bloom.Hash) error {
	if ix.seen == nil {
		ix.seen = bloom.NewBatch(ix.tx.Bucket(bucketFilters))
	}
	_, err := ix.seen.Add(within(ix.d), h)
	return err
}

func (ix *index) changeShape(old, new *derived) error {
	if bytes.Equal(old.shape, new.shape) && old.class == new.class {
		return nil
	}
	if err := ix.countShape(old, ^uint32(0)); err != nil {
		return err
	}
	return ix.countShape(new, 1)
}

func (ix *index) countShape(x *derived, by uint32) error {
	if x.shape == nil {
		return nil
	}
	b := ix.tx.Bucket(bucketShapes)
	s := readShape(b.Get(x.shape))
	s[x.class] += by
	if s == (shapeCounts{}) {
		return b.Delete(x.shape)
	}
	return b.Put(x.shape, s.encode())
}

// wake makes a host ready that has got something to visit.
func (ix *index) wake(host []byte) error {
	key := readyKey(ix.tx, ix.d, host)
	b := ix.tx.Bucket(bucketReady)
	if b.Get(key) != nil {
		return nil
	}
	ix.moved = true
	return b.Put(key, []byte{})
}

// rest takes a host out of those that are ready if it has nothing left to visit.
func (ix *index) rest(host []byte) error {
	name := append(bytes.Clone(host[len(ix.d)+1:]), 0)
	if setOf(ix.tx, bucketQueue, ix.d).First(name) != nil {
		return nil
	}
	ix.moved = true
	return ix.tx.Bucket(bucketReady).Delete(readyKey(ix.tx, ix.d, host))
}

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
		if err := ix.entry.schedule(tx, d); err != nil {
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
