// Package codec writes and reads what members send each other and what their stores hold: numbers as uvarints or in
// eight bytes, and byte strings after their length. What a Reader accepts has one form: written again, it is the same.
package codec

import (
	"encoding/binary"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

// MaxName bounds the name of a member, a shard or a domain in bytes.
const MaxName = 300

// Writer appends to B. The zero Writer is ready.
type Writer struct{ B []byte }

// Byte writes a byte.
func (w *Writer) Byte(b byte) { w.B = append(w.B, b) }

// Bool writes a bool in a byte.
func (w *Writer) Bool(b bool) { w.B = append(w.B, map[bool]byte{true: 1}[b]) }

// Uint writes a number that is mostly small.
func (w *Writer) Uint(n uint64) { w.B = binary.AppendUvarint(w.B, n) }

// Fixed writes a number that may be any, in eight bytes.
func (w *Writer) Fixed(n uint64) { w.B = binary.BigEndian.AppendUint64(w.B, n) }

// Bytes writes a byte string after its length.
func (w *Writer) Bytes(b []byte) { w.Uint(uint64(len(b))); w.B = append(w.B, b...) }

// Text writes a string as Bytes does.
func (w *Writer) Text(s string) { w.Bytes([]byte(s)) }

// Prefix writes a prefix: its length, and as many bytes as it takes.
func (w *Writer) Prefix(p ring.Prefix) {
	w.Byte(p.Len)
	w.B = append(w.B, binary.BigEndian.AppendUint64(nil, p.Bits)[:(p.Len+7)/8]...)
}

// WriteList writes the number of entries and each of them.
func WriteList[T any](w *Writer, list []T, write func(T)) {
	w.Uint(uint64(len(list)))
	for _, e := range list {
		write(e)
	}
}

// Reader reads what a Writer wrote. B is what is left; byte strings share its memory. After the first thing that is not
// there or not allowed, B is empty, everything is zero and Failed is set.
type Reader struct {
	B      []byte
	Failed bool
}

// Fail makes the Reader fail.
func (r *Reader) Fail() { r.B, r.Failed = nil, true }

// Done reports whether everything was read and nothing was wrong.
func (r *Reader) Done() bool { return !r.Failed && len(r.B) == 0 }

func (r *Reader) take(n int) []byte {
	if n > len(r.B) {
		r.Fail()
		n = 0
	}
	b := r.B[:n:n]
	r.B = r.B[n:]
	return b
}

// leading reads the n leading bytes of a number.
func (r *Reader) leading(n uint8) uint64 {
	b := [8]byte{}
	copy(b[:], r.take(int(n)))
	return binary.BigEndian.Uint64(b[:])
}

// Byte reads a byte.
func (r *Reader) Byte() byte { return byte(r.leading(1) >> 56) }

// Bool reads a bool.
func (r *Reader) Bool() bool { return r.UpTo(1) == 1 }

// Uint reads a number of any size.
func (r *Reader) Uint() uint64 { return r.UpTo(1<<64 - 1) }

// UpTo reads a number of at most most, in its shortest form.
func (r *Reader) UpTo(most uint64) uint64 {
	n, size := binary.Uvarint(r.B)
	if size <= 0 || n > most || size > 1 && r.B[size-1] == 0 {
		r.Fail()
		return 0
	}
	r.B = r.B[size:]
	return n
}

// Fixed reads a number of eight bytes.
func (r *Reader) Fixed() uint64 { return r.leading(8) }

// Bytes reads a byte string of at most most bytes.
func (r *Reader) Bytes(most int) []byte { return r.take(int(r.UpTo(uint64(most)))) }

// Text reads a string of at most most bytes.
func (r *Reader) Text(most int) string { return string(r.Bytes(most)) }

// Peer reads the name of a member, which is not empty.
func (r *Reader) Peer() crawl.PeerID {
	p := r.Text(MaxName)
	if p == "" {
		r.Fail()
	}
	return crawl.PeerID(p)
}

// Prefix reads a prefix.
func (r *Reader) Prefix() ring.Prefix {
	n := uint8(r.UpTo(ring.MaxPrefix))
	p := ring.Prefix{Len: n, Bits: r.leading((n + 7) / 8)}
	if !r.Failed && p.Valid() {
		return p
	}
	r.Fail()
	return ring.Prefix{}
}

// ReadList reads at most most entries.
func ReadList[T any](r *Reader, most int, read func() T) (list []T) {
	for n := r.UpTo(uint64(most)); n > 0 && !r.Failed; n-- {
		list = append(list, read())
	}
	return list
}
