package frontier

import (
	"bytes"

	"github.com/forage-net/forage/storage"
)

// WipePart deletes what a log has made, room keys at most, and reports whether that was
// all. room is what is left of it then. The buckets stay; as long as some of it is there, the log
// is of no use but for a copy.
func (f *Frontier) WipePart(tx *storage.Tx, room *int) (done bool, err error) {
	b, err := openBuckets(tx, f.cfg.LogID)
	if err != nil {
		return false, err
	}
	tx.OnCommit(f.seen.clear)
	for _, part := range b.wiped() {
		var keys [][]byte
		c := part.Cursor()
		for key, _ := c.First(); key != nil && *room > 0; key, _ = c.Next() {
			keys = append(keys, bytes.Clone(key))
			*room--
		}
		for _, key := range keys {
			if err := dropKey(part, key); err != nil {
				return false, err
			}
		}
		if *room <= 0 {
			return false, nil
		}
	}
	return true, nil
}

// wiped returns all buckets, in an order in which what is left can become part of a copy: a domain
// of which anything is missing has no record, and what orders things goes before what says
// where they are in the order.
func (b *buckets) wiped() []*storage.Bucket {
	return []*storage.Bucket{
		b.domains, b.meta, b.leases, b.unasked, b.closing, b.gone, b.arriving, b.aside, b.outbox, b.slots, b.slotTimes,
		b.queue, b.pages, b.filters, b.shapes, b.ready, b.due, b.clocks, b.later,
	}
}
