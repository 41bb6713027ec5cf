package codec

import (
	"bytes"
	"math"
	"testing"

	"github.com/forage-net/forage/p2p/ring"
)

func sample() []byte {
	w := &Writer{}
	w.Byte(7)
	w.Uint(math.MaxUint64)
	w.Fixed(1 << 63)
	w.Bytes([]byte{1, 2})
	w.Text("text")
	zero, one := ring.Prefix{}.Halves()
	WriteList(w, []ring.Prefix{zero, one, {}, {Bits: 1, Len: 64}, {Bits: 1 << 55, Len: 9}}, w.Prefix)
	return w.B
}

// copyOf reads a sample and writes what was read.
func copyOf(r *Reader) []byte {
	w := &Writer{}
	w.Byte(r.Byte())
	w.Uint(r.Uint())
	w.Fixed(r.Fixed())
	w.Bytes(r.Bytes(8))
	w.Text(r.Text(8))
	WriteList(w, ReadList(r, 8, r.Prefix), w.Prefix)
	return w.B
}

func TestReader(t *testing.T) {
	b := sample()
	r := &Reader{B: b}
	if got := copyOf(r); !r.Done() || !bytes.Equal(got, b) {
		t.Errorf("%x is read as %x, done %v", b, got, r.Done())
	}
	for n := range b {
		r := &Reader{B: b[:n]}
		if copyOf(r); !r.Failed {
			t.Errorf("the first %d of %d bytes are enough", n, len(b))
		}
	}
}

func TestReader_Bounds(t *testing.T) {
	for name, c := range map[string]struct {
		b    []byte
		read func(*Reader)
	}{
		"number above":    {[]byte{6}, func(r *Reader) { r.UpTo(5) }},
		"long form":       {[]byte{0x80, 0}, func(r *Reader) { r.Uint() }},
		"endless":         {bytes.Repeat([]byte{0xff}, 11), func(r *Reader) { r.Uint() }},
		"bytes above":     {[]byte{3, 1, 2, 3}, func(r *Reader) { r.Bytes(2) }},
		"list above":      {[]byte{3, 1, 2, 3}, func(r *Reader) { ReadList(r, 2, r.Byte) }},
		"prefix too long": {append([]byte{65}, make([]byte, 9)...), func(r *Reader) { r.Prefix() }},
		"prefix of more":  {[]byte{1, 0xc0}, func(r *Reader) { r.Prefix() }},
	} {
		r := &Reader{B: c.b}
		if c.read(r); !r.Failed {
			t.Errorf("%s: read", name)
		}
		if r.B = c.b; r.Done() {
			t.Errorf("%s: the failure does not stick", name)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add(sample())
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &Reader{B: b}
		if got := copyOf(r); r.Done() && !bytes.Equal(got, b) {
			t.Errorf("%x is read as %x", b, got)
		} else if r.Failed && (r.Byte() != 0 || r.Uint() != 0 || r.Fixed() != 0 || len(r.Bytes(9)) > 0 || r.Prefix() != ring.Prefix{}) {
			t.Errorf("%x: something is read after the failure", b)
		}
	})
}
