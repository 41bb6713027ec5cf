package oldgroup

import "encoding/binary"

// writer appends numbers and byte strings: numbers as uvarints, strings behind their
// length.
type writer struct{ b []byte }

func (w *writer) byte(b byte)    { w.b = append(w.b, b) }
func (w *writer) uint(n uint64)  { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) text(s string)  { w.uint(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) bytes(b []byte) { w.uint(uint64(len(b))); w.b = append(w.b, b...) }
func (w *writer) epoch(e Epoch)  { w.uint(e.Number); w.founder(e) }
func (w *writer) founder(e Epoch) {
	if e.Number > 0 {
		w.text(e.Founder)
	}
}

// reader reads what a writer wrote, or what a stranger says it has. After the first
// thing that is not there all others are zero, and failed is set.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) fail() { r.b, r.failed = nil, true }

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	b := r.b[0]
	r.b = r.b[1:]
	return b
}

// uint reads a number below maxNumber, in its shortest form.
func (r *reader) uint() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n >= maxNumber || size > 1 && r.b[size-1] == 0 {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return n
}

// count reads a number of at most most.
func (r *reader) count(most int) int {
	n := r.uint()
	if n > uint64(most) {
		r.fail()
		return 0
	}
	return int(n)
}

// bytes reads a string of at most most bytes; it is part of what is read from.
func (r *reader) bytes(most int) []byte {
	n := r.count(most)
	if n > len(r.b) {
		r.fail()
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

// name reads a string of 1 to most bytes.
func (r *reader) name(most int) string {
	b := r.bytes(most)
	if len(b) == 0 {
		r.fail()
	}
	return string(b)
}

func (r *reader) epoch() (e Epoch) {
	if e.Number = r.uint(); e.Number > 0 {
		e.Founder = r.name(MaxPeer)
	}
	return e
}

// done reports whether everything was there and nothing is left.
func (r *reader) done() bool { return !r.failed && len(r.b) == 0 }
