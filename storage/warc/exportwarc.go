package warc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// ExportWARC copies the archive files in srcDir to dstDir, which it makes if it
// is not there: finished files as they are, and files being written up to their
// last complete capture, under the name they will have. Captures marked NoIndex
// are left out, and with them all that cannot be read behind one. A file that
// is there in the same size already is passed over. Each file appears under its
// name only when it is complete. ExportWARC returns how many files and bytes
// were copied, also on an error.
func ExportWARC(srcDir, dstDir string, options ...ExportOption) (files int, bytes int64, err error) {
	return exportWARC(disk{}, srcDir, dstDir, slices.Contains(options, WithNoIndex))
}

func exportWARC(fs fileSystem, srcDir, dstDir string, all bool) (files int, bytes int64, err error) {
	found, err := list(srcDir)
	if err != nil {
		return 0, 0, fmt.Errorf("export WARC: %w", err)
	}
	if err := fs.MkdirAll(dstDir, 0o755); err != nil {
		return 0, 0, fmt.Errorf("export WARC: %w", err)
	}
	for _, f := range found {
		n, err := exportFile(fs, f, dstDir, all)
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

// part is a piece of a file.
type part struct{ from, to int64 }

// exportFile returns how many bytes it has copied.
func exportFile(fs fileSystem, f file, dir string, all bool) (int64, error) {
	src, err := f.openFile()
	if err != nil {
		return 0, err
	}
	defer src.Close()
	parts, err := exportedParts(f, src, all)
	if err != nil || len(parts) == 0 {
		return 0, err
	}
	length := int64(0)
	for _, p := range parts {
		length += p.to - p.from
	}
	path := filepath.Join(dir, f.String())
	if info, err := os.Stat(path); err == nil && info.Size() == length {
		return 0, nil
	}
	dst, err := fs.OpenFile(path+tempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		if _, err := io.Copy(dst, io.NewSectionReader(src, p.from, p.to-p.from)); err != nil {
			dst.Close()
			fs.Remove(dst.Name())
			return 0, err
		}
	}
	return length, replace(fs, dst, path)
}

// exportedParts returns the pieces of a file that are exported, in order; none
// if no capture is in them.
func exportedParts(f file, src *os.File, all bool) ([]part, error) {
	if !f.open && (all || !marked(f)) {
		end, err := size(src)
		if end == 0 {
			return nil, err
		}
		return []part{{0, end}}, err
	}
	g := groups{reader: NewReader(src), file: f.String()}
	var (
		c       StoredCapture
		parts   []part
		at, end int64
		kept    bool
	)
	for {
		err := g.next(&c)
		if err == io.EOF || errors.Is(err, ErrTorn) || errors.Is(err, ErrFormat) {
			break
		}
		if err != nil {
			return nil, err
		}
		end = c.Position.Next().Offset
		if !c.NoIndex || all {
			kept = true
			continue
		}
		if c.Position.Offset > at {
			parts = append(parts, part{at, c.Position.Offset})
		}
		at = end
	}
	if !kept {
		return nil, nil
	}
	if end > at {
		parts = append(parts, part{at, end})
	}
	return parts, nil
}

// marked reports whether a finished file may hold captures marked NoIndex.
func marked(f file) bool {
	return indexLines(f, func(_ []byte, said indexed) error {
		if said.noIndex {
			return errMarked
		}
		return nil
	}) != nil
}

var errMarked = errors.New("a capture is marked")
