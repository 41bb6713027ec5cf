package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// ExportCDXJ writes the index lines of all captures in dir to w, sorted by
// bytes as LC_ALL=C sort does. Files are called by the names they have when
// finished. A file without index is read to make one. It needs about 20 MB of
// memory, and space for all lines in the directory for temporary files.
func ExportCDXJ(dir string, w io.Writer) error {
	files, err := list(dir)
	if err != nil {
		return fmt.Errorf("export CDXJ: %w", err)
	}
	s := newLineSorter(sortMemory)
	defer s.close()
	for _, f := range files {
		if err := exportLines(f, s.add); err != nil {
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

// exportLines calls add with each line of a file's index, line end included.
func exportLines(f file, add func([]byte) error) error {
	index, err := os.Open(f.indexPath())
	if errors.Is(err, os.ErrNotExist) {
		return scanFile(f, 0, func(c StoredCapture) error { return add(indexLine(&c)) })
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
		if _, ok := lineOffset(line); !ok {
			return fmt.Errorf("%w: not an index line: %.40q; remove %s to have it made anew", ErrFormat, line, f.indexPath())
		}
		if err := add(line); err != nil {
			return err
		}
	}
}
