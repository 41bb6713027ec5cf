package roster

import "encoding/binary"

// cursor reads fields one after the other. Once one is missing it is bad, and
// everything after it reads as zero.
type cursor struct {
	rest []byte
	bad  bool
}

func (c *cursor) take(n int) []byte {
	if c.bad || n > len(c.rest) {
		c.bad = true
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) uint64() uint64 {
	if b := c.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.take(n)
	return v
}

// short reads bytes preceded by a length of one byte, at most a number.
func (c *cursor) short(most int) []byte {
	n := int(c.byte())
	if n > most {
		c.bad = true
		return nil
	}
	return c.take(n)
}
