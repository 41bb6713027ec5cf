package capture

import (
	"bytes"
	"io"
	"strings"

	"github.com/forage-net/forage/storage/warc/digest"
	"github.com/forage-net/forage/storage/warc/record"
)

// Foreign is a capture in a file of any program. Its slices are valid until the callback returns.
type Foreign struct {
	Capture
	// Damaged says that a digest which its record states does not agree, TooLong that it is beyond MaxBlock.
	Damaged, TooLong bool
}

// ReadForeign calls fn with the captures of a WARC file of any program, compressed or not, in their order: HTTP
// responses and revisits, each with the request and the metadata that belong to it and stand beside it. It
// stops at an error of fn, and at damage behind which nothing can be read; that error wraps record.ErrTorn or
// record.ErrFormat. Memory is bounded.
func ReadForeign(r io.Reader, fn func(*Foreign) error) error {
	x := foreigners{reader: record.NewReader(r), fn: fn}
	for {
		rec, err := x.reader.Next()
		if err == io.EOF {
			return x.flush()
		}
		if err == nil {
			err = x.take(rec)
		}
		if err != nil {
			if err := x.flush(); err != nil {
				return err
			}
			return err
		}
	}
}

// foreigners is one call of ReadForeign.
type foreigners struct {
	reader *record.Reader
	fn     func(*Foreign) error

	id      string // of the response that c is of, "" for none
	c       Foreign
	asked   string // which response the last request belongs to
	request []byte
}

func (x *foreigners) take(rec *record.Record) error {
	belongs := rec.Header.Get("WARC-Concurrent-To")
	switch http := strings.HasPrefix(strings.ToLower(rec.Header.Get("Content-Type")), "application/http"); {
	case (rec.Type == "response" || rec.Type == "revisit") && http:
		if err := x.flush(); err != nil {
			return err
		}
		return x.answer(rec)
	case rec.Type == "request" && http:
		block, err := x.block(rec, MaxBlock)
		if belongs != "" && belongs == x.id {
			x.c.Request = block
		} else {
			x.asked, x.request = belongs, block
		}
		return err
	case rec.Type == "metadata" && belongs != "" && belongs == x.id:
		block, err := x.block(rec, MaxMetadata)
		x.c.Metadata = parseFields(block)
		return err
	}
	return rec.Close()
}

func (x *foreigners) answer(rec *record.Record) error {
	x.id, x.c = rec.Header.Get("WARC-Record-ID"), Foreign{}
	damaged := func() { x.c.Damaged = true }
	digest.Verify(rec, digest.Wrong{Block: damaged, Payload: damaged})
	block, err := x.block(rec, MaxBlock)
	if err != nil {
		x.id = ""
		return err
	}
	x.c.Response, x.c.TooLong = block, rec.ContentLength > MaxBlock
	x.c.Describe(rec)
	if x.asked != "" && x.asked == x.id {
		x.c.Request = x.request
	}
	x.asked, x.request = "", nil
	return nil
}

// block reads a record to its end, and returns at most so many bytes of its block.
func (x *foreigners) block(rec *record.Record, most int64) ([]byte, error) {
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(rec.Body, most)); err != nil {
		return nil, err
	}
	return b.Bytes(), rec.Close()
}

// flush hands over the capture at hand, whose other records have all come.
func (x *foreigners) flush() error {
	if x.id == "" {
		return nil
	}
	x.id = ""
	return x.fn(&x.c)
}
