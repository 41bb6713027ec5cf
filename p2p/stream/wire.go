package stream

import (
	"encoding/binary"
	"math/bits"
)

// coder writes a message or a stored record, or takes one apart: a type says once what its fields are. While it reads,
// slices share the message's memory, and after the first error everything is zero; bad tells.
type coder struct {
	b      []byte
	writes bool
	bad    bool
}

func (c *coder) fail() { c.b, c.bad = nil, true }

// take reads the next n bytes.
func (c *coder) take(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.fail()
		return nil
	}
	b := c.b[:n:n]
	c.b = c.b[n:]
	return b
}

// uvarint codes a number. One above max, or that is not in its one shortest form, is malformed.
func (c *coder) uvarint(v *uint64, max uint64) {
	if c.writes {
		c.b = binary.AppendUvarint(c.b, *v)
		return
	}
	n, size := binary.Uvarint(c.b)
	if size <= 0 || n > max || size != (bits.Len64(n|1)+6)/7 {
		*v = 0
		c.fail()
		return
	}
	*v, c.b = n, c.b[size:]
}

// number codes the number of a commit or of a chunk.
func (c *coder) number(v *uint64) { c.uvarint(v, maxNumber) }

// count codes a number of things and returns it.
func (c *coder) count(have, max int) int {
	n := uint64(have)
	c.uvarint(&n, uint64(max))
	return int(n)
}

func (c *coder) fixed64(v *uint64) {
	if c.writes {
		c.b = binary.BigEndian.AppendUint64(c.b, *v)
	} else if b := c.take(8); b != nil {
		*v = binary.BigEndian.Uint64(b)
	}
}

func (c *coder) fixed32(v *uint32) {
	if c.writes {
		c.b = binary.BigEndian.AppendUint32(c.b, *v)
	} else if b := c.take(4); b != nil {
		*v = binary.BigEndian.Uint32(b)
	}
}

// bytes codes a slice of at most max bytes.
func (c *coder) bytes(v *[]byte, max int) {
	if n := c.count(len(*v), max); c.writes {
		c.b = append(c.b, *v...)
	} else {
		*v = c.take(n)
	}
}

// text codes a string of at most max bytes.
func text[T ~string](c *coder, v *T, max int) {
	b := []byte(*v)
	if c.bytes(&b, max); !c.writes {
		*v = T(b)
	}
}

func (c *coder) shard(s *Shard) {
	if text(c, s, maxShard); !s.valid() {
		c.fail()
	}
}

func (c *coder) term(t *Term) {
	c.uvarint(&t.Founding, 1<<64-1)
	c.uvarint(&t.Number, 1<<64-1)
}

func (c *coder) run(r *Run) { c.fixed64((*uint64)(r)) }

// marks codes at most max marks, in the order of runs.
func (c *coder) marks(m *Marks, max int) {
	n := c.count(len(*m), max)
	if c.writes {
		for _, r := range m.runs() {
			n := (*m)[r]
			c.run(&r)
			c.number(&n)
		}
		return
	}
	*m = make(Marks)
	for last := Run(0); n > 0 && !c.bad; n-- {
		var r Run
		var number uint64
		c.run(&r)
		c.number(&number)
		if len(*m) > 0 && r <= last {
			c.fail()
		}
		last, (*m)[r] = r, number
	}
}

// list codes a slice of at most max entries. An entry may be written shorter if it is like the one before it.
func list[T any](c *coder, v *[]T, max int, entry func(this *T, last T)) {
	n := c.count(len(*v), max)
	var last T
	for i := 0; i < n && !c.bad; i++ {
		if !c.writes {
			*v = append(*v, *new(T))
		}
		entry(&(*v)[i], last)
		if !c.bad {
			last = (*v)[i]
		}
	}
}
