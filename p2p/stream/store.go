package stream

import (
	"bytes"
	"iter"
	"slices"

	"github.com/forage-net/forage/crawl"
)

const (
	bucketItems = "items"
	bucketCame  = "came"
	bucketMarks = "marks"
)

// Get returns the value of an item, nil if there is none. It is valid until the transaction ends.
func Get(tx Tx, d crawl.Domain, key string) []byte {
	v, _ := (&store{tx: tx}).item(itemKey(d, key))
	return v
}

// Scan visits the items of a domain in the order of their keys, beginning with the first that is not before from, while
// visit returns true. Values are valid until the transaction ends.
func Scan(tx Tx, d crawl.Domain, from string, visit func(key string, value []byte) (more bool)) error {
	st := &store{tx: tx}
	for it := range st.items(d, from) {
		if !visit(it.Key, it.Value) {
			break
		}
	}
	return st.err
}

// ScanAll visits the items of all domains, beginning with the first that is not before an item, while visit
// returns true.
func ScanAll(tx Tx, d crawl.Domain, key string, visit func(Item) (more bool)) error {
	st := &store{tx: tx}
	st.fail(tx.Scan(bucketItems, itemKey(d, key), func(k, b []byte) bool {
		v, _, err := parseStored(b)
		d, key, _ := splitItemKey(k)
		st.fail(err)
		return err == nil && visit(Item{Domain: d, Key: key, Value: v})
	}))
	return st.err
}

// Domains visits the domains that streams, pulls or puts of the shard carried here, in ascending order, while visit
// returns true.
func Domains(tx Tx, shard Shard, visit func(crawl.Domain) (more bool)) error {
	return DomainsFrom(tx, shard, "", visit)
}

// DomainsFrom is Domains from the first that is not before from.
func DomainsFrom(tx Tx, shard Shard, from crawl.Domain, visit func(crawl.Domain) (more bool)) error {
	st := &store{tx: tx}
	for d := range st.domains(shard, from) {
		if !visit(d) {
			break
		}
	}
	return st.err
}

// store is a transaction. After the first error nothing is written, and what is read means nothing; err tells.
type store struct {
	tx  Tx
	err error
}

func (s *store) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *store) put(bucket string, key, value []byte) {
	if s.err == nil {
		s.err = s.tx.Put(bucket, key, value)
	}
}

func (s *store) delete(bucket string, key []byte) {
	if s.err == nil {
		s.err = s.tx.Delete(bucket, key)
	}
}

// scan visits the keys that begin with prefix, without it, from the first that is not before from. The loop must not
// write.
func (s *store) scan(bucket string, prefix, from []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		s.fail(s.tx.Scan(bucket, slices.Concat(prefix, from), func(k, v []byte) bool {
			rest, ok := bytes.CutPrefix(k, prefix)
			return ok && yield(rest, v) && s.err == nil
		}))
	}
}

// item returns an item's value, nil if there is none, and its stamp.
func (s *store) item(key []byte) ([]byte, Stamp) {
	b := s.tx.Get(bucketItems, key)
	if b == nil {
		return nil, Stamp{}
	}
	v, st, err := parseStored(b)
	s.fail(err)
	return v, st
}

// items visits the items of a domain, from the first whose key is not before from.
func (s *store) items(d crawl.Domain, from string) iter.Seq[stamped] {
	return func(yield func(stamped) bool) {
		for key, b := range s.scan(bucketItems, itemKey(d, ""), []byte(from)) {
			v, st, err := parseStored(b)
			if s.fail(err); err != nil || !yield(stamped{Item{Domain: d, Key: string(key), Value: v}, st}) {
				return
			}
		}
	}
}

// domains visits the domains that a shard carried, from the first that is not before from.
func (s *store) domains(shard Shard, from crawl.Domain) iter.Seq2[crawl.Domain, Marks] {
	return func(yield func(crawl.Domain, Marks) bool) {
		for d, v := range s.scan(bucketCame, cameKey(shard, ""), []byte(from)) {
			latest, err := parseMarks(v)
			if s.fail(err); err != nil || !yield(crawl.Domain(d), latest) {
				return
			}
		}
	}
}

// cameKey is where a shard keeps the latest number of each run among the stamps of a domain's items.
func cameKey(s Shard, d crawl.Domain) []byte {
	k := make([]byte, 0, 1+len(s)+len(d))
	return append(append(append(k, byte(len(s))), s...), d...)
}

const (
	// maxSummary is how many runs the summary of a domain names.
	maxSummary = 8
	// lookAlways, in place of more runs, is what nobody's marks have: every pull looks at each item of the domain.
	lookAlways = maxNumber
)

// summary is what a shard knows of the stamps of a domain's items.
type summary struct {
	latest  Marks
	existed bool // the shard carried the domain before this transaction
}

// add notes that an item of the domain has this stamp, and reports whether that is news.
func (s *summary) add(st Stamp) bool {
	if s.latest.Has(st) || s.latest.Has(Stamp{0, lookAlways}) {
		return false
	}
	if _, known := s.latest[st.Run]; !known && len(s.latest) == maxSummary {
		s.latest, st = make(Marks), Stamp{0, lookAlways}
	}
	s.latest[st.Run] = st.N
	return true
}
