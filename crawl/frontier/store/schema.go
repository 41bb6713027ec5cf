package store

import (
	"bytes"
	"encoding/binary"
	"iter"
	"strings"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/packed"
)

// The buckets, as package storage describes them.
var (
	bucketDomains  = storage.BucketDomains
	bucketQueue    = storage.BucketQueue
	bucketReady    = storage.BucketReady
	bucketRevisits = storage.BucketRevisits
	bucketShapes   = storage.BucketShapes
	bucketFilters  = storage.BucketFilters
	bucketOutgoing = storage.BucketOutgoing
	bucketHosts    = storage.BucketHosts
	bucketDue      = storage.BucketDue
	bucketCalendar = storage.BucketCalendar
)

// ofItems are the buckets that hold what items say, apart from the counts and the filters. Their keys begin
// with the domain and a zero byte.
var ofItems = [][]byte{bucketQueue, bucketReady, bucketRevisits, bucketShapes, bucketOutgoing}

// within returns the key <domain> 0 <rest>.
func within(d crawl.Domain, rest ...string) []byte {
	b := make([]byte, 0, len(d)+64)
	b = append(append(b, d...), 0)
	for _, r := range rest {
		b = append(b, r...)
	}
	return b
}

// hostOf returns an origin as the keys of its domain have it: s or p for https and http, and what its host has before
// the domain. An origin with a port stands as it is.
func hostOf(d crawl.Domain, origin string) string {
	rest, secure := strings.CutPrefix(origin, "https://")
	rest = strings.TrimPrefix(rest, "http://")
	sub, ok := strings.CutSuffix(rest, string(d))
	switch {
	case !ok:
		return origin
	case secure:
		return "s" + sub
	}
	return "p" + sub
}

// originOf is the reverse of hostOf.
func originOf(d crawl.Domain, host string) string {
	if sub, ok := strings.CutPrefix(host, "s"); ok {
		return "https://" + sub + string(d)
	}
	if sub, ok := strings.CutPrefix(host, "p"); ok {
		return "http://" + sub + string(d)
	}
	return host
}

// bigEndian returns a date or time such that texts sort as they do. Negative ones come first.
func bigEndian(at int64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(max(at, 0)))
	return string(b[:])
}

// fromBigEndian returns the date or time that a key begins with, and the rest.
func fromBigEndian(key []byte) (at int64, rest []byte) {
	if len(key) < 8 {
		return 0, nil
	}
	return int64(binary.BigEndian.Uint64(key)), key[8:]
}

// scan visits the keys of a bucket that begin with prefix, without it, from the first that is not before from.
// The loop must not write to the bucket.
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

// setOf returns a set of strings of a domain.
func setOf(tx *storage.Tx, bucket []byte, d crawl.Domain) packed.Set {
	return packed.Set{Bucket: tx.Bucket(bucket), Prefix: within(d)}
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
