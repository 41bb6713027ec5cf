package index

import (
	"encoding/binary"
	"math/bits"
)

// A posting says that a term stands on a page: the distance from the page before, and its weight. Most terms stand once in the text and
// nowhere else, so that weight takes no room.
//
//	uvarint(distance << 1 | 1 if a weight follows)  [weight]
//
// The weight has in its lowest three bits how often the term stands in the text, as a power of two, and Marks in the four above.

// weight is how much a term stands out on a page.
type weight uint8

const (
	weightBits           = 3
	plainWeight   weight = 1 // once in the text
	weightCount          = 1 << (weightBits + 4)
	deletedNumber        = -1
)

func weightOf(t Term) weight {
	n := 0
	if t.Times > 0 {
		n = min(bits.Len(uint(t.Times-1))+1, 1<<weightBits-1)
	}
	return weight(n) | weight(t.Marks&0xf)<<weightBits
}

// plus returns the weight of a term that is on a page in two forms.
func (w weight) plus(v weight) weight {
	const low = 1<<weightBits - 1
	return (w|v)&^low | max(w&low, v&low)
}

// list is a list of postings that grows. Pages come in ascending order.
type list struct {
	raw  []byte
	n    int32
	last int32 // page, from 0 on
	w    weight
}

// add adds a page, or joins its weight with that of the page if it is the last one.
func (l *list) add(doc int32, w weight) {
	if l.n > 0 && l.last == doc {
		l.w = l.w.plus(w)
		return
	}
	before := int32(-1)
	if l.n > 0 {
		before = l.last
		l.flush()
	}
	l.raw = binary.AppendUvarint(l.raw, uint64(doc-before)<<1) // its lowest bit is set by flush
	l.n, l.last, l.w = l.n+1, doc, w
}

// flush writes the weight of the last page. The first byte of its distance has the bit that says so.
func (l *list) flush() {
	if l.w == plainWeight {
		return
	}
	i := len(l.raw) - 1
	for i > 0 && l.raw[i-1]&0x80 != 0 {
		i--
	}
	l.raw[i] |= 1
	l.raw = append(l.raw, byte(l.w))
}

// cursor goes through a list.
type cursor struct {
	raw  []byte
	at   int // in raw
	doc  int32
	left int32
	w    weight
}

// openList returns a cursor in front of the list that b begins with.
func openList(b []byte) (c cursor) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)) {
		return cursor{}
	}
	return cursor{raw: b[k:], doc: -1, left: int32(n)}
}

// next goes to the next page; false at the end, or where the list is damaged.
func (c *cursor) next() bool {
	if c.left == 0 || c.at >= len(c.raw) {
		c.left = 0
		return false
	}
	c.left--
	v := uint64(c.raw[c.at])
	c.at++
	if v >= 0x80 {
		var k int
		if v, k = binary.Uvarint(c.raw[c.at-1:]); k <= 0 {
			c.left = 0
			return false
		}
		c.at += k - 1
	}
	c.doc += int32(v >> 1)
	c.w = plainWeight
	if v&1 != 0 {
		if c.at >= len(c.raw) {
			c.left = 0
			return false
		}
		c.w = weight(c.raw[c.at])
		c.at++
	}
	return true
}

// appendList appends a list as it stands in a file.
func appendList(b []byte, l *list) []byte {
	b = binary.AppendUvarint(b, uint64(l.n))
	i := len(b)
	b = append(b, l.raw...)
	if l.n > 0 && l.w != plainWeight {
		done := list{raw: b[i:], w: l.w}
		done.flush()
		b = append(b[:i], done.raw...)
	}
	return b
}
