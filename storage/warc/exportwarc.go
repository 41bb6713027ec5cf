package warc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ExportWARC copies the archive files in srcDir to dstDir, which it makes if it
// is not there: finished files as they are, and files being written up to their
// last complete capture, under the name they will have. A file that is there in
// the same size already is passed over. Each file appears under its name only
// when it is complete. ExportWARC returns how many files and bytes were copied,
// also on an error.
func ExportWARC(srcDir, dstDir string) (files int, bytes int64, err error) {
	found, err := list(srcDir)
	if err != nil {
		return 0, 0, fmt.Errorf("export WARC: %w", err)
	}
	if err := os.MkdirAll(dstDir, 0o755); err != nil {
		return 0, 0, fmt.Errorf("export WARC: %w", err)
	}
	for _, f := range found {
		n, err := exportFile(f, dstDir)
		if err != nil {
			return files, bytes, fmt.Errorf("export %s: %w", f.path(), err)
		}
		if n > 0 {
			files++
			bytes += n
		}
	}
	return files, bytes, nil
}

// exportFile returns how many bytes it has copied.
func exportFile(f file, dir string) (int64, error) {
	src, err := f.openFile()
	if err != nil {
		return 0, err
	}
	defer src.Close()
	length, err := completeLength(f, src)
	if err != nil || length == 0 {
		return 0, err
	}
	path := filepath.Join(dir, f.String())
	if info, err := os.Stat(path); err == nil && info.Size() == length {
		return 0, nil
	}
	dst, err := os.OpenFile(path+tempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return 0, err
	}
	if _, err := io.CopyN(dst, src, length); err != nil {
		dst.Close()
		os.Remove(dst.Name())
		return 0, err
	}
	return length, replace(dst, path)
}

// completeLength returns where the last complete capture of a file ends, 0 if
// it has none. The file is left at its beginning.
func completeLength(f file, src *os.File) (int64, error) {
	if !f.open {
		return size(src)
	}
	g := groups{reader: NewReader(src), file: f.String()}
	var c StoredCapture
	end := int64(0)
	for {
		err := g.next(&c)
		if err == io.EOF || errors.Is(err, ErrTorn) || errors.Is(err, ErrFormat) {
			break
		}
		if err != nil {
			return 0, err
		}
		end = c.Position.Next().Offset
	}
	_, err := src.Seek(0, io.SeekStart)
	return end, err
}
