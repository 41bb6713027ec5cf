// Package record reads the records of WARC files, of any writer, compressed or not, from any place where one
// begins. What it reads is not trusted: whatever the bytes, it ends with an error, and needs little memory.
package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/forage-net/forage/assets/words"
	"github.com/klauspost/compress/gzip"
)

var (
	// ErrTorn means that the bytes end within a record, as a crash leaves them
	// or a write going on at this moment.
	ErrTorn = words.New("said.doctor.the-archive-ends-within-a-record", nil)
	// ErrFormat means that the bytes are no WARC or are damaged.
	ErrFormat = words.New("said.doctor.not-a-valid-warc-record", nil)

	errPassed = errors.New("read from a record the reader has passed")
)

// Reader reads the records of a WARC file, compressed or not, one after the
// other. It needs about 100 kB however large the records are. It is not safe
// for concurrent use.
type Reader struct {
	source *source
	raw    *bufio.Reader // over source: the bytes of the file
	gz     *gzip.Reader  // over raw, one member at a time
	text   *bufio.Reader // over gz
	in     *bufio.Reader // raw or text: what the current record is read from

	start  int64  // offset of the current record, or of the member it is in
	member bool   // within a gzip member
	shared bool   // the member holds more than one record
	single bool   // a member that does is damaged
	line   []byte // of a header
	record *Record
	err    error // sticky
}

// NewReader returns a Reader of the records in r, from the beginning of one.
func NewReader(r io.Reader) *Reader { return NewReaderAt(r, 0) }

// NewReaderAt is NewReader for bytes that begin at offset.
func NewReaderAt(r io.Reader, offset int64) *Reader {
	src := &source{r: r, n: offset}
	return &Reader{source: src, raw: bufio.NewReaderSize(src, 32<<10)}
}

// Single has a gzip member of several records taken for damaged from now on.
func (r *Reader) Single() { r.single = true }

// Next returns the next record, io.EOF at the end. It passes what was not read
// of the record before, and returns the error it meets there. Errors other
// than io.EOF wrap ErrTorn, ErrFormat or the error of the underlying reader,
// and come again with every further call.
func (r *Reader) Next() (*Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	rec, err := r.next()
	if err != nil {
		r.err = err
		if err != io.EOF {
			r.err = fmt.Errorf("record at %d: %w", r.start, err)
		}
		return nil, r.err
	}
	r.record = rec
	return rec, nil
}

func (r *Reader) next() (*Record, error) {
	if r.record != nil {
		if err := r.record.finish(); err != nil {
			return nil, err
		}
		r.record = nil
	}
	if r.member {
		r.shared = true
	} else if err := r.begin(); err != nil {
		return nil, err
	}
	rec := &Record{Offset: r.start, reader: r}
	if err := r.readHeader(rec); err != nil {
		return nil, err
	}
	rec.Body = &body{record: rec, left: rec.ContentLength}
	return rec, nil
}

// begin finds out whether a gzip member or a plain record follows.
func (r *Reader) begin() error {
	r.start = r.Offset()
	first, err := r.raw.Peek(2)
	if len(first) == 0 {
		return err // io.EOF, or the reason of the underlying reader
	}
	if bytes.HasPrefix(first, []byte("\x1f\x8b")) {
		return r.beginMember()
	}
	if first[0] == 0x1f && err != nil {
		return r.damage(err)
	}
	r.in = r.raw
	return nil
}

func (r *Reader) beginMember() error {
	if r.gz == nil {
		r.gz = new(gzip.Reader)
		r.text = bufio.NewReader(nil)
	}
	if err := r.gz.Reset(r.raw); err != nil {
		return r.damage(err)
	}
	r.gz.Multistream(false)
	r.text.Reset(r.gz)
	r.in, r.member, r.shared = r.text, true, false
	return nil
}

// Offset is how far the file has been consumed.
func (r *Reader) Offset() int64 { return r.source.n - int64(r.raw.Buffered()) }

// damage says what an error met within a record means.
func (r *Reader) damage(err error) error {
	switch {
	case errors.Is(err, ErrTorn) || errors.Is(err, ErrFormat):
		return err
	case r.source.err != nil && r.source.err != io.EOF:
		return r.source.err
	case err == io.EOF && r.member:
		// The member is whole, but the record in it is not.
		return words.Join(": ", ErrFormat, words.New("said.doctor.its-gzip-member-ends-too-early", nil))
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return ErrTorn
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// end reads the line ends that close a record, and the end of its member.
func (r *Reader) end(rec *Record) error {
	for range 2 {
		if err := r.lineEnd(); err != nil {
			return err
		}
	}
	if r.member {
		_, err := r.in.Peek(1)
		if err == nil && r.single {
			return fmt.Errorf("%w: its gzip member goes on behind it", ErrFormat)
		}
		if err == nil {
			r.shared = true
			return nil
		}
		if err != io.EOF {
			return r.damage(err)
		}
		r.member = false
		if r.shared {
			return nil
		}
	}
	rec.Length = r.Offset() - r.start
	return nil
}

// lineEnd reads CR LF, or LF alone as some tools write.
func (r *Reader) lineEnd() error {
	c, err := r.in.ReadByte()
	if err == nil && c == '\r' {
		c, err = r.in.ReadByte()
	}
	if err != nil {
		return r.damage(err)
	}
	if c != '\n' {
		return fmt.Errorf("%w: no empty lines after %d bytes of content", ErrFormat, r.record.ContentLength)
	}
	return nil
}

// ReadAt opens the record that begins at offset in the file at path. The
// caller must call Close on it.
func ReadAt(path string, offset int64) (*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	rec, err := readAt(f, offset)
	if err != nil {
		f.Close()
		return nil, words.New("said.trouble.read", words.Args{"path": path, "error": err})
	}
	return rec, nil
}

func readAt(f *os.File, offset int64) (*Record, error) {
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	rec, err := NewReaderAt(f, offset).Next()
	if err == io.EOF {
		err = ErrTorn
	}
	if err != nil {
		return nil, err
	}
	rec.file = f
	return rec, nil
}

// source counts what has been read and keeps the first error.
type source struct {
	r   io.Reader
	n   int64
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}
