// Package check reads a whole archive for what is wrong with it, and says what of that can be repaired. It changes
// nothing, and captures may be appended meanwhile.
package check

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/collate"
	"github.com/forage-net/forage/storage/warc/digest"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// DefaultMaxFaults is how many faults a Report lists: as many as somebody
// reads.
const DefaultMaxFaults = 50

// Options says how an archive is checked.
type Options struct {
	// MaxFaults is how many faults are listed; 0 means DefaultMaxFaults.
	MaxFaults int
	// Live says that captures are being appended meanwhile: the end of a file
	// being written and of its index is no fault then.
	Live bool
}

// Report is what Archive has found.
type Report struct {
	// Files are the archive files, finished or not, without indexes.
	Files int
	// Captures and Revisits are those that could be read; revisits count as
	// captures too.
	Captures, Revisits int
	// Bytes is the size of all files and indexes.
	Bytes int64
	// Faults are the first ones found, in the order of the files, those of
	// revisits last.
	Faults []Fault
	// FaultCount is how many there are in all, and RepairableCount how many of
	// them can be repaired: in the files of these names.
	FaultCount, RepairableCount int
	RepairableFiles             []string
}

// Archive reads the whole archive in dir and reports what is wrong with it: what
// cannot be read as records, digests of blocks and payloads that do not agree,
// captures without a right line in the index and the other way round, and
// revisits whose original is missing. It changes nothing in dir, which may be
// read-only. Memory is bounded; for the revisits it needs about 50 bytes for
// each capture where the system keeps temporary files, if there are many.
//
// An error is one of ctx, of dir or of a temporary file; the report is then of
// what was read. Files that cannot be read are faults.
func Archive(ctx context.Context, dir string, opts Options) (Report, error) {
	if opts.MaxFaults <= 0 {
		opts.MaxFaults = DefaultMaxFaults
	}
	files, err := warcfile.List(dir)
	if err != nil {
		return Report{}, words.New("said.doctor.check-archive", words.Args{"error": err})
	}
	c := checker{opts: opts, references: newReferences(durable.Disk{}),
		meter: progress.Begin(ctx, words.New("said.cli.work-checking-the-archive", nil), warcfile.Size(files),
			progress.Bytes)}
	defer c.references.close()
	for _, f := range files {
		if err := c.check(ctx, f); err != nil {
			return c.report, words.New("said.doctor.check", words.Args{"path": f.Path(), "error": err})
		}
	}
	if err := c.references.resolve(c.fault); err != nil {
		return c.report, words.New("said.doctor.check-revisits", words.Args{"error": err})
	}
	return c.report, nil
}

// callbackError marks an error as one that is not of the file.
type callbackError struct{ error }

func (e callbackError) Unwrap() error { return e.error }

type checker struct {
	opts       Options
	report     Report
	references *references
	meter      *progress.Meter
}

func (c *checker) fault(f Fault) {
	c.report.FaultCount++
	if f.Repairable {
		c.report.RepairableCount++
		if n := len(c.report.RepairableFiles); n == 0 || c.report.RepairableFiles[n-1] != f.File {
			c.report.RepairableFiles = append(c.report.RepairableFiles, f.File)
		}
	}
	if len(c.report.Faults) < c.opts.MaxFaults {
		c.report.Faults = append(c.report.Faults, f)
	}
}

// check checks a file with its index.
func (c *checker) check(ctx context.Context, f warcfile.File) error {
	index, err := openIndex(f)
	if err != nil {
		c.unreadable(f, err)
	} else if index != nil {
		defer index.Close()
	}
	src, err := f.Open()
	if c.opts.Live && errors.Is(err, os.ErrNotExist) {
		return nil // it held nothing and was removed
	}
	c.report.Files++
	if err != nil {
		c.unreadable(f, err)
		return nil
	}
	defer src.Close()
	x := fileCheck{checker: c, file: f, growing: f.Unfinished && c.opts.Live}
	found, err := x.run(ctx, src, index)
	if ctx.Err() != nil || errors.As(err, new(callbackError)) {
		return err
	}
	c.report.Bytes += found.Length
	if err != nil {
		c.unreadable(f, err)
		return nil
	}
	if found.Captures > 0 && index == nil {
		// A file that was just being made has its index by its first capture.
		if _, err := os.Stat(f.IndexPath()); errors.Is(err, os.ErrNotExist) {
			c.fault(Fault{File: f.String(), Kind: NoIndex, Repairable: true})
		}
	}
	x.judge(found)
	return nil
}

func (c *checker) unreadable(f warcfile.File, err error) {
	c.fault(Fault{File: f.String(), Kind: Unreadable, Detail: err})
}

// openIndex returns nil if the file has no index.
func openIndex(f warcfile.File) (*os.File, error) {
	index, err := os.Open(f.IndexPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return index, err
}

// fileCheck checks one file.
type fileCheck struct {
	*checker
	file    warcfile.File
	growing bool // somebody appends to it
}

// run reads the file beside its index, if that is not nil.
func (x *fileCheck) run(ctx context.Context, src, index *os.File) (collate.Extent, error) {
	c := collate.Reader{File: x.file, Src: src, Pass: true, Meter: x.meter, Observe: x.observe, Capture: x.capture,
		Stray: x.stray, Gap: x.gap}
	if index != nil {
		// A line is written after its capture, so that those there are now tell
		// of captures that will be read.
		n, err := durable.Size(index)
		if err != nil {
			return collate.Extent{}, err
		}
		x.report.Bytes += n
		c.Index = cdxj.NewCursor(io.NewSectionReader(index, 0, n))
	} else {
		c.Capture = x.note
	}
	return c.Run(ctx)
}

func (x *fileCheck) observe(rec *record.Record) {
	wrong := func(k Kind) func() {
		return func() {
			x.fault(Fault{File: x.file.String(), Offset: rec.Offset, Kind: k,
				Detail: words.New("said.doctor.a-record-of-type", words.Args{"name": rec.Type})})
		}
	}
	digest.Verify(rec, digest.Wrong{Block: wrong(BlockDigest), Payload: wrong(PayloadDigest)})
}

// note counts a capture of a file without index.
func (x *fileCheck) note(c *capture.Stored, _ *cdxj.Line) error {
	x.report.Captures++
	if c.Revisit != nil {
		x.report.Revisits++
	}
	if err := x.references.add(c); err != nil {
		return callbackError{err}
	}
	return nil
}

func (x *fileCheck) capture(c *capture.Stored, l *cdxj.Line) error {
	f := Fault{File: x.file.String(), Offset: c.Position.RecordOffset, Detail: errors.New(c.URL), Repairable: true}
	switch {
	case l == nil && x.growing: // its line is still to be written
	case l == nil:
		f.Kind = LineMissing
		x.fault(f)
	case !l.Tells(c):
		f.Kind = LineWrong
		x.fault(f)
	}
	return x.note(c, l)
}

func (x *fileCheck) stray(l *cdxj.Line) error {
	if x.growing && !l.OK {
		return nil // its end is still to be written
	}
	x.fault(Fault{File: x.file.String(), Offset: l.At, Kind: LineStray, Repairable: true})
	return nil
}

func (x *fileCheck) gap(from, to int64, err error) {
	x.fault(Fault{
		File: x.file.String(), Offset: from, Kind: Damaged,
		Detail: words.New("said.doctor.no-record-up-to",
			words.Args{"offset": strconv.FormatInt(to, 10), "error": err}),
	})
}

// judge reports how the file ends.
func (x *fileCheck) judge(e collate.Extent) {
	f := Fault{File: x.file.String(), Offset: e.End}
	switch {
	case e.Tail == nil && e.Captures == 0 && !x.file.Unfinished:
		f.Kind = Empty
	case e.Tail == nil || x.growing && errors.Is(e.Tail, record.ErrTorn):
		return
	case e.Beyond:
		f.Kind, f.Detail = Damaged, e.Tail
	default:
		f.Kind, f.Detail, f.Repairable = Torn, e.Tail, e.Cuttable()
	}
	x.fault(f)
}
