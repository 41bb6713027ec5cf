package store

import (
	"bytes"
	"iter"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// Mark is a place in an order of time; "" is its beginning.
type Mark string

// InOrder visits the domains of an order from a place on, by their times.
func InOrder(tx *storage.Tx, o Order, from Mark) iter.Seq2[Mark, time.Time] {
	return func(yield func(Mark, time.Time) bool) {
		for k := range scan(o.bucket(tx), nil, []byte(from)) {
			at, _ := fromBigEndian(k)
			if !yield(Mark(k), time.Unix(0, at)) {
				return
			}
		}
	}
}

// Backwards visits the domains of an order from its end.
func Backwards(tx *storage.Tx, o Order) iter.Seq2[Mark, time.Time] {
	return func(yield func(Mark, time.Time) bool) {
		c := o.bucket(tx).Cursor()
		for k, _ := c.Last(); k != nil; k, _ = c.Prev() {
			at, _ := fromBigEndian(k)
			if !yield(Mark(k), time.Unix(0, at)) {
				return
			}
		}
	}
}

// Domain returns the domain at a place.
func (m Mark) Domain() crawl.Domain {
	_, d := fromBigEndian([]byte(m))
	return crawl.Domain(d)
}

// DueTime returns when a domain has work that may be done; zero if it has none.
func DueTime(tx *storage.Tx, d crawl.Domain) time.Time {
	e := readEntry(tx, d)
	if len(e[partStand]) == 0 {
		return time.Time{}
	}
	at, _ := fromBigEndian(e[partStand][1:])
	return time.Unix(0, at)
}

// Domains visits the domains with indexes in the order of their names, after the given one.
func Domains(tx *storage.Tx, after crawl.Domain) iter.Seq[crawl.Domain] {
	return func(yield func(crawl.Domain) bool) {
		from := max(string(after), string(totalsKey)+"\x00")
		for k := range scan(tx.Bucket(bucketDomains), nil, []byte(from)) {
			if d := crawl.Domain(k); d != after && !stateOf(tx, d).is(stateForgetting) && !yield(d) {
				return
			}
		}
	}
}

// Ready visits the hosts of a domain that have something to visit, with the times of SetHost and in their order.
func Ready(tx *storage.Tx, d crawl.Domain) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for k := range scan(tx.Bucket(bucketReady), within(d), nil) {
			at, host := fromBigEndian(k)
			if !yield(originOf(d, string(host)), at) {
				return
			}
		}
	}
}

// Queue visits the URLs that a host has to visit in their order: the key of each item, and how often it was tried.
func Queue(tx *storage.Tx, d crawl.Domain, origin string) iter.Seq2[string, uint8] {
	return func(yield func(string, uint8) bool) {
		host := hostOf(d, origin) + "\x00"
		for s := range setOf(tx, bucketQueue, d).All([]byte(host)) {
			k := s[len(host):]
			if len(k) == rankSize && !yield(string(KindURL)+string(k[rankSize-hashSize:]), k[0]) {
				return
			}
		}
	}
}

// Revisit is a URL that is to be visited again.
type Revisit struct {
	Date        int64 // Unix seconds
	Origin, Key string
}

func revisit(d crawl.Domain, s []byte) (r Revisit, ok bool) {
	date, rest := fromBigEndian(s)
	if len(rest) < hashSize {
		return r, false
	}
	return Revisit{date, originOf(d, string(rest[hashSize:])), string(KindURL) + string(rest[:hashSize])}, true
}

// Revisits visits the URLs of a domain that are to be visited again, in the order of their dates.
func Revisits(tx *storage.Tx, d crawl.Domain) iter.Seq[Revisit] {
	return func(yield func(Revisit) bool) {
		for s := range setOf(tx, bucketRevisits, d).All(nil) {
			if r, ok := revisit(d, s); ok && !yield(r) {
				return
			}
		}
	}
}

// LastRevisit returns the last of Revisits; ok is false if there is none.
func LastRevisit(tx *storage.Tx, d crawl.Domain) (r Revisit, ok bool) {
	return revisit(d, setOf(tx, bucketRevisits, d).Last())
}

// Outgoing visits the keys of the items with links of a domain that are not known to be delivered, in the order
// of their dates.
func Outgoing(tx *storage.Tx, d crawl.Domain) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for k := range scan(tx.Bucket(bucketOutgoing), within(d), nil) {
			date, key := fromBigEndian(k)
			if !yield(string(key), date) {
				return
			}
		}
	}
}

// CountOutgoing counts the items with links that are not known to be delivered, limit at most.
func CountOutgoing(tx *storage.Tx, limit int) (n int) {
	c := tx.Bucket(bucketOutgoing).Cursor()
	for k, _ := c.First(); k != nil && n < limit; k, _ = c.Next() {
		n++
	}
	return n
}

// NextOutgoing returns the first domain after the given one that has links not known to be delivered; ok is
// false if there is none.
func NextOutgoing(tx *storage.Tx, after crawl.Domain) (d crawl.Domain, ok bool) {
	k, _ := tx.Bucket(bucketOutgoing).Cursor().Seek(append([]byte(after), 1))
	if after == "" {
		k, _ = tx.Bucket(bucketOutgoing).Cursor().First()
	}
	name, _, ok := bytes.Cut(k, []byte{0})
	return crawl.Domain(name), ok
}

// ShapeCount returns how many URLs are known that have the path of u and as many parameters, and the class of u
// by how many those are: 0 for two, 1 for three, 2 for more; -1 for fewer, which are not counted.
func ShapeCount(tx *storage.Tx, d crawl.Domain, u crawl.URL) (n uint64, class int, name string) {
	key, class := shapeOf(d, u)
	if key == nil {
		return 0, -1, ""
	}
	s := readShape(tx.Bucket(bucketShapes).Get(key))
	return uint64(s[class]), class, string(append(key, byte(class)))
}

// Filter is the Bloom filter of a domain.
type Filter struct {
	batch  *bloom.Batch
	prefix []byte
}

// OpenFilter returns the filter of a domain that has indexes. It need not see URLs that Changed adds after this call.
func OpenFilter(tx *storage.Tx, d crawl.Domain) *Filter {
	return &Filter{bloom.NewBatch(tx.Bucket(bucketFilters)), within(d)}
}

// Has reports whether a URL is known. It may be wrong once in a million times for one that is not.
func (f *Filter) Has(id ID) bool { return f.batch.Has(f.prefix, id.seen) }

// Noted reports whether a name was noted, with the same reservation.
func (f *Filter) Noted(name string) bool { return f.batch.Has(f.prefix, bloom.HashOf(name)) }

// Note puts a name into the filter, which must be that of no URL, and reports whether it was new.
func (f *Filter) Note(name string) (bool, error) { return f.batch.Add(f.prefix, bloom.HashOf(name)) }

// Flush writes the names that were noted.
func (f *Filter) Flush() error { return f.batch.Flush() }

// Fill returns which part of the bits of some domains' filters is set, 0 to 1, as far as their first blocks tell; -1 if
// there are none.
func Fill(tx *storage.Tx, domains []crawl.Domain) float64 {
	set, all := 0, 0
	for _, d := range domains {
		s, a := bloom.Fill(tx.Bucket(bucketFilters).Get(within(d)))
		set, all = set+s, all+a
	}
	if all == 0 {
		return -1
	}
	return float64(set) / float64(all)
}
