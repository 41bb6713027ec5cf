package capture

import (
	"bytes"
	"io"
	"strings"

	"github.com/forage-net/forage/storage/warc/digest"
	"github.com/forage-net/forage/storage/warc/record"
)

// Stored is a capture read from the archive. Its slices are valid until the next is read. HeadLen,
// Status and MIME are what the response's head says; if no empty line ends it within 64 KiB, HeadLen is the
// whole length. Blocks longer than MaxBlock are cut there, which files of other programs may have; Truncated is
// "length" then. Compressed is not known and always false.
type Stored struct {
	Capture
	Position Position
}

// Reader reads the captures of one file: an optional request, a response or
// revisit, and optional metadata that points to it. Other records are passed.
type Reader struct {
	// Observe, if it is not nil, is called with each record before its block is
	// read.
	Observe func(*record.Record)

	reader *record.Reader
	file   string
	keep   int64 // how much of a response is read

	ahead *record.Record // read, but belongs to the next capture
	end   int64          // behind the last capture that is whole, or the warcinfo
	err   error          // met after the last capture
	bufs  [3]bytes.Buffer
}

// NewReader returns a reader of the captures in a file of that name, as positions have it. Of a response keep bytes are
// read; requests are read only if that is MaxBlock.
func NewReader(r *record.Reader, file string, keep int64) *Reader {
	return &Reader{reader: r, file: file, keep: keep}
}

// Next reads the next capture into c. After an error of the reader, that the
// capture before it was whole still counts: it is returned first.
func (g *Reader) Next(c *Stored) error {
	if g.err != nil {
		return g.err
	}
	*c = Stored{Position: Position{File: g.file}}
	rec, err := g.answer(c)
	if err != nil {
		g.err = err
		return err
	}
	if err := g.readAnswer(c, rec); err != nil {
		g.err = err
		return err
	}
	g.err = g.readMetadata(c, rec.Header.Get("WARC-Record-ID"))
	c.Position.Length = g.end - c.Position.Offset
	return nil
}

// answer returns the next response or revisit, having read the request just
// before it.
func (g *Reader) answer(c *Stored) (*record.Record, error) {
	asked := false
	for {
		rec, err := g.take()
		if err != nil {
			return nil, err
		}
		switch rec.Type {
		case "response", "revisit":
			if !asked {
				c.Position.Offset = rec.Offset
			}
			return rec, nil
		case "request":
			asked = true
			c.Position.Offset = rec.Offset
			if c.Request, err = g.readBlock(0, rec, g.keepAll()); err != nil {
				return nil, err
			}
		default:
			asked, c.Request = false, nil
			if err := rec.Close(); err != nil {
				return nil, err
			}
			g.end = g.reader.Offset()
		}
	}
}

func (g *Reader) readAnswer(c *Stored, rec *record.Record) (err error) {
	if c.Response, err = g.readBlock(1, rec, g.keep); err != nil {
		return err
	}
	c.Position.RecordOffset, c.Position.RecordLength = rec.Offset, rec.Length
	g.end = g.reader.Offset()
	c.Describe(rec)
	return nil
}

// readMetadata reads the metadata record of the response id, if it is next.
func (g *Reader) readMetadata(c *Stored, id string) error {
	rec, err := g.take()
	if err != nil {
		return err
	}
	if rec.Type != "metadata" || rec.Header.Get("WARC-Concurrent-To") != id {
		g.ahead = rec
		return nil
	}
	block, err := g.readBlock(2, rec, MaxMetadata)
	if err != nil {
		return err
	}
	c.Metadata = parseFields(block)
	g.end = g.reader.Offset()
	return nil
}

func (g *Reader) take() (*record.Record, error) {
	if rec := g.ahead; rec != nil {
		g.ahead = nil
		return rec, nil
	}
	rec, err := g.reader.Next()
	if err == nil && g.Observe != nil {
		g.Observe(rec)
	}
	return rec, err
}

func (g *Reader) keepAll() int64 {
	if g.keep == MaxBlock {
		return MaxBlock
	}
	return 0
}

// readBlock reads the record to its end and returns at most keep bytes of its
// block.
func (g *Reader) readBlock(which int, rec *record.Record, keep int64) ([]byte, error) {
	buf := &g.bufs[which]
	if buf.Cap() > keepBuffer {
		*buf = bytes.Buffer{}
	}
	buf.Reset()
	if _, err := buf.ReadFrom(io.LimitReader(rec.Body, keep)); err != nil {
		return nil, err
	}
	return buf.Bytes(), rec.Close()
}

// Describe fills in what the header of its response or revisit record says, and the head of its response.
func (c *Capture) Describe(rec *record.Record) {
	h := rec.Header
	c.URL = h.URI()
	c.Date = parseDate(h.Get("WARC-Date"))
	c.IP = h.Get("WARC-IP-Address")
	c.PayloadDigest = digest.Parse(h.Get("WARC-Payload-Digest"))
	c.Truncated = h.Get("WARC-Truncated")
	c.NoIndex = h.Get(robotsField) == noIndex
	if rec.ContentLength > MaxBlock {
		c.Truncated = "length"
	}
	if rec.Type == "revisit" {
		c.Revisit = &Refers{
			URL:  record.Bare(h.Get("WARC-Refers-To-Target-URI")),
			Date: parseDate(h.Get("WARC-Refers-To-Date")),
			// of any version
			NotModified: strings.HasSuffix(record.Bare(h.Get("WARC-Profile")), "/server-not-modified"),
		}
	}
	head := parseHead(c.Response)
	c.HeadLen, c.Status, c.MIME = head.length, head.status, MediaType(head.mime)
}
