package posting

import (
	"encoding/binary"
	"math/bits"
)

// A posting says that a term stands on a page: the distance from the page before, and its weight. Most terms
// stand once in the text and nowhere else, so that weight takes no room.
//
//	uvarint(distance << 1 | 1 if a weight follows)  [weight]
//
// The weight has in its lowest three bits how often the term stands in the text, as a power of two, and marks
// in the four above.

// Weight is how much a term stands out on a page.
type Weight uint8

const (
	weightBits         = 3
	plainWeight Weight = 1 // once in the text
	// Weights is how many weights there are; a list that is damaged may have greater ones.
	Weights = 1 << (weightBits + 4)
)

// WeightOf returns the weight of a term that stands so many times in the text, and has up to four marks.
func WeightOf(times int, marks uint8) Weight {
	n := 0
	if times > 0 {
		n = min(bits.Len(uint(times-1))+1, 1<<weightBits-1)
	}
	return Weight(n) | Weight(marks&0xf)<<weightBits
}

// Magnitude is how often the term stands in the text: 0, once, or n: more than 1<<(n-2) times, up to 1<<(n-1).
func (w Weight) Magnitude() int { return int(w & (1<<weightBits - 1)) }

// Marks are the marks of WeightOf.
func (w Weight) Marks() uint8 { return uint8(w >> weightBits & 0xf) }

// plus returns the weight of a term that is on a page in two forms.
func (w Weight) plus(v Weight) Weight {
	const low = 1<<weightBits - 1
	return (w|v)&^low | max(w&low, v&low)
}

// List is a list of postings that grows. Its zero value is empty.
type List struct {
	raw  []byte
	n    int32
	last int32 // page, from 0 on
	w    Weight
}

// Reset empties the list, and keeps its memory.
func (l *List) Reset() { *l = List{raw: l.raw[:0]} }

// Len is how many pages it has.
func (l *List) Len() int { return int(l.n) }

// Add adds a page, or joins its weight with that of the page if it is the last one. Pages come in ascending order.
func (l *List) Add(doc int32, w Weight) {
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
func (l *List) flush() {
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

// Cursor goes through a list.
type Cursor struct {
	// Doc is the page it is at, Weight that of the term there.
	Doc    int32
	Weight Weight

	raw  []byte
	at   int // in raw
	left int32
}

// Open returns a cursor in front of the list that b begins with.
func Open(b []byte) Cursor {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)) {
		return Cursor{}
	}
	return Cursor{raw: b[k:], Doc: -1, left: int32(n)}
}

// Next goes to the next page; false at the end, or where the list is damaged.
func (c *Cursor) Next() bool {
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
	c.Doc += int32(v >> 1)
	c.Weight = plainWeight
	if v&1 != 0 {
		if c.at >= len(c.raw) {
			c.left = 0
			return false
		}
		c.Weight = Weight(c.raw[c.at])
		c.at++
	}
	return true
}

// Append appends the list as it stands in a file.
func (l *List) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(l.n))
	i := len(b)
	b = append(b, l.raw...)
	if l.n > 0 && l.w != plainWeight {
		done := List{raw: b[i:], w: l.w}
		done.flush()
		b = append(b[:i], done.raw...)
	}
	return b
}
