// Package packed keeps sets of byte strings in a bucket of the store. Strings lie together in blocks, in their order:
// an entry of the store for each would take three times the room.
package packed

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// Set is all strings of a bucket under a prefix, which ends with a zero byte and is the beginning of no other. No
// string begins with the byte 0xff. The value of a block has its strings, each after its length. Its key is the prefix
// and a string that is not before its last and before the first of the next block; 0xff in the block at the end. So a
// block is always the first at or after what is looked for: cursors of bbolt are not to be moved back where a
// transaction has deleted all of a page.
type Set struct {
	Bucket *bolt.Bucket
	Prefix []byte
}

// end is the key of the last block, without the prefix.
var end = []byte{0xff}

// maxBlock bounds the value of a block of more than one string in bytes.
const maxBlock = 512

func (t Set) key(s []byte) []byte { return slices.Concat(t.Prefix, s) }

// cut returns the string that a block begins with, and what follows. What cannot be read is one string.
func cut(block []byte) (s, rest []byte) {
	n, size := binary.Uvarint(block)
	if size <= 0 || n > uint64(len(block)-size) {
		return block, nil
	}
	return block[size : size+int(n)], block[size+int(n):]
}

// find returns where a string is in a block or should be, and whether it is there.
func find(block, s []byte) (at int, found bool) {
	for rest := block; len(rest) > 0; at = len(block) - len(rest) {
		var x []byte
		x, rest = cut(rest)
		if c := bytes.Compare(x, s); c >= 0 {
			return at, c == 0
		}
	}
	return at, false
}

// block returns the block that has a string, or should have it; the key is nil if there is none.
func (t Set) block(s []byte) (key, value []byte) {
	key, value = t.Bucket.Cursor().Seek(t.key(s))
	if !bytes.HasPrefix(key, t.Prefix) {
		return nil, nil
	}
	return key, value
}

// Add puts a string into the set.
func (t Set) Add(s []byte) error {
	key, block := t.block(s)
	at, found := find(block, s)
	if found {
		return nil
	}
	if key == nil {
		key = t.key(end)
	}
	grown := binary.AppendUvarint(append(make([]byte, 0, len(block)+len(s)+2), block[:at]...), uint64(len(s)))
	grown = append(append(grown, s...), block[at:]...)
	if len(grown) > maxBlock && len(block) > 0 {
		half, last := 0, []byte(nil)
		for half < len(grown)/2 || at == len(block) && half < at { // strings that come in their order fill blocks
			var rest []byte
			last, rest = cut(grown[half:])
			half = len(grown) - len(rest)
		}
		if half < len(grown) {
			if err := t.Bucket.Put(t.key(last), grown[:half:half]); err != nil {
				return err
			}
			grown = grown[half:]
		}
	}
	return t.Bucket.Put(bytes.Clone(key), grown)
}

// Delete takes a string out of the set.
func (t Set) Delete(s []byte) error {
	key, block := t.block(s)
	at, found := find(block, s)
	if !found {
		return nil
	}
	_, rest := cut(block[at:])
	if at == 0 && len(rest) == 0 {
		return t.Bucket.Delete(bytes.Clone(key))
	}
	return t.Bucket.Put(bytes.Clone(key), append(bytes.Clone(block[:at]), rest...))
}

// All visits the strings that begin with prefix, in their order. The loop must not write to the bucket.
func (t Set) All(prefix []byte) iter.Seq[[]byte] {
	return func(yield func(s []byte) bool) {
		c := t.Bucket.Cursor()
		for key, block := c.Seek(t.key(prefix)); bytes.HasPrefix(key, t.Prefix); key, block = c.Next() {
			for len(block) > 0 {
				var s []byte
				s, block = cut(block)
				switch {
				case bytes.HasPrefix(s, prefix):
					if !yield(s) {
						return
					}
				case bytes.Compare(s, prefix) > 0:
					return
				}
			}
		}
	}
}

// First returns the first string that begins with prefix; nil if there is none.
func (t Set) First(prefix []byte) []byte {
	for s := range t.All(prefix) {
		return s
	}
	return nil
}

// Last returns the last string; nil if there is none.
func (t Set) Last() (s []byte) {
	for block := t.Bucket.Get(t.key(end)); len(block) > 0; {
		s, block = cut(block)
	}
	if s == nil { // the block at the end is gone with its strings
		for s = range t.All(nil) {
		}
	}
	return s
}
