// Package dictionary looks keys up in a segment of an index. A dictionary is two sections of the segment's
// file: values, one after the other, and a finite state transducer (vellum) that says where the value of each
// key begins. A value says itself where it ends.
//
// Nothing is copied: a Dictionary reads the bytes that it was loaded from, which may be a mapped file, and its
// values are pieces of them. It is safe for concurrent use. If the bytes change, its methods may panic; index
// recovers from that.
package dictionary

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/blevesearch/vellum"
	"github.com/forage-net/forage/assets/words"
)

// ErrDamaged says that a file of the index is not what was written. The index can be made again from the archive.
var ErrDamaged = words.New("said.doctor.index-is-damaged", nil)

var errBeyond = fmt.Errorf("%w: a value is beyond its end", ErrDamaged)

// Dictionary gives the values of keys. The zero value has none.
type Dictionary struct {
	fst    *vellum.FST // nil if there are no keys
	values []byte
}

// Load returns the dictionary of two sections.
func Load(values, keys []byte) (d Dictionary, err error) {
	d.values = values
	if len(keys) > 0 {
		d.fst, err = vellum.Load(keys)
	}
	return d, err
}

// Get returns the bytes that the value of a key begins, nil if there is none.
func (d Dictionary) Get(key []byte) []byte {
	if d.fst == nil {
		return nil
	}
	at, ok, err := d.fst.Get(key)
	if err != nil || !ok || at > uint64(len(d.values)) {
		return nil
	}
	return d.values[at:]
}

// Each calls fn for the keys from first on, before end, and their values, until it returns false. A key is good
// until fn returns.
func (d Dictionary) Each(first, end []byte, fn func(key, value []byte) bool) error {
	if d.fst == nil {
		return nil
	}
	it, err := d.fst.Iterator(first, end)
	for ; err == nil; err = it.Next() {
		key, at := it.Current()
		if at > uint64(len(d.values)) {
			return errBeyond
		}
		if !fn(key, d.values[at:]) {
			return nil
		}
	}
	return unlessDone(err)
}

// Beginning returns the keys that begin with a prefix.
func (d Dictionary) Beginning(prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if d.fst == nil {
			return
		}
		it, err := d.fst.Iterator([]byte(prefix), nil)
		for ; err == nil; err = it.Next() {
			key, _ := it.Current()
			if !bytes.HasPrefix(key, []byte(prefix)) || !yield(string(key)) {
				return
			}
		}
	}
}

// unlessDone returns nil for the end of an iterator.
func unlessDone(err error) error {
	if errors.Is(err, vellum.ErrIteratorDone) {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
