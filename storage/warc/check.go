package warc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/digest"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// DefaultMaxFaults is how many faults a CheckReport lists: as many as somebody
// reads.
const DefaultMaxFaults = 50

// CheckOptions says how an archive is checked.
type CheckOptions struct {
	// MaxFaults is how many faults are listed; 0 means DefaultMaxFaults.
	MaxFaults int
	// Live says that captures are being appended meanwhile: the end of a file
	// being written and of its index is no fault then.
	Live bool
}

// CheckReport is what Check has found.
type CheckReport struct {
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
	// them Repair mends.
	FaultCount, RepairableCount int

	repairable []string // names of files
}

// Check reads the whole archive in dir and reports what is wrong with it: what
// cannot be read as records, digests of blocks and payloads that do not agree,
// captures without a right line in the index and the other way round, and
// revisits whose original is missing. It changes nothing in dir, which may be
// read-only. Memory is bounded; for the revisits it needs about 50 bytes for
// each capture where the system keeps temporary files, if there are many.
//
// An error is one of ctx, of dir or of a temporary file; the report is then of
// what was read. Files that cannot be read are faults.
func Check(ctx context.Context, dir string, opts CheckOptions) (CheckReport, error) {
	if opts.MaxFaults <= 0 {
		opts.MaxFaults = DefaultMaxFaults
	}
	files, err := warcfile.List(dir)
	if err != nil {
		return CheckReport{}, fmt.Errorf("check archive: %w", err)
	}
	c := checker{opts: opts, references: newReferences(durable.Disk{}),
		meter: progress.Begin(ctx, "checking the archive", warcfile.Size(files), progress.Bytes)}
	defer c.references.close()
	for _, f := range files {
		if err := c.check(ctx, f); err != nil {
			return c.report, fmt.Errorf("check %s: %w", f.Path(), err)
		}
	}
	if err := c.references.resolve(c.fault); err != nil {
		return c.report, fmt.Errorf("check revisits: %w", err)
	}
	return c.report, nil
}

// callbackError marks an error as one that is not of the file.
type callbackError struct{ error }

func (e callbackError) Unwrap() error { return e.error }

type checker struct {
	opts       CheckOptions
	report     CheckReport
	references *references
	meter      *progress.Meter
}

func (c *checker) fault(f Fault) {
	c.report.FaultCount++
	if f.Repairable {
		c.report.RepairableCount++
		if n := len(c.report.repairable); n == 0 || c.report.repairable[n-1] != f.File {
			c.report.repairable = append(c.report.repairable, f.File)
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
	noIndex := index == nil && err == nil
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
	c.report.Bytes += found.length
	if err != nil {
		c.unreadable(f, err)
		return nil
	}
	if noIndex && found.captures > 0 {
		c.fault(Fault{File: f.String(), Kind: FaultNoIndex, Repairable: true})
	}
	x.judge(found)
	return nil
}

func (c *checker) unreadable(f warcfile.File, err error) {
	c.fault(Fault{File: f.String(), Kind: FaultUnreadable, Detail: err.Error()})
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
func (x *fileCheck) run(ctx context.Context, src, index *os.File) (extent, error) {
	c := collation{file: x.file, src: src, pass: true, meter: x.meter, observe: x.observe, capture: x.capture,
		stray: x.stray, gap: x.gap}
	if index != nil {
		// A line is written after its capture, so that those there are now tell
		// of captures that will be read.
		n, err := durable.Size(index)
		if err != nil {
			return extent{}, err
		}
		x.report.Bytes += n
		c.index = cdxj.NewCursor(io.NewSectionReader(index, 0, n))
	} else {
		c.capture = x.note
	}
	return c.run(ctx)
}

func (x *fileCheck) observe(rec *record.Record) {
	wrong := func(k FaultKind) func() {
		return func() {
			x.fault(Fault{File: x.file.String(), Offset: rec.Offset, Kind: k, Detail: "a record of type " + rec.Type})
		}
	}
	digest.Verify(rec, digest.Wrong{Block: wrong(FaultBlockDigest), Payload: wrong(FaultPayloadDigest)})
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
	f := Fault{File: x.file.String(), Offset: c.Position.RecordOffset, Detail: c.URL, Repairable: true}
	switch {
	case l == nil && x.growing: // its line is still to be written
	case l == nil:
		f.Kind = FaultLineMissing
		x.fault(f)
	case !l.Tells(c):
		f.Kind = FaultLineWrong
		x.fault(f)
	}
	return x.note(c, l)
}

func (x *fileCheck) stray(l *cdxj.Line) error {
	if x.growing && !l.OK {
		return nil // its end is still to be written
	}
	x.fault(Fault{File: x.file.String(), Offset: l.At, Kind: FaultLineStray, Repairable: true})
	return nil
}

func (x *fileCheck) gap(from, to int64, err error) {
	x.fault(Fault{
		File: x.file.String(), Offset: from, Kind: FaultDamaged,
		Detail: fmt.Sprintf("no record up to %d: %v", to, err),
	})
}

// judge reports how the file ends.
func (x *fileCheck) judge(e extent) {
	f := Fault{File: x.file.String(), Offset: e.end}
	switch {
	case e.tail == nil && e.captures == 0 && !x.file.Unfinished:
		f.Kind = FaultEmpty
	case e.tail == nil || x.growing && errors.Is(e.tail, record.ErrTorn):
		return
	case e.beyond:
		f.Kind, f.Detail = FaultDamaged, e.tail.Error()
	default:
		f.Kind, f.Detail, f.Repairable = FaultTorn, e.tail.Error(), e.cuttable()
	}
	x.fault(f)
}
