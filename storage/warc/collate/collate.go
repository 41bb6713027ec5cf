// Package collate reads the captures of an archive file beside the lines of its index; both are in the order of
// writing. It finds where they part: lines that are missing or tell of nothing, damage, a torn end. Behind damage it
// goes on with the next whole capture that the index knows.
package collate

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/member"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Reader reads the captures of a file beside the lines of its index. Both
// are in the order of writing. Memory is bounded whatever the two hold.
type Reader struct {
	File  warcfile.File
	Src   *os.File
	Index *cdxj.Cursor // nil if there is none
	// Keep is how much of a response is read.
	Keep int64
	// Meter is told how much was read.
	Meter *progress.Meter
	// Pass says to go on behind damage with the next capture that the index
	// knows and that is whole.
	Pass bool

	// Observe is called with each record before its block is read. It may be
	// nil, as the other functions.
	Observe func(*record.Record)
	// Capture is called with each capture that is whole, and its line, nil if
	// there is none.
	Capture func(*capture.Stored, *cdxj.Line) error
	// Stray is called with each line that tells of no such capture.
	Stray func(*cdxj.Line) error
	// Gap is called with the place where damage was passed.
	Gap func(from, to int64, err error)
}

// Extent is what a Reader has found of a file.
type Extent struct {
	Captures int
	// End is behind the last capture that was read, 0 if there is none.
	End int64
	// Length is the length of the file.
	Length int64
	// Tail says why the file could not be read to its length; nil if it ends
	// with a record.
	Tail error
	// Beyond says that there are, or may be, whole captures behind End.
	Beyond bool
	// Foreign says that its records are not a gzip member each, as ours are, so
	// that nothing can be said about what is behind End.
	Foreign bool
}

// Cuttable reports whether what is behind the last capture can go without
// touching another.
func (e Extent) Cuttable() bool { return e.Tail != nil && !e.Beyond && !e.Foreign }

// Run reads both to the end. Its error is one of ctx, of the disk or of a
// callback.
func (x *Reader) Run(ctx context.Context) (e Extent, err error) {
	if e.Length, err = durable.Size(x.Src); err != nil {
		return e, err
	}
	var first [2]byte
	if n, _ := x.Src.ReadAt(first[:], 0); n == len(first) && string(first[:]) != member.Header[:2] {
		e.Foreign = true
	}
	for at := int64(0); ; {
		err := x.read(ctx, at, &e)
		if err == io.EOF {
			break
		}
		if !errors.Is(err, record.ErrTorn) && !errors.Is(err, record.ErrFormat) {
			return e, err
		}
		next, cerr := x.resume(ctx, max(at, e.End))
		if cerr != nil {
			return e, cerr
		}
		if next == 0 || !x.Pass {
			e.Tail, e.Beyond = err, next != 0 || wholeBeyond(x.Src, e.End, e.Length)
			break
		}
		if x.Gap != nil {
			x.Gap(max(at, e.End), next, err)
		}
		at = next
	}
	return e, x.rest()
}

// read reads the captures from offset at on. It returns io.EOF at the end of
// the file.
func (x *Reader) read(ctx context.Context, at int64, e *Extent) error {
	r := record.NewReaderAt(io.NewSectionReader(x.Src, at, e.Length-at), at)
	// The archive alone writes to an open file. What can be appended to ends with a
	// member.
	if x.File.Unfinished {
		r.Single()
	}
	g := capture.NewReader(r, x.File.String(), x.Keep)
	g.Observe = x.Observe
	var c capture.Stored
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.Next(&c); err != nil {
			return err
		}
		if c.Position.RecordLength == 0 {
			e.Foreign = true
		}
		e.Captures++
		e.End = c.Position.Next().Offset
		x.Meter.Add(e.End - at)
		at = e.End
		l, err := x.lineOf(&c)
		if err != nil {
			return err
		}
		if x.Capture != nil {
			if err := x.Capture(&c, l); err != nil {
				return err
			}
		}
		if l != nil {
			x.Index.Advance()
		}
	}
}

// lineOf passes the lines before that of a capture and returns that, which is
// still to be passed, or nil if there is none.
func (x *Reader) lineOf(c *capture.Stored) (*cdxj.Line, error) {
	offset := c.Position.RecordOffset
	for x.Index != nil {
		l, err := x.Index.Peek(0)
		if l == nil || err != nil {
			return nil, err
		}
		if l.OK && l.Offset == offset {
			return l, nil
		}
		if l.OK && l.Offset > offset {
			// It is that of a later capture, unless the one after it is not.
			after, err := x.Index.Peek(1)
			if err != nil || after == nil || !after.OK || after.Offset > offset {
				return nil, err
			}
		}
		if err := x.strayed(l); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// resume passes the lines up to the first one of a whole record behind offset
// from, and returns where that is; 0 if there is none.
func (x *Reader) resume(ctx context.Context, from int64) (int64, error) {
	for x.Index != nil {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		l, err := x.Index.Peek(0)
		if l == nil || err != nil {
			return 0, err
		}
		if l.OK && l.Offset > from && wholeResponse(x.Src, l.Offset) {
			return l.Offset, nil
		}
		if err := x.strayed(l); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// rest passes the lines behind that of the last capture.
func (x *Reader) rest() error {
	for x.Index != nil {
		l, err := x.Index.Peek(0)
		if l == nil || err != nil {
			return err
		}
		if err := x.strayed(l); err != nil {
			return err
		}
	}
	return nil
}

func (x *Reader) strayed(l *cdxj.Line) error {
	if x.Stray != nil {
		if err := x.Stray(l); err != nil {
			return err
		}
	}
	x.Index.Advance()
	return nil
}
