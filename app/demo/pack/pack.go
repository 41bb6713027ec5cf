// Package pack compresses documents as web servers do.
package pack

import (
	"bytes"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// Coding is a content coding, as in the header.
type Coding string

// The codings.
const (
	None   Coding = ""
	Gzip   Coding = "gzip"
	Brotli Coding = "br"
)

// Encoders compress documents, from any goroutine. They are used again and again, since a new one costs more than a
// page.
type Encoders struct {
	gzip, brotli *sync.Pool
}

// NewEncoders returns encoders of all codings.
func NewEncoders() Encoders {
	return Encoders{
		gzip: &sync.Pool{New: func() any {
			w, err := gzip.NewWriterLevel(io.Discard, 3)
			if err != nil {
				panic("pack: gzip: " + err.Error())
			}
			return w
		}},
		brotli: &sync.Pool{New: func() any { return brotli.NewWriterLevel(io.Discard, 3) }},
	}
}

// resetWriter is what the two encoders have in common.
type resetWriter interface {
	io.WriteCloser
	Reset(io.Writer)
}

// Compress returns doc in a coding.
func (e Encoders) Compress(doc []byte, c Coding) []byte {
	pool := e.gzip
	switch c {
	case None:
		return doc
	case Brotli:
		pool = e.brotli
	}
	w := pool.Get().(resetWriter)
	defer pool.Put(w)
	var b bytes.Buffer
	w.Reset(&b)
	_, err := w.Write(doc)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		panic("pack: compress: " + err.Error()) // a Buffer takes everything
	}
	return b.Bytes()
}
