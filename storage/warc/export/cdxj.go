package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/lines"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// CDXJ writes the index lines of all captures in dir to w, sorted by
// bytes as LC_ALL=C sort does, except for those that WARC leaves out. Files are called
// by the names they have when finished. A file without index is read to make
// one. It needs about 20 MB of memory, and space for all lines in the directory
// for temporary files. It ends once ctx is done, tells its progress, and returns
// what was left out. What is damaged is known only where records are read.
func CDXJ(ctx context.Context, dir string, w io.Writer, options ...Option) (Result, error) {
	return writeCDXJ(ctx, durable.Disk{}, dir, w, chosen(options))
}

// StreamCDXJ writes what CDXJ writes, with temporary files in a directory
// of the caller's, until ctx is done.
func StreamCDXJ(ctx context.Context, dir, scratchDir string, w io.Writer, options ...Option) (Result, error) {
	return writeCDXJ(ctx, lines.Scratch(scratchDir), dir, w, chosen(options))
}

func writeCDXJ(
	ctx context.Context, fs durable.FS, dir string, w io.Writer, o choices,
) (done Result, err error) {
	files, err := warcfile.List(dir)
	if err != nil {
		return done, words.New("said.doctor.export-cdxj", words.Args{"error": err})
	}
	s := lines.NewSorterOn(fs, lines.Memory)
	defer s.Close()
	if o.keepsAll(files) {
		err = addIndexes(ctx, s, files)
	} else {
		done, err = addExported(ctx, s, files, o)
	}
	if err != nil {
		return done, words.New("said.doctor.export-cdxj", words.Args{"error": err})
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err = s.Write(out); err == nil {
		err = out.Flush()
	}
	if err != nil {
		return done, words.New("said.doctor.export-cdxj", words.Args{"error": err})
	}
	return done, nil
}

// addIndexes adds the lines of the indexes that are there.
func addIndexes(ctx context.Context, s *lines.Sorter, files []warcfile.File) error {
	total := int64(0)
	for _, f := range files {
		if info, err := os.Stat(f.IndexPath()); err == nil {
			total += info.Size()
		}
	}
	meter := progress.Begin(ctx, words.New("said.cli.work-sorting-the-index", nil), total, progress.Bytes)
	add := func(line []byte, _ cdxj.Said) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		meter.Add(int64(len(line)))
		return s.Add(line)
	}
	for _, f := range files {
		if err := cdxj.Each(f, add); err != nil {
			return fmt.Errorf("index of %s: %w", f.Path(), err)
		}
	}
	return nil
}

// addExported adds lines for the captures that WARC keeps, at the places
// they have in its files.
func addExported(ctx context.Context, s *lines.Sorter, files []warcfile.File, o choices) (Result, error) {
	x := newExporter(Target{Capture: func(c capture.Stored) error { return s.Add(cdxj.LineOf(&c)) }}, o)
	x.meter = progress.Begin(ctx, words.New("said.cli.work-reading-the-archive", nil), warcfile.Size(files),
		progress.Bytes)
	for _, f := range files {
		if err := x.export(ctx, f); err != nil {
			return x.done, words.New("said.trouble.read", words.Args{"path": f.Path(), "error": err})
		}
	}
	return x.done, nil
}
