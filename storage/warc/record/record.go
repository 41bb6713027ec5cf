package record

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/warc/lines"
)

const (
	// magic is what all versions of the format begin with.
	magic = "WARC/"
	// maxHeader is the longest record header in bytes that Reader takes.
	maxHeader = 64 << 10
	// maxHeaderFields is the most lines of a record header after the first.
	maxHeaderFields = 256
)

// Record is a record being read. It is valid until the next call of Next.
type Record struct {
	// Version is "WARC/1.0" or "WARC/1.1".
	Version string
	// Type is the WARC-Type: "response", "request" and so on.
	Type string
	// Header is the record's header, in order, ContentLength and Type included.
	Header Header
	// Offset is where the record begins in the file in bytes; for a record
	// that shares a gzip member with others it is where the member begins.
	Offset int64
	// Length is the length of the record in the file in bytes, line ends and
	// compression included. It is known when the reader has passed the record
	// and stays 0 for a record that shares a gzip member.
	Length int64
	// ContentLength is the length of the block in bytes.
	ContentLength int64
	// Body reads the block. Its errors are those of Next.
	Body io.Reader

	reader *Reader
	passed bool
	file   *os.File // for ReadAt
}

// Close reads the record to its end, so that damage shows and Length is known,
// and closes the file that ReadAt opened.
func (rec *Record) Close() error {
	err := rec.finish()
	if rec.file != nil {
		rec.file.Close() // was only read
	}
	return err
}

// Leave closes the file that ReadAt opened. What is left of the record is not looked at.
func (rec *Record) Leave() { rec.file.Close() }

// finish passes the rest of the record.
func (rec *Record) finish() error {
	if rec.passed {
		return nil
	}
	if _, err := io.Copy(io.Discard, rec.Body); err != nil {
		return err
	}
	rec.passed = true
	return rec.reader.end(rec)
}

// body reads at most left bytes of a record's block.
type body struct {
	record *Record
	left   int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if b.record.passed {
		return 0, errPassed
	}
	n, err := b.record.reader.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && b.left > 0 {
		return n, b.record.reader.damage(err)
	}
	return n, nil
}

// Header is the header of a record in order.
type Header []Field

// Field is a line of a record's header.
type Field struct{ Name, Value string }

// Get returns the first value of a field, whatever the case of its name; ""
// if there is none.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// URI returns the WARC-Target-URI, without the angle brackets that some
// WARC/1.0 files have.
func (h Header) URI() string { return Bare(h.Get("WARC-Target-URI")) }

// Bare removes the angle brackets around a URI.
func Bare(s string) string {
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && len(s) > 1 {
		return s[1 : len(s)-1]
	}
	return s
}

// errVersion does not say what is there instead: the file may be another than its user meant, a key for instance.
var errVersion = words.Join(": ", ErrFormat, words.New("said.doctor.it-should-begin-with-warc", nil))

// readHeader reads everything before the block.
func (r *Reader) readHeader(rec *Record) error {
	left := maxHeader
	version, err := r.headerLine(&left)
	if err == ErrTorn && !strings.HasPrefix(string(version), magic) && !strings.HasPrefix(magic, string(version)) {
		return errVersion
	}
	if err != nil {
		return err
	}
	rec.Version = string(version)
	if rec.Version != "WARC/1.0" && rec.Version != "WARC/1.1" {
		return errVersion
	}
	for range maxHeaderFields + 1 {
		line, err := r.headerLine(&left)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			return rec.readFields()
		}
		if err := rec.addLine(line); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: more than %d header lines", ErrFormat, maxHeaderFields)
}

// headerLine returns a line without its end, valid until the next read, and
// takes its length from left. With ErrTorn it returns what there is of the line.
func (r *Reader) headerLine(left *int) ([]byte, error) {
	line, err := lines.Read(r.in, r.line, *left)
	if err == lines.ErrLong {
		return nil, fmt.Errorf("%w: its header is longer than %d bytes", ErrFormat, maxHeader)
	}
	r.line = line
	if err != nil {
		return line, r.damage(err)
	}
	*left -= len(line)
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}

// addLine adds a field, or continues the one before.
func (rec *Record) addLine(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		if len(rec.Header) == 0 {
			return fmt.Errorf("%w: its header begins with a continued line", ErrFormat)
		}
		last := &rec.Header[len(rec.Header)-1]
		last.Value += " " + string(bytes.TrimSpace(line))
		return nil
	}
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || len(name) == 0 {
		return fmt.Errorf("%w: a header line without a name", ErrFormat)
	}
	rec.Header = append(rec.Header, Field{string(bytes.TrimSpace(name)), string(bytes.TrimSpace(value))})
	return nil
}

// readFields sets what the header says about the record.
func (rec *Record) readFields() error {
	rec.Type = rec.Header.Get("WARC-Type")
	if rec.Type == "" {
		return fmt.Errorf("%w: no WARC-Type", ErrFormat)
	}
	length := rec.Header.Get("Content-Length")
	for _, f := range rec.Header {
		if strings.EqualFold(f.Name, "Content-Length") && f.Value != length {
			return fmt.Errorf("%w: two values of Content-Length", ErrFormat)
		}
	}
	n, err := strconv.ParseUint(length, 10, 62)
	if err != nil {
		return words.Join(": ", ErrFormat, words.New("said.doctor.its-content-length-should-be", nil))
	}
	rec.ContentLength = int64(n)
	return nil
}
