package content

import "sync"

const (
	// firstBuffer holds most compressed pages with their heads; keptBuffer is
	// the largest worth keeping for the next exchange.
	firstBuffer = 32 << 10
	keptBuffer  = 1 << 20
)

// Pools keeps buffers and decoders for reuse; the garbage collector empties
// it when they are not needed. The zero value works.
type Pools struct {
	buffers                   sync.Pool // of *[]byte
	gzip, flate, brotli, zstd sync.Pool
	memory                    sync.Pool // of *inflater
}

// Buffer returns an empty buffer.
func (p *Pools) Buffer() *[]byte {
	if b, ok := p.buffers.Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, 0, firstBuffer)
	return &b
}

// Recycle takes a buffer back. It may be nil.
func (p *Pools) Recycle(b *[]byte) {
	if b == nil || cap(*b) > keptBuffer {
		return
	}
	*b = (*b)[:0]
	p.buffers.Put(b)
}

// Grown returns b with room for at least n more bytes, at least doubling it
// when it has to move.
func Grown(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	bigger := make([]byte, len(b), max(2*cap(b), len(b)+n))
	copy(bigger, b)
	return bigger
}
