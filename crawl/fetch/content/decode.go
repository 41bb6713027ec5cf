package content

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

var (
	// ErrIncomplete is returned with a text that ends early: the payload was
	// cut or damaged, or the text is too long.
	ErrIncomplete = errors.New("text is incomplete")
	// ErrBomb is returned for a payload that expands too much.
	ErrBomb = errors.New("body expands too much")
	// ErrEncoding is returned for a payload that is no text as it is, in a coding we do
	// not know or of which nothing could be decoded.
	ErrEncoding = errors.New("body cannot be decoded")
)

const (
	// maxCodings bounds stacked content codings; more than one is already a
	// mistake of the site.
	maxCodings = 2
	// zstdWindow is what RFC 9659 allows in HTTP.
	zstdWindow = 8 << 20
)

// Coding is a content coding we can undo.
type Coding uint8

const (
	gzipCoding Coding = iota
	deflateCoding
	brotliCoding
	zstdCoding
)

// Codings returns the codings of a body that we can undo, in the order in which they were applied: those of
// Content-Encoding, then those of Transfer-Encoding. A name of no coding, such as a charset or a type, is
// passed over like in browsers, and so are parameters. foreign says that there is one we cannot undo (the
// registry of RFC 9110 §8.4.1, and what was in use without it).
func Codings(h http.Header) (list []Coding, foreign bool) {
	for _, field := range []string{"Content-Encoding", "Transfer-Encoding"} {
		for _, v := range h[field] {
			for e := range strings.SplitSeq(v, ",") {
				name, _, _ := strings.Cut(e, ";")
				switch strings.ToLower(strings.Trim(name, " \t\"")) {
				case "", "identity", "chunked":
				case "gzip", "x-gzip":
					list = append(list, gzipCoding)
				case "deflate":
					list = append(list, deflateCoding)
				case "br":
					list = append(list, brotliCoding)
				case "zstd":
					list = append(list, zstdCoding)
				case "compress", "x-compress", "dcb", "dcz", "aes128gcm", "exi", "pack200-gzip", "sdch", "bzip2",
					"x-bzip2", "xz", "lzma":
					foreign = true
				}
			}
		}
	}
	return list, foreign
}

// Plain reports whether a payload is text as it is (MIME sniffing standard §7.2): no compressed one of
// more than a few bytes is.
func Plain(payload []byte) bool {
	return strings.HasPrefix(http.DetectContentType(payload), "text/")
}

// Decode undoes the codings, last first, and appends the result to *out,
// whose bytes are valid with a nil error and with ErrIncomplete. Every stage
// yields at most limit bytes; past maxText more is ErrIncomplete, else ErrBomb.
func (p *Pools) Decode(out *[]byte, payload []byte, list []Coding, limit, maxText int) error {
	if len(list) > maxCodings {
		return fmt.Errorf("%w: too many codings", ErrEncoding)
	}
	begin := payload[:min(len(payload), 4)]
	if len(list) == 1 {
		if c, ok := actual(list[0], begin); ok && c == gzipCoding {
			return p.gunzip(out, payload, limit, maxText)
		}
	}
	plain := bytes.NewReader(payload)
	defer plain.Reset(nil) // a pooled decoder must not keep the payload alive
	var in source = plain  // what the next decoder reads; nil if that is d
	var d decoder
	for i := len(list) - 1; i >= 0; i-- {
		if in == nil {
			stage := bufio.NewReader(&stage{r: d, left: limit + 1})
			begin, _ = stage.Peek(4) // an error comes again
			in = stage
		}
		c, ok := actual(list[i], begin)
		if !ok {
			continue
		}
		next, release := p.decoder(c)
		defer release()
		if err := next.reset(in); err != nil {
			return decodeFailure(err)
		}
		d, in = next, nil
	}
	switch {
	case d == nil && !Plain(payload):
		return fmt.Errorf("%w: not what the head says", ErrEncoding)
	case in != nil:
		return readDecoded(out, in, limit, maxText)
	}
	return readDecoded(out, d, limit, maxText)
}

// actual returns the coding of a stream by its first bytes, where these tell it (RFC 1952 §2.3.1, RFC 8878 §3.1):
// what a head says may be of another body, or of this one before a proxy unpacked it. It is false if there is none.
func actual(named Coding, begin []byte) (Coding, bool) {
	switch {
	case bytes.HasPrefix(begin, []byte("\x1f\x8b")):
		return gzipCoding, true
	case bytes.HasPrefix(begin, []byte("\x28\xb5\x2f\xfd")), len(begin) == 4 && begin[0]>>4 == 5 &&
		string(begin[1:]) == "\x2a\x4d\x18":
		return zstdCoding, true
	}
	return named, named != gzipCoding && named != zstdCoding
}

// readDecoded reads all of r into *out.
func readDecoded(out *[]byte, r io.Reader, limit, maxText int) error {
	buf := *out
	defer func() { *out = buf }()
	for empty := 0; empty < 100; {
		buf = Grown(buf, 1)
		n, err := r.Read(buf[len(buf):min(cap(buf), limit+1)])
		buf = buf[:len(buf)+n]
		if len(buf) > limit {
			buf = buf[:limit]
			if limit < maxText {
				return ErrBomb
			}
			return ErrIncomplete
		}
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, ErrBomb):
			return ErrBomb
		case err != nil && len(buf) == 0:
			return decodeFailure(err)
		case err != nil:
			return fmt.Errorf("%w: %w", ErrIncomplete, shorten(err))
		case n == 0:
			empty++
		}
	}
	return fmt.Errorf("%w: decoder makes no progress", ErrEncoding)
}

func decodeFailure(err error) error {
	if errors.Is(err, ErrBomb) {
		return ErrBomb
	}
	return fmt.Errorf("%w: %w", ErrEncoding, shorten(err))
}

// shorten replaces the end of a stream where there should be more by the one
// error that says so.
func shorten(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// stage bounds what one coding hands to the next.
type stage struct {
	r    io.Reader
	left int
}

// Read implements io.Reader.
func (s *stage) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, ErrBomb
	}
	n, err := s.r.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}

// source is what decoders read from: none of them reads past its stream.
type source interface {
	io.Reader
	io.ByteScanner
}

// decoder undoes one coding.
type decoder interface {
	io.Reader
	// reset begins a new stream. It may read its head.
	reset(r source) error
}

// decoder takes a decoder from its pool; release puts it back.
func (p *Pools) decoder(c Coding) (d decoder, release func()) {
	var pool *sync.Pool
	switch c {
	case gzipCoding:
		pool = &p.gzip
	case deflateCoding:
		pool = &p.flate
	case brotliCoding:
		pool = &p.brotli
	case zstdCoding:
		pool = &p.zstd
	}
	d, ok := pool.Get().(decoder)
	if !ok {
		d = newDecoder(c)
	}
	return d, func() { pool.Put(d) }
}

func newDecoder(c Coding) decoder {
	switch c {
	case gzipCoding:
		return &gzipDecoder{}
	case deflateCoding:
		return &deflateDecoder{r: flate.NewReader(nothing())}
	case brotliCoding:
		return &brotliDecoder{r: brotli.NewReader(nothing())}
	}
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderMaxMemory(zstdWindow))
	if err != nil {
		panic("content: zstd options: " + err.Error())
	}
	return &zstdDecoder{r}
}

func nothing() *bytes.Reader { return bytes.NewReader(nil) }

// gzipDecoder reads one or more gzip members and passes over garbage after
// the last, as browsers do.
type gzipDecoder struct {
	r  gzip.Reader
	in source
}

func (d *gzipDecoder) reset(r source) error {
	d.in = r
	return d.next()
}

func (d *gzipDecoder) next() error {
	err := d.r.Reset(d.in)
	d.r.Multistream(false)
	return err
}

// Read implements io.Reader.
func (d *gzipDecoder) Read(p []byte) (int, error) {
	for {
		n, err := d.r.Read(p)
		if err != io.EOF {
			return n, err
		}
		if n > 0 {
			return n, nil // io.EOF comes again
		}
		if _, err := d.in.ReadByte(); err != nil {
			return 0, err
		}
		d.in.UnreadByte()
		if err := d.next(); errors.Is(err, ErrBomb) {
			return 0, err
		} else if err != nil {
			return 0, io.EOF
		}
	}
}

// deflateDecoder reads "deflate", which by the standard is zlib and in
// practice also raw deflate. The checksum of zlib is not looked at.
type deflateDecoder struct{ r io.ReadCloser }

func (d *deflateDecoder) reset(r source) error {
	var begin [2]byte
	if _, err := io.ReadFull(r, begin[:]); err != nil {
		return err
	}
	var in io.Reader = r
	if !isZlib(begin) {
		in = bufio.NewReader(io.MultiReader(bytes.NewReader(begin[:]), r))
	} else if begin[1]&0x20 != 0 {
		return errors.New("zlib dictionary")
	}
	return d.r.(flate.Resetter).Reset(in, nil)
}

// isZlib reports whether b may be the header of zlib (RFC 1950 §2.2).
func isZlib(b [2]byte) bool { return b[0]&0x0f == 8 && (int(b[0])<<8|int(b[1]))%31 == 0 }

// Read implements io.Reader.
func (d *deflateDecoder) Read(p []byte) (int, error) { return d.r.Read(p) }

type brotliDecoder struct{ r *brotli.Reader }

func (d *brotliDecoder) reset(r source) error { return d.r.Reset(r) }

// Read implements io.Reader.
func (d *brotliDecoder) Read(p []byte) (int, error) { return d.r.Read(p) }

type zstdDecoder struct{ r *zstd.Decoder }

func (d *zstdDecoder) reset(r source) error { return d.r.Reset(r) }

// Read implements io.Reader.
func (d *zstdDecoder) Read(p []byte) (int, error) { return d.r.Read(p) }
