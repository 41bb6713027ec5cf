package stream

import (
	"encoding/binary"
	"math/bits"
)

// writer builds a message or a stored record.
type writer struct{ b []byte }

func (w *writer) byte(b byte)           { w.b = append(w.b, b) }
func (w *writer) uvarint(n uint64)      { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) fixed64(n uint64)      { w.b = binary.BigEndian.AppendUint64(w.b, n) }
func (w *writer) fixed32(n uint32)      { w.b = binary.BigEndian.AppendUint32(w.b, n) }
func (w *writer) bytes(b []byte)        { w.uvarint(uint64(len(b))); w.b = append(w.b, b...) }
func (w *writer) string(s string)       { w.uvarint(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) term(t Term)           { w.uvarint(t.Founding); w.uvarint(t.Number) }
func (w *writer) stamp(r Run, n uint64) { w.fixed64(uint64(r)); w.uvarint(n) }

// marks writes them in the order of runs.
func (w *writer) marks(m Marks) {
	w.uvarint(uint64(len(m)))
	for _, r := range m.runs() {
		w.stamp(r, m[r])
	}
}

// reader takes a message apart. After the first error it returns zeros; bad tells.
type reader struct {
	b   []byte
	bad bool
}

// fail notes that the message is malformed.
func (r *reader) fail() { r.b, r.bad = nil, true }

// take returns the next n bytes, which share the message's memory, or nil.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail()
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// uvarint reads a number of at most max. There is one way to write each.
func (r *reader) uvarint(max uint64) uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n > max || size != uvarintSize(n) {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return n
}

// uvarintSize is the number of bytes that n takes.
func uvarintSize(n uint64) int { return (bits.Len64(n|1) + 6) / 7 }

func (r *reader) fixed64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) fixed32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// bytes reads a slice of at most max bytes, which shares the message's memory.
func (r *reader) bytes(max int) []byte { return r.take(int(r.uvarint(uint64(max)))) }

func (r *reader) number() uint64 { return r.uvarint(maxNumber) }

func (r *reader) term() Term {
	return Term{r.uvarint(1<<64 - 1), r.uvarint(1<<64 - 1)}
}

func (r *reader) shard() Shard {
	s := Shard(r.bytes(maxShard))
	if !s.valid() {
		r.fail()
	}
	return s
}

// marks reads at most max marks.
func (r *reader) marks(max int) Marks {
	count := r.uvarint(uint64(max))
	m := make(Marks)
	last := Run(0)
	for i := uint64(0); i < count && !r.bad; i++ {
		run := Run(r.fixed64())
		if i > 0 && run <= last {
			r.fail()
		}
		last = run
		m[run] = r.number()
	}
	return m
}
