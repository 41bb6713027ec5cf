package words

import (
	"bytes"
	"hash/maphash"
)

// Counter counts the words of a page by where they stand. It is used again for page after page (Reset), so that
// its memory is.
type Counter struct {
	Reader
	// Length is how many words the text itself has, in all places but the address.
	Length int

	text    []byte
	entries []Count
	slots   []uint16 // position in entries + 1
	seed    maphash.Seed
}

// Count is how often a word stands where.
type Count struct {
	from, to uint32
	// Times is how often it stands in the text itself or in headings, up to 65,535.
	Times uint16
	// Places has the bit 1 << Place of each place.
	Places uint8
}

const slotCount = 2 * MaxDistinct

// NewCounter returns a Counter that is ready.
func NewCounter() *Counter {
	c := &Counter{slots: make([]uint16, slotCount), seed: maphash.MakeSeed()}
	c.Reader.Sink = c
	return c
}

// Reset forgets all words.
func (c *Counter) Reset() {
	c.Reader.Reset()
	clear(c.slots)
	c.text, c.entries, c.Length = c.text[:0], c.entries[:0], 0
}

// Word implements Sink.
func (c *Counter) Word(at Place, word []byte) {
	if at != Address {
		c.Length++
	}
	slot := c.slot(word)
	if *slot == 0 {
		if len(c.entries) == MaxDistinct {
			return
		}
		from := len(c.text)
		c.text = append(c.text, word...)
		c.entries = append(c.entries, Count{from: uint32(from), to: uint32(len(c.text))})
		*slot = uint16(len(c.entries))
	}
	e := &c.entries[*slot-1]
	e.Places |= 1 << at
	if (at == Body || at == Heading) && e.Times < 1<<16-1 {
		e.Times++
	}
}

// slot returns the place of a word, or the free one for it. At most half of them are taken.
func (c *Counter) slot(word []byte) *uint16 {
	for i := maphash.Bytes(c.seed, word) % slotCount; ; i = (i + 1) % slotCount {
		n := c.slots[i]
		if n == 0 {
			return &c.slots[i]
		}
		if e := c.entries[n-1]; bytes.Equal(c.text[e.from:e.to], word) {
			return &c.slots[i]
		}
	}
}

// Counts returns the words in the order of their first occurrence. It is good until the next call of another method.
func (c *Counter) Counts() []Count { return c.entries }

// Of returns the word of a count. It is good as long as the Counter's text.
func (c *Counter) Of(e Count) []byte { return c.text[e.from:e.to] }

// Has reports whether a word is on the page.
func (c *Counter) Has(word string) bool { return *c.slot([]byte(word)) != 0 }
