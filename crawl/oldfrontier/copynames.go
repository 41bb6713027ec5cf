package frontier

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// nameWalk goes through the names of the domains of which there is anything in
// some buckets, in their order. Names are what stands before the first zero byte of keys.
type nameWalk struct {
	seek []func(key []byte) (k, v []byte)
	keys [][]byte // where each bucket stands, nil at its end
}

// shared are the buckets of domains that all members have.
func (b *buckets) shared() []*storage.Bucket {
	return []*storage.Bucket{b.domains, b.queue, b.pages, b.filters, b.shapes}
}

// sorted are those and the ones that are sorted by domain too.
func (b *buckets) sorted() []*storage.Bucket { return append(b.shared(), b.ready, b.clocks) }

// walkNames begins behind a name, or with the first one if it is empty.
func walkNames(after string, in []*storage.Bucket) *nameWalk {
	w := &nameWalk{}
	for _, b := range in {
		w.seek = append(w.seek, b.Cursor().Seek)
	}
	w.keys = make([][]byte, len(in))
	for i, seek := range w.seek {
		w.keys[i], _ = seek(behindName(after))
	}
	return w
}

// behindName is at or before the first key that is of a later name.
func behindName(name string) []byte {
	if name == "" {
		return nil
	}
	return append([]byte(name), 1)
}

// next returns the next name; ok is false at the end. The name may be empty, if there is a key
// that no domain has.
func (w *nameWalk) next() (name string, ok bool) {
	var least []byte
	for _, key := range w.keys {
		if key == nil {
			continue
		}
		if n, _, _ := bytes.Cut(key, []byte{0}); !ok || bytes.Compare(n, least) < 0 {
			least, ok = n, true
		}
	}
	if !ok {
		return "", false
	}
	name = string(least)
	behind := append([]byte(name), 1)
	for i, key := range w.keys {
		if key != nil && bytes.Compare(key, behind) < 0 {
			w.keys[i], _ = w.seek[i](behind)
		}
	}
	return name, true
}

// copyNames returns the domains behind one, and whether there are more.
func (b *buckets) copyNames(after crawl.Domain, limit int) (list []copyName, more bool, err error) {
	room := copyAnswerBytes
	w := walkNames(string(after), b.shared())
	for {
		name, ok := w.next()
		if !ok {
			return list, false, nil
		}
		if !validDomain(crawl.Domain(name)) {
			continue // Repair drops it
		}
		if len(list) >= limit || room <= 0 {
			return list, true, nil
		}
		n := copyName{Name: crawl.Domain(name)}
		if b.domains.Get([]byte(name)) != nil {
			n.Sum = b.sumOf(n.Name)
		}
		list = append(list, n)
		room -= len(name) + len(n.Sum) + 8
	}
}

// nameSum is the length of the sum of a domain.
const nameSum = 8

// sumOf returns a hash that tells whether two members have the same of a domain. The record
// alone does, for it says when anything of the domain was last changed; the rest is for a
// store that was not made by the same entries.
func (b *buckets) sumOf(d crawl.Domain) []byte {
	h := sha256.New()
	prefix := hostKey(d, "")
	hashPair(h, nil, b.domains.Get([]byte(d)))
	hashPair(h, nil, b.filters.Get(prefix))
	hashEnds(h, b.queue, prefix)
	hashEnds(h, b.pages, prefix)
	return h.Sum(nil)[:nameSum]
}

// hashEnds hashes the first and the last key with a prefix. The prefix ends with a zero byte.
func hashEnds(h hash.Hash, b *storage.Bucket, prefix []byte) {
	c := b.Cursor()
	k, v := c.Seek(prefix)
	if !bytes.HasPrefix(k, prefix) {
		hashPair(h, nil, nil)
		return
	}
	hashPair(h, k, v)
	behind := bytes.Clone(prefix)
	behind[len(behind)-1] = 1
	if k, _ = c.Seek(behind); k == nil {
		k, v = c.Last()
	} else {
		k, v = c.Prev()
	}
	hashPair(h, k, v)
}

// hashPair hashes a key and its value. Nil is another value than an empty one.
func hashPair(h hash.Hash, key, value []byte) {
	var size [16]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(key)))
	n := uint64(len(value))
	if value == nil {
		n = 1<<64 - 1
	}
	binary.BigEndian.PutUint64(size[8:], n)
	h.Write(size[:])
	h.Write(key)
	h.Write(value)
}
