package signed

import "encoding/binary"

// Cursor reads fields one after the other. Once one is missing it is Bad, and
// everything after it reads as zero.
type Cursor struct {
	Rest []byte
	Bad  bool
}

// Take returns the next n bytes, which it shares.
func (c *Cursor) Take(n int) []byte {
	if c.Bad || n > len(c.Rest) {
		c.Bad = true
		return nil
	}
	b := c.Rest[:n]
	c.Rest = c.Rest[n:]
	return b
}

// Byte returns the next byte.
func (c *Cursor) Byte() byte {
	if b := c.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint64 returns the next eight bytes, big-endian.
func (c *Cursor) Uint64() uint64 {
	if b := c.Take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// Uvarint returns the next unsigned varint.
func (c *Cursor) Uvarint() uint64 {
	v, n := binary.Uvarint(c.Rest)
	if n <= 0 {
		c.Bad = true
		return 0
	}
	c.Take(n)
	return v
}

// Short reads bytes preceded by a length of one byte, at most a number.
func (c *Cursor) Short(most int) []byte {
	n := int(c.Byte())
	if n > most {
		c.Bad = true
		return nil
	}
	return c.Take(n)
}
