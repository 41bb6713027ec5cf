package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// ExportOption changes what an export holds.
type ExportOption uint8

// WithNoIndex keeps captures marked NoIndex in an export; otherwise they are
// left out. A revisit is left out by its own mark: one that is kept may name a
// capture that is not in the export.
const WithNoIndex ExportOption = 1

// ExportCDXJ writes the index lines of all captures in dir to w, sorted by
// bytes as LC_ALL=C sort does, but for those marked NoIndex. Files are called
// by the names they have when finished. A file without index is read to make
// one. It needs about 20 MB of memory, and space for all lines in the directory
// for temporary files.
func ExportCDXJ(dir string, w io.Writer, options ...ExportOption) error {
	return exportCDXJ(disk{}, dir, w, slices.Contains(options, WithNoIndex))
}

func exportCDXJ(fs fileSystem, dir string, w io.Writer, all bool) error {
	files, err := list(dir)
	if err != nil {
		return fmt.Errorf("export CDXJ: %w", err)
	}
	s := newLineSorter(fs, sortMemory)
	defer s.close()
	for _, f := range files {
		err := indexLines(f, func(line []byte, said indexed) error {
			if said.noIndex && !all {
				return nil
			}
			return s.add(line)
		})
		if err != nil {
			return fmt.Errorf("export CDXJ: index of %s: %w", f.path(), err)
		}
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := s.write(out); err != nil {
		return fmt.Errorf("export CDXJ: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("export CDXJ: %w", err)
	}
	return nil
}

// indexLines calls fn with each line of a file's index, line end included.
func indexLines(f file, fn func(line []byte, said indexed) error) error {
	index, err := os.Open(f.indexPath())
	if errors.Is(err, os.ErrNotExist) {
		return scanFile(f, 0, func(c StoredCapture) error {
			return fn(indexLine(&c), indexed{offset: c.Position.RecordOffset, noIndex: c.NoIndex})
		})
	}
	if err != nil {
		return err
	}
	defer index.Close()
	lines := bufio.NewReader(index)
	var line []byte
	for {
		line, err = readLine(lines, line, maxLine)
		if err == io.EOF {
			return nil // a last line without end is being written
		}
		if err != nil {
			return err
		}
		said, ok := parseLine(line)
		if !ok {
			return fmt.Errorf("%w: not an index line: %.40q; remove %s to have it made anew", ErrFormat, line, f.indexPath())
		}
		if err := fn(line, said); err != nil {
			return err
		}
	}
}
