package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// Recovery is what Open has done to a file that was left unfinished.
type Recovery struct {
	// File is the name as in Position.
	File string
	// Cut is how many bytes were cut off because no complete capture could be
	// read from there on.
	Cut int64
	// Aside is where the bytes that were cut off were copied to: damage was
	// followed by captures that are whole. Usually it is "".
	Aside string
	// IndexLines is how many lines the index lacked.
	IndexLines int
	// Err says why the file could not be recovered; it is left as it was, and
	// Scan still reads what is complete in it.
	Err error
}

// recoverAll recovers the unfinished files. The newest is written to again if
// there is room in it; the others are finished.
func (a *Archive) recoverAll(files []file) {
	for i, f := range files {
		if !f.open {
			continue
		}
		r := Recovery{File: f.String()}
		s, err := recoverFile(f, &r)
		if a.current = s; s != nil && (i < len(files)-1 || s.size >= a.config.MaxSize) {
			err = a.finish()
		}
		if err != nil {
			r.Err = fmt.Errorf("recover %s: %w", f.path(), err)
		}
		a.recovered = append(a.recovered, r)
	}
}

// recoverFile cuts a file behind its last complete capture and makes its index
// agree. It returns nil if the file held no capture and was removed.
func recoverFile(f file, r *Recovery) (*segment, error) {
	end, err := repair(f, r)
	if err != nil {
		return nil, err
	}
	if end == 0 {
		return nil, errors.Join(os.Remove(f.path()), os.Remove(f.indexPath()))
	}
	return openSegment(f)
}

// repair does the work of recoverFile on the two files. It returns where the
// last complete capture ends, 0 if there is none. Every record is read: after a
// power loss the part that was not synced may have holes anywhere.
func repair(f file, r *Recovery) (end int64, err error) {
	index, err := os.OpenFile(f.indexPath(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer index.Close() // it is synced when the file is finished
	warc, err := os.OpenFile(f.path(), os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	defer warc.Close()
	g := groups{reader: NewReader(warc), file: f.String(), keep: maxHead}
	fix := indexRepair{file: index, lines: bufio.NewReader(index)}
	if end, err = fix.captures(&g); err != nil {
		return 0, err
	}
	length, err := size(warc)
	if err != nil {
		return 0, err
	}
	if fix.knowsBeyond(f, end) {
		if r.Aside, err = setAside(f, warc, end); err != nil {
			return 0, err
		}
	}
	if r.Cut, r.IndexLines = length-end, fix.added; r.Cut > 0 {
		err = warc.Truncate(end)
	}
	return end, errors.Join(err, fix.finish())
}

// setAside copies the part of a file from offset on to a file of its own.
func setAside(f file, warc *os.File, offset int64) (path string, err error) {
	if _, err := warc.Seek(offset, io.SeekStart); err != nil {
		return "", err
	}
	path = f.finished() + damagedSuffix
	out, err := os.Create(path + tempSuffix)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(out, warc); err != nil {
		out.Close()
		os.Remove(out.Name())
		return "", err
	}
	return path, replace(out, path)
}

// indexRepair goes through an index beside the captures it should tell of. Up
// to the first line that is missing or wrong it only reads.
type indexRepair struct {
	file   *os.File
	lines  *bufio.Reader
	line   []byte
	good   int64         // bytes of lines that are right
	writer *bufio.Writer // not nil behind the first that is not
	added  int
}

// captures reads all captures of a file, keeps the lines of the index as far as
// they tell of these, and writes the others anew. It returns where the last
// complete capture ends, 0 if there is none.
func (x *indexRepair) captures(g *groups) (end int64, err error) {
	for {
		var c StoredCapture
		err := g.next(&c)
		if err == io.EOF || errors.Is(err, ErrTorn) || errors.Is(err, ErrFormat) {
			return end, nil
		}
		if err == nil {
			err = x.capture(&c)
		}
		if err != nil {
			return 0, err
		}
		end = c.Position.Next().Offset
	}
}

// knowsBeyond reports whether the index tells of a record behind end that is
// whole.
func (x *indexRepair) knowsBeyond(f file, end int64) bool {
	for x.writer == nil {
		line, err := readLine(x.lines, x.line, maxLine)
		x.line = line
		if err != nil {
			return false
		}
		offset, ok := lineOffset(line)
		if !ok || offset < end {
			continue
		}
		if rec, err := ReadAt(f.path(), offset); err == nil && rec.Close() == nil {
			return true
		}
	}
	return false
}

func (x *indexRepair) capture(c *StoredCapture) error {
	if x.writer == nil {
		line, err := readLine(x.lines, x.line, maxLine)
		x.line = line
		offset, ok := lineOffset(line)
		if err == nil && ok && offset == c.Position.RecordOffset {
			x.good += int64(len(line))
			return nil
		}
		if err := x.beginWriting(); err != nil {
			return err
		}
	}
	x.added++
	_, err := x.writer.Write(indexLine(c))
	return err
}

func (x *indexRepair) beginWriting() error {
	if err := x.file.Truncate(x.good); err != nil {
		return err
	}
	if _, err := x.file.Seek(x.good, io.SeekStart); err != nil {
		return err
	}
	x.writer = bufio.NewWriter(x.file)
	return nil
}

// finish removes lines of captures that are not there.
func (x *indexRepair) finish() error {
	if x.writer == nil {
		return x.file.Truncate(x.good)
	}
	return x.writer.Flush()
}

// indexLine returns the line for a capture read from its records, which is the
// one Append wrote if Status and MIME were what the response's head states.
func indexLine(c *StoredCapture) []byte {
	e := entry{
		url:    string(appendURL(nil, c.URL)),
		date:   c.Date,
		mime:   c.MIME,
		status: c.Status,
		digest: c.PayloadDigest,
	}
	if c.Revisit != nil {
		e.mime = "warc/revisit"
	}
	return appendPlace(appendEntry(nil, e), c.Position)
}
