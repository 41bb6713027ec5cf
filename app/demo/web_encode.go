package demo

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// coding is a content coding, as in the header.
type coding string

const (
	codingNone   coding = ""
	codingGzip   coding = "gzip"
	codingBrotli coding = "br"
)

// coding returns what the site's server compresses with: half of them gzip,
// an eighth brotli.
func (s *site) coding() coding {
	switch {
	case s.index%2 == 0, s.web.options.Manual, s.web.options.Bulky:
		return codingGzip
	case s.index%8 == 3:
		return codingBrotli
	}
	return codingNone
}

// negotiate returns the site's coding if an Accept-Encoding header takes it.
func (s *site) negotiate(accept string) coding {
	want := s.coding()
	if want == codingNone {
		return codingNone
	}
	for item := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(item), ";")
		if strings.TrimSpace(name) == string(want) && strings.ReplaceAll(weight, " ", "") != "q=0" {
			return want
		}
	}
	return codingNone
}

// encoders are used again and again, since a new one costs more than a page.
type encoders struct {
	gzip, brotli *sync.Pool
}

func newEncoders() encoders {
	return encoders{
		gzip: &sync.Pool{New: func() any {
			w, err := gzip.NewWriterLevel(io.Discard, 3)
			if err != nil {
				panic("demo: gzip: " + err.Error())
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

// compress returns doc in a coding.
func (e encoders) compress(doc []byte, c coding) []byte {
	pool := e.gzip
	switch c {
	case codingNone:
		return doc
	case codingBrotli:
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
		panic("demo: compress: " + err.Error()) // a Buffer takes everything
	}
	return b.Bytes()
}

// maxCached bounds the pages kept encoded, in bytes.
const maxCached = 64 << 20

// maxCached is that of a web: bulky ones have many pages of which little is kept.
func (o *Options) maxCached() int64 {
	if o.Bulky {
		return 4 * maxCached
	}
	return maxCached
}

// body returns a page as it goes over the wire. Writing a page costs less
// than compressing or converting it, so only what had that done is kept.
func (p *page) body(c coding) []byte {
	web := p.site.web
	keeps := c == p.site.coding() && (c != codingNone || p.site.spec.charset > charsetUTF8Meta)
	if keeps {
		if b := p.cached.Load(); b != nil {
			if at := p.filledAt.Load(); at > 0 {
				return slices.Concat((*b)[:at], p.site.packed, (*b)[at:])
			}
			return *b
		}
	}
	if web.options.Bulky && c == codingGzip {
		if w := p.written(); w.filled > 0 {
			return p.bulky(w)
		}
	}
	b := web.encoders.compress(p.site.spec.charset.encode(p.document()), c)
	p.keep(b, keeps)
	return b
}

// keep keeps a page encoded, if there is room.
func (p *page) keep(b []byte, keeps bool) {
	if keeps && p.role != roleOther && p.site.web.cached.Add(int64(len(b))) <= p.site.web.options.maxCached() {
		p.cached.Store(&b)
	}
}

// bulky makes a page of a bulky web. What fills it is a gzip member of its own, which is not kept with it.
func (p *page) bulky(w *writer) []byte {
	p.site.filler()
	compress := p.site.web.encoders.compress
	head, rest := compress(w.b[:w.filled], codingGzip), compress(w.b[w.filled:], codingGzip)
	p.filledAt.Store(int64(len(head)))
	p.keep(slices.Concat(head, rest), true)
	return slices.Concat(head, p.site.packed, rest)
}
