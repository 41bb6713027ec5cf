package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/lines"
	"github.com/forage-net/forage/storage/warc/record"
)

// Scan calls fn for the captures in dir in the order they were written,
// beginning at from; the zero Position is the beginning. To go on behind a
// capture, pass the Next of its position. A file being written is read up to
// its last complete record. If fn returns an error, Scan stops and returns it.
// A damaged file does not keep Scan from the files after it: what is wrong with
// it is returned at the end and wraps record.ErrTorn or record.ErrFormat.
func Scan(dir string, from capture.Position, fn func(capture.Stored) error) error {
	files, err := list(dir)
	if err != nil {
		return fmt.Errorf("scan archive: %w", err)
	}
	start, ok := parseName(from.File)
	var damaged []error
	for _, f := range files {
		offset := int64(0)
		if ok {
			switch order := f.compare(start); {
			case order < 0:
				continue
			case order == 0:
				offset = from.Offset
			}
		}
		var stop callbackError
		err := scanFile(f, offset, fn)
		if errors.As(err, &stop) {
			return stop.error
		}
		if err != nil {
			damaged = append(damaged, fmt.Errorf("scan %s: %w", f.path(), err))
		}
	}
	return errors.Join(damaged...)
}

// callbackError marks an error as the callback's.
type callbackError struct{ error }

func (e callbackError) Unwrap() error { return e.error }

func scanFile(f file, offset int64, fn func(capture.Stored) error) error {
	r, err := f.openFile()
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := r.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	g := capture.NewReader(record.NewReaderAt(r, offset), f.String(), capture.MaxBlock)
	var c capture.Stored
	for {
		err := g.Next(&c)
		if err == io.EOF || f.open && errors.Is(err, record.ErrTorn) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(c); err != nil {
			return callbackError{err}
		}
	}
}

// ReadResponse returns the response stored at pos: head and body as they came,
// or only the head of a revisit. At most MaxBlock bytes are returned.
func ReadResponse(dir string, pos capture.Position) ([]byte, error) {
	c, err := ReadCapture(dir, pos)
	return c.Response, err
}

// ReadCapture returns the capture whose response or revisit record is at pos: what that record says of it,
// without request and metadata. At most MaxBlock bytes of the response are read.
func ReadCapture(dir string, pos capture.Position) (capture.Stored, error) {
	n, ok := parseName(pos.File)
	if !ok {
		return capture.Stored{}, fmt.Errorf("read response: %q is no archive file: %w", pos.File, os.ErrNotExist)
	}
	path := filepath.Join(dir, n.String())
	rec, err := record.ReadAt(path, pos.RecordOffset)
	if errors.Is(err, os.ErrNotExist) {
		rec, err = record.ReadAt(path+openSuffix, pos.RecordOffset)
	}
	if errors.Is(err, os.ErrNotExist) {
		rec, err = record.ReadAt(path, pos.RecordOffset) // finished between the two
	}
	if err != nil {
		return capture.Stored{}, err
	}
	c := capture.Stored{Position: pos}
	c.Response, err = io.ReadAll(io.LimitReader(rec.Body, capture.MaxBlock))
	if cerr := rec.Close(); err == nil {
		err = cerr
	}
	if err == nil && rec.Type != "response" && rec.Type != "revisit" {
		err = fmt.Errorf("%w: a %s record where a response should be", record.ErrFormat, rec.Type)
	}
	if err != nil {
		return capture.Stored{}, fmt.Errorf("read %s at %d: %w", pos.File, pos.RecordOffset, err)
	}
	c.Describe(rec)
	return c, nil
}

// ID returns the name of the capture whose response record is at a position, "" if no capture can be there.
func ID(p capture.Position) string {
	n, ok := parseName(p.File)
	if !ok {
		return ""
	}
	return id(n, p.RecordOffset)
}

// indexLines calls fn with each line of a file's index, line end included.
func indexLines(f file, fn func(line []byte, said indexed) error) error {
	index, err := os.Open(f.indexPath())
	if errors.Is(err, os.ErrNotExist) {
		return scanFile(f, 0, func(c capture.Stored) error {
			return fn(indexLine(&c), indexed{offset: c.Position.RecordOffset, noIndex: c.NoIndex})
		})
	}
	if err != nil {
		return err
	}
	defer index.Close()
	in := bufio.NewReader(index)
	var line []byte
	for {
		line, err = lines.Read(in, line, maxLine)
		if err == io.EOF {
			return nil // a last line without end is being written
		}
		if err != nil {
			return err
		}
		said, ok := parseLine(line)
		if !ok {
			return fmt.Errorf("%w: not an index line; remove %s to have it made again", record.ErrFormat, f.indexPath())
		}
		if err := fn(line, said); err != nil {
			return err
		}
	}
}
