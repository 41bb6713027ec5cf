package warc

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

// collation reads the captures of a file beside the lines of its index. Both
// are in the order of writing. Memory is bounded whatever the two hold.
type collation struct {
	file  warcfile.File
	src   *os.File
	index *cdxj.Cursor // nil if there is none
	// keep is how much of a response is read.
	keep int64
	// meter is told how much was read.
	meter *progress.Meter
	// pass says to go on behind damage with the next capture that the index
	// knows and that is whole.
	pass bool

	// observe is called with each record before its block is read. It may be
	// nil, as the other functions.
	observe func(*record.Record)
	// capture is called with each capture that is whole, and its line, nil if
	// there is none.
	capture func(*capture.Stored, *cdxj.Line) error
	// stray is called with each line that tells of no such capture.
	stray func(*cdxj.Line) error
	// gap is called with the place where damage was passed.
	gap func(from, to int64, err error)
}

// extent is what a collation has found of a file.
type extent struct {
	captures int
	// end is behind the last capture that was read, 0 if there is none.
	end int64
	// length is the length of the file.
	length int64
	// tail says why the file could not be read to its length; nil if it ends
	// with a record.
	tail error
	// beyond says that there are, or may be, whole captures behind end.
	beyond bool
	// foreign says that its records are not a gzip member each, as ours are, so
	// that nothing can be said about what is behind end.
	foreign bool
}

// run reads both to the end. Its error is one of ctx, of the disk or of a
// callback.
func (x *collation) run(ctx context.Context) (e extent, err error) {
	if e.length, err = durable.Size(x.src); err != nil {
		return e, err
	}
	var first [2]byte
	if n, _ := x.src.ReadAt(first[:], 0); n == len(first) && string(first[:]) != member.Header[:2] {
		e.foreign = true
	}
	for at := int64(0); ; {
		err := x.read(ctx, at, &e)
		if err == io.EOF {
			break
		}
		if !errors.Is(err, record.ErrTorn) && !errors.Is(err, record.ErrFormat) {
			return e, err
		}
		next, cerr := x.resume(ctx, max(at, e.end))
		if cerr != nil {
			return e, cerr
		}
		if next == 0 || !x.pass {
			e.tail, e.beyond = err, next != 0 || wholeBeyond(x.src, e.end, e.length)
			break
		}
		if x.gap != nil {
			x.gap(max(at, e.end), next, err)
		}
		at = next
	}
	return e, x.rest()
}

// read reads the captures from offset at on. It returns io.EOF at the end of
// the file.
func (x *collation) read(ctx context.Context, at int64, e *extent) error {
	r := record.NewReaderAt(io.NewSectionReader(x.src, at, e.length-at), at)
	// Append alone writes to an open file. What can be appended to ends with a
	// member.
	if x.file.Unfinished {
		r.Single()
	}
	g := capture.NewReader(r, x.file.String(), x.keep)
	g.Observe = x.observe
	var c capture.Stored
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.Next(&c); err != nil {
			return err
		}
		if c.Position.RecordLength == 0 {
			e.foreign = true
		}
		e.captures++
		e.end = c.Position.Next().Offset
		x.meter.Add(e.end - at)
		at = e.end
		l, err := x.lineOf(&c)
		if err != nil {
			return err
		}
		if x.capture != nil {
			if err := x.capture(&c, l); err != nil {
				return err
			}
		}
		if l != nil {
			x.index.Advance()
		}
	}
}

// lineOf passes the lines before that of a capture and returns that, which is
// still to be passed, or nil if there is none.
func (x *collation) lineOf(c *capture.Stored) (*cdxj.Line, error) {
	offset := c.Position.RecordOffset
	for x.index != nil {
		l, err := x.index.Peek(0)
		if l == nil || err != nil {
			return nil, err
		}
		if l.OK && l.Offset == offset {
			return l, nil
		}
		if l.OK && l.Offset > offset {
			// It is that of a later capture, unless the one after it is not.
			after, err := x.index.Peek(1)
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
func (x *collation) resume(ctx context.Context, from int64) (int64, error) {
	for x.index != nil {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		l, err := x.index.Peek(0)
		if l == nil || err != nil {
			return 0, err
		}
		if l.OK && l.Offset > from && wholeResponse(x.src, l.Offset) {
			return l.Offset, nil
		}
		if err := x.strayed(l); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// rest passes the lines behind that of the last capture.
func (x *collation) rest() error {
	for x.index != nil {
		l, err := x.index.Peek(0)
		if l == nil || err != nil {
			return err
		}
		if err := x.strayed(l); err != nil {
			return err
		}
	}
	return nil
}

func (x *collation) strayed(l *cdxj.Line) error {
	if x.stray != nil {
		if err := x.stray(l); err != nil {
			return err
		}
	}
	x.index.Advance()
	return nil
}
