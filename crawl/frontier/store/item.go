package store

import (
	"bytes"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

const (
	// MaxValue bounds the value of an item in bytes.
	MaxValue = crawl.MaxItemValue

	// maxDate is the last second of the year 9999.
	maxDate = 253402300799
)

type (
	// Item is one thing known of a domain.
	Item = crawl.Item
	// Change is another value of an item.
	Change = crawl.Change
)

// Reader reads items within a transaction.
type Reader interface {
	// Get returns the value of an item, nil if there is none. It is valid until the transaction ends.
	Get(tx *storage.Tx, d crawl.Domain, key string) []byte
	// Scan visits the items of a domain in the order of their keys, from the first that is not before from, while visit
	// returns true. visit must not write.
	Scan(tx *storage.Tx, d crawl.Domain, from string, visit func(key string, value []byte) (more bool)) error
}

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

// IsLinks reports whether a key is one of links.
func IsLinks(key string) bool { return kindOf(key) == KindLinks }

// Merge joins two values of an item. It is commutative, associative and idempotent for values of at most MaxValue bytes
// (longer ones count as empty). A value that cannot be read loses against one that can; of two that cannot be read the
// larger bytes win. The result may share memory with a or b.
func Merge(d crawl.Domain, key string, a, b []byte) []byte {
	a, b = bounded(a), bounded(b)
	if bytes.Equal(a, b) {
		return a
	}
	switch kindOf(key) {
	case KindURL:
		decode := func(v []byte) (URL, error) { return DecodeURL(d, v) }
		return join(a, b, decode, func(x, y URL) []byte {
			if x.compare(&y) < 0 {
				x.Version, x.State, x.Visit = y.Version, y.State, y.Visit
			}
			x.Link = mergeLinks(d, key, x.Link, y.Link)
			return x.Encode(d)
		})
	case KindRecord:
		return join(a, b, DecodeRecord, func(x, y Record) []byte { return mergeRecords(x, y).Encode() })
	case KindLinks:
		return join(a, b, DecodeLinks, func(x, y Links) []byte {
			switch {
			case x.Date != y.Date:
				return later(x.Date > y.Date, a, b)
			case len(x.Urls) == 0 || len(y.Urls) == 0:
				return later(len(x.Urls) == 0, a, b)
			}
			return larger(a, b)
		})
	}
	return larger(a, b)
}

func join[T any](a, b []byte, decode func([]byte) (T, error), merge func(x, y T) []byte) []byte {
	x, errA := decode(a)
	y, errB := decode(b)
	switch {
	case errA == nil && errB == nil:
		return merge(x, y)
	case errA == nil:
		return a
	case errB == nil:
		return b
	}
	return larger(a, b)
}

func bounded(v []byte) []byte {
	if len(v) > MaxValue {
		return nil
	}
	return v
}

func larger(a, b []byte) []byte { return later(bytes.Compare(a, b) > 0, a, b) }

func later(first bool, a, b []byte) []byte {
	if first {
		return a
	}
	return b
}

// staleAfter is for how long links to other domains mean something: they are delivered long before, or by those that
// have the page's item and ask again.
const staleAfter = 25 * time.Hour

// Stale reports whether an item means nothing any more at a time and may be deleted: links that are older than
// 25 hours, or dated as far into the future, and links that cannot be read.
func Stale(key string, value []byte, now time.Time) bool {
	if kindOf(key) != KindLinks {
		return false
	}
	l, err := DecodeLinks(value)
	age := now.Sub(time.Unix(l.Date, 0))
	return err != nil || age > staleAfter || age < -staleAfter
}
