package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// The bucket tree. Names in <> are keys; ‖ joins, 0 is a zero byte. Dates are Unix seconds and times Unix nanoseconds, both as
// big-endian uint64, so that cursors meet them in order. Everything except items is the node's own and is never sent.
//
//	items     <domain> 0 <key>                      16-byte stamp ‖ value; p2p/stream owns it, the frontier reads it
//	indexed   <domain>                              0: built; 1 ‖ key: built up to that key; 2: being forgotten
//	counts    <domain>                              Counts, end of the retirement
//	          0                                     Totals
//	queue     <domain> 0 <origin> 0 <tries ‖ depth ‖ priority ‖ URL hash>
//	                                                a URL to visit; the key is its place in the order
//	ready     <domain> 0 <time ‖ origin>            a host with a queue, by when it may be visited, or was
//	revisits  <domain> 0 <date ‖ URL hash>          origin of a URL to be visited again then
//	shapes    <domain> 0 <path hash>                3 × uint32: URLs with two, three and more parameters
//	filters   <domain> 0 <path>                     block of the domain's Bloom filter
//	outgoing  <domain> 0 <date ‖ key>               links to other domains not known to be delivered
//	places    <domain>                              Place: what items do not say
//	hosts     <domain> 0 <origin>                   when the host was visited last, or its hold ends
//	          <domain> 0                            where the domain stands: d (due) or c (calendar) ‖ time
//	due       <time ‖ domain>                       domains with work, by when they may be visited
//	calendar  <time ‖ domain>                       domains that wait for a revisit or the end of a retirement
var (
	bucketIndexed  = []byte("indexed")
	bucketCounts   = []byte("counts")
	bucketQueue    = []byte("queue")
	bucketReady    = []byte("ready")
	bucketRevisits = []byte("revisits")
	bucketShapes   = []byte("shapes")
	bucketFilters  = []byte("filters")
	bucketOutgoing = []byte("outgoing")
	bucketPlaces   = []byte("places")
	bucketHosts    = []byte("hosts")
	bucketDue      = []byte("due")
	bucketCalendar = []byte("calendar")
)

// ofItems are the buckets that hold what items say, apart from the counts and the filters. Their keys begin with the domain and a
// zero byte.
var ofItems = [][]byte{bucketQueue, bucketReady, bucketRevisits, bucketShapes, bucketOutgoing}

// Create makes the buckets of this package that are not there yet.
func Create(tx *storage.Tx) error {
	for _, name := range [][]byte{bucketIndexed, bucketCounts, bucketQueue, bucketReady, bucketRevisits, bucketShapes, bucketFilters,
		bucketOutgoing, bucketPlaces, bucketHosts, bucketDue, bucketCalendar} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	return nil
}

// within returns the key <domain> 0 <rest>.
func within(d crawl.Domain, rest ...string) []byte {
	b := make([]byte, 0, len(d)+64)
	b = append(append(b, d...), 0)
	for _, r := range rest {
		b = append(b, r...)
	}
	return b
}

// bigEndian returns a date or time such that texts sort as they do. Negative ones come first.
func bigEndian(at int64) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(max(at, 0))))
}

// fromBigEndian returns the date or time that a key begins with, and the rest.
func fromBigEndian(key []byte) (at int64, rest []byte) {
	if len(key) < 8 {
		return 0, nil
	}
	return int64(binary.BigEndian.Uint64(key)), key[8:]
}

// scan visits the keys of a bucket that begin with prefix, without it, from the first that is not before from. The loop must
// not write to the bucket.
func scan(b *storage.Bucket, prefix, from []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		c := b.Cursor()
		for k, v := c.Seek(append(bytes.Clone(prefix), from...)); k != nil; k, v = c.Next() {
			rest, ok := bytes.CutPrefix(k, prefix)
			if !ok || !yield(rest, v) {
				return
			}
		}
	}
}

// first returns the first key of a bucket that begins with prefix, without it; nil if there is none.
func first(b *storage.Bucket, prefix []byte) []byte {
	k, _ := b.Cursor().Seek(prefix)
	if !bytes.HasPrefix(k, prefix) {
		return nil
	}
	return k[len(prefix):]
}

// last returns the last key of a bucket that begins with <domain> 0, without that, and its value; nil if there is none.
func last(b *storage.Bucket, d crawl.Domain) (key, value []byte) {
	c := b.Cursor()
	k, v := c.Seek(append([]byte(d), 1))
	if k == nil {
		k, v = c.Last()
	} else {
		k, v = c.Prev()
	}
	key, ok := bytes.CutPrefix(k, within(d))
	if !ok {
		return nil, nil
	}
	return key, v
}

// deleteSome deletes up to limit keys of a bucket that begin with prefix, and returns how many.
func deleteSome(b *storage.Bucket, prefix []byte, limit int) (n int, err error) {
	c := b.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && n < limit; k, _ = c.Seek(prefix) {
		if err := c.Delete(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
