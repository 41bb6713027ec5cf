package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Target is what Files hands an archive to.
type Target struct {
	// Capture is called for each capture of a file. Its position is the one in
	// the file as it is exported, and its slices are valid until it returns.
	Capture func(capture.Stored) error
	// File is called with the bytes of a file after the last of its captures.
	// It must read all of r. Without it the files are read once only.
	File func(name string, size int64, r io.Reader) error
}

// Result is what an export has done.
type Result struct {
	// LeftOut counts the captures that are not in the export.
	LeftOut LeftOut
	// Damaged says of each damaged file what is wrong with it. The captures
	// before the damage are in the export.
	Damaged []error
}

// Files goes through the archive files in srcDir in the order of writing
// and hands over what an export holds: finished files, and files being written
// up to their last complete capture, under the name they will have. Captures
// marked NoIndex are left out, and with them their revisits, which have no
// payload of their own. A file of which nothing is left is passed over. Nothing
// is called concurrently.
//
// Every record is read, with the memory of a scan and some 20 bytes for each
// capture that is left out. An error is one of ctx, of a callback or of reading
// srcDir.
func Files(ctx context.Context, srcDir string, to Target, options ...Option) (Result, error) {
	files, err := warcfile.List(srcDir)
	if err != nil {
		return Result{}, words.New("said.doctor.export-files", words.Args{"error": err})
	}
	x := newExporter(to, chosen(options))
	if to.File == nil {
		x.meter = progress.Begin(ctx, words.New("said.cli.work-reading-the-archive", nil), warcfile.Size(files),
			progress.Bytes)
	} else {
		x.meter = progress.Begin(ctx, words.New("said.cli.work-exporting", nil), 2*warcfile.Size(files), progress.Bytes)
	}
	for _, f := range files {
		if err := x.export(ctx, f); err != nil {
			return x.done, words.New("said.trouble.export", words.Args{"path": f.Path(), "error": err})
		}
	}
	return x.done, nil
}

// part is a piece of a file.
type part struct{ from, to int64 }

type exporter struct {
	to Target
	choices
	// whole says that finished files are handed over as they are, without
	// their captures: nothing is left out, not even what is behind damage.
	whole bool
	out   map[capture.Key]Wish // captures that are left out and have a payload
	done  Result
	meter *progress.Meter // what is read, of most files twice
}

func newExporter(to Target, o choices) *exporter {
	return &exporter{to: to, choices: o, out: make(map[capture.Key]Wish)}
}

func (x *exporter) export(ctx context.Context, f warcfile.File) error {
	src, err := f.Open()
	if f.Unfinished && errors.Is(err, os.ErrNotExist) {
		return nil // it held nothing and was removed
	}
	if err != nil {
		return err
	}
	defer src.Close()
	parts, err := x.parts(ctx, f, src)
	if err != nil || len(parts) == 0 || x.to.File == nil {
		return err
	}
	length := int64(0)
	readers := make([]io.Reader, len(parts))
	for i, p := range parts {
		length += p.to - p.from
		readers[i] = io.NewSectionReader(src, p.from, p.to-p.from)
	}
	return x.to.File(f.String(), length, until(ctx, x.meter.Reader(io.MultiReader(readers...))))
}

// parts returns the pieces of a file that are exported, in order.
func (x *exporter) parts(ctx context.Context, f warcfile.File, src *os.File) ([]part, error) {
	if !x.whole || f.Unfinished {
		return x.captures(ctx, f, src)
	}
	end, err := durable.Size(src)
	if end == 0 {
		return nil, err
	}
	return []part{{0, end}}, err
}

// captures hands over the captures of a file that are kept, and returns the
// pieces of the file that hold them; none if there are none.
func (x *exporter) captures(ctx context.Context, f warcfile.File, src *os.File) (parts []part, err error) {
	records := record.NewReader(until(ctx, x.meter.Reader(src)))
	g := capture.NewReader(records, f.String(), capture.MaxBlock)
	var (
		c       capture.Stored
		at, end int64 // where the next piece begins, and the last capture ends
		cut     int64 // bytes left out
		kept    bool
	)
	for {
		err := g.Next(&c)
		if err == io.EOF {
			end = records.Offset()
			break
		}
		if errors.Is(err, record.ErrTorn) || errors.Is(err, record.ErrFormat) {
			if !f.Unfinished || !errors.Is(err, record.ErrTorn) {
				x.done.Damaged = append(x.done.Damaged, fmt.Errorf("%s: %w", f.Path(), err))
			}
			break
		}
		if err != nil {
			return nil, err
		}
		end = c.Position.Next().Offset
		if x.leaveOut(&c) {
			if c.Position.Offset > at {
				parts = append(parts, part{at, c.Position.Offset})
			}
			at = end
			cut += c.Position.Length
			continue
		}
		kept = true
		c.Position.Offset -= cut
		c.Position.RecordOffset -= cut
		if err := x.to.Capture(c); err != nil {
			return nil, err
		}
	}
	if !kept {
		return nil, nil
	}
	if end > at {
		parts = append(parts, part{at, end})
	}
	return parts, nil
}

// leaveOut reports whether a capture is not exported. What a revisit names was
// written before it.
func (x *exporter) leaveOut(c *capture.Stored) bool {
	w := x.wishOf(c)
	switch {
	case c.Revisit == nil && w != None:
		x.out[c.Key()] = w
	case c.Revisit != nil && w == None:
		w = x.out[c.Revisit.Key()]
	}
	x.done.LeftOut.Add(w)
	return w != None
}

// wishOf returns why a capture is left out for its own sake.
func (o choices) wishOf(c *capture.Stored) Wish {
	switch {
	case c.NoIndex && !o.noIndex:
		return NoIndex
	case o.wish != nil:
		return o.wish(c)
	}
	return None
}

// keepsAll reports whether nothing of these files is left out.
func (o choices) keepsAll(files []warcfile.File) bool {
	return o.wish == nil && (o.noIndex || !anyMarked(files))
}

// until returns a reader of r that fails once ctx is done.
func until(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(p)
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// anyMarked reports whether an archive may hold captures marked NoIndex.
func anyMarked(files []warcfile.File) bool { return slices.ContainsFunc(files, marked) }

// marked reports whether a file may hold captures marked NoIndex.
func marked(f warcfile.File) bool {
	return cdxj.Each(f, func(_ []byte, said cdxj.Said) error {
		if said.NoIndex {
			return errMarked
		}
		return nil
	}) != nil
}

var errMarked = errors.New("a capture is marked")
