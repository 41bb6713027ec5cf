package warcfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/record"
)

// Scan calls fn for the captures in dir in the order they were written,
// beginning at from; the zero Position is the beginning. To go on behind a
// capture, pass the Next of its position. A file being written is read up to
// its last complete record. If fn returns an error, Scan stops and returns it.
// A damaged file does not keep Scan from the files after it: what is wrong with
// it is returned at the end and wraps record.ErrTorn or record.ErrFormat.
func Scan(dir string, from capture.Position, fn func(capture.Stored) error) error {
	files, err := List(dir)
	if err != nil {
		return fmt.Errorf("scan archive: %w", err)
	}
	start, ok := ParseName(from.File)
	var damaged []error
	for _, f := range files {
		offset := int64(0)
		if ok {
			switch order := f.Compare(start); {
			case order < 0:
				continue
			case order == 0:
				offset = from.Offset
			}
		}
		wrong, err := f.Scan(offset, fn)
		if err != nil {
			return err
		}
		if wrong != nil {
			damaged = append(damaged, fmt.Errorf("scan %s: %w", f.Path(), wrong))
		}
	}
	return errors.Join(damaged...)
}

// Scan calls fn for the captures of a file from offset on. A file being written is read up to its last complete record.
// What is wrong with the file is damaged, what fn returned is err; either ends the scan.
func (f File) Scan(offset int64, fn func(capture.Stored) error) (damaged, err error) {
	r, err := f.Open()
	if err != nil {
		return err, nil
	}
	defer r.Close()
	if _, err := r.Seek(offset, io.SeekStart); err != nil {
		return err, nil
	}
	g := capture.NewReader(record.NewReaderAt(r, offset), f.String(), capture.MaxBlock)
	var c capture.Stored
	for {
		err := g.Next(&c)
		if err == io.EOF || f.Unfinished && errors.Is(err, record.ErrTorn) {
			return nil, nil
		}
		if err != nil {
			return err, nil
		}
		if err := fn(c); err != nil {
			return nil, err
		}
	}
}

// ReadResponse returns the response stored at pos: head and body as they came,
// or only the head of a revisit. At most MaxBlock bytes are returned.
func ReadResponse(dir string, pos capture.Position) ([]byte, error) {
	c, err := Read(dir, pos)
	return c.Response, err
}

// Read returns the capture whose response or revisit record is at pos: what that record says of it,
// without request and metadata. At most MaxBlock bytes of the response are read.
func Read(dir string, pos capture.Position) (capture.Stored, error) {
	rec, err := open(dir, pos)
	if err != nil {
		return capture.Stored{}, err
	}
	c := capture.Stored{Position: pos}
	c.Response, err = io.ReadAll(io.LimitReader(rec.Body, capture.MaxBlock))
	if cerr := rec.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return capture.Stored{}, unreadable(pos, err)
	}
	c.Describe(rec)
	return c, nil
}

// Head is Read without the response.
func Head(dir string, pos capture.Position) (capture.Stored, error) {
	rec, err := open(dir, pos)
	if err != nil {
		return capture.Stored{}, err
	}
	defer rec.Leave()
	c := capture.Stored{Position: pos}
	c.Describe(rec)
	return c, nil
}

// open opens the response or revisit record at pos.
func open(dir string, pos capture.Position) (*record.Record, error) {
	n, ok := ParseName(pos.File)
	if !ok {
		return nil, fmt.Errorf("read response: %q is no archive file: %w", pos.File, os.ErrNotExist)
	}
	path := filepath.Join(dir, n.String())
	rec, err := record.ReadAt(path, pos.RecordOffset)
	if errors.Is(err, os.ErrNotExist) {
		rec, err = record.ReadAt(path+OpenSuffix, pos.RecordOffset)
	}
	if errors.Is(err, os.ErrNotExist) {
		rec, err = record.ReadAt(path, pos.RecordOffset) // finished between the two
	}
	if err != nil {
		return nil, err
	}
	if rec.Type != "response" && rec.Type != "revisit" {
		rec.Leave()
		err = fmt.Errorf("%w: a %s record where a response should be", record.ErrFormat, rec.Type)
		return nil, unreadable(pos, err)
	}
	return rec, nil
}

func unreadable(pos capture.Position, err error) error {
	return words.New("said.trouble.read-at", words.Args{
		"path": pos.File, "offset": strconv.FormatInt(pos.RecordOffset, 10), "error": err,
	})
}
