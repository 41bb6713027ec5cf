package wacz

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Entry is what the index says of a capture: where the record is that a reader
// who asks for a URL is to be given.
type Entry struct {
	// URL is canonical and printable ASCII.
	URL string
	// Date is told in milliseconds, as precisely as readers know dates.
	Date time.Time
	// MIME is a media type without parameters, "warc/revisit" for a revisit.
	MIME   string
	Status int
	// Digest is that of the payload, with the name of its algorithm; "" if it
	// is not known.
	Digest string
	// File is the name of an archive file. Offset and Length are those of the
	// record in it in bytes.
	File           string
	Offset, Length int64
}

const secondLayout = "20060102150405"

// appendStamp appends CDXJ's timestamp: 14 digits, then 3 for the milliseconds.
// Without these, a reader that looks for the original of a revisit, which is
// named with fractions of a second, takes a later capture for it.
func appendStamp(b []byte, t time.Time) []byte {
	b = t.UTC().AppendFormat(b, secondLayout)
	ms := t.Nanosecond() / int(time.Millisecond)
	return append(b, byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
}

// appendLine appends the line of an entry, line end included.
func appendLine(b []byte, e Entry) ([]byte, error) {
	b = appendKey(b, e.URL)
	b = append(b, ' ')
	b = appendStamp(b, e.Date)
	b = append(b, ' ')
	return appendJSON(b, struct {
		URL      string `json:"url"`
		MIME     string `json:"mime"`
		Status   string `json:"status"`
		Digest   string `json:"digest,omitempty"`
		Length   int64  `json:"length,string"`
		Offset   int64  `json:"offset,string"`
		Filename string `json:"filename"`
	}{e.URL, e.MIME, status(e.Status), e.Digest, e.Length, e.Offset, e.File})
}

func status(code int) string {
	if code < 100 || code > 999 {
		return "-"
	}
	return strconv.Itoa(code)
}

// appendJSON appends a value in one line, line end included.
func appendJSON(b []byte, value any) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return buf.Bytes(), err
}

const (
	// blockLines is how many lines a block of the index has, as with other
	// writers: a reader fetches and keeps whole blocks. Halved, the list of
	// blocks, which it reads when it opens the package, is twice as long.
	blockLines = 1024
	// blockBytes bounds a block of long lines.
	blockBytes = 1 << 20
)

// blocks writes sorted index lines, one with each Write, in blocks that can be
// read one by one: each a gzip member of its own, and a line about it in
// another file (ZipNum).
type blocks struct {
	out, list io.Writer
	file      string // name of out

	text   []byte // of the current block
	lines  int
	packed bytes.Buffer
	gzip   *gzip.Writer
	offset int64
}

// newBlocks begins the list, which names the file that out is written to.
func newBlocks(out, list io.Writer, file string) (*blocks, error) {
	_, err := fmt.Fprintf(list, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": %q}\n", file)
	return &blocks{out: out, list: list, file: file, gzip: gzip.NewWriter(nil)}, err
}

func (k *blocks) Write(line []byte) (int, error) {
	if k.lines == blockLines || k.lines > 0 && len(k.text)+len(line) > blockBytes {
		if err := k.flush(); err != nil {
			return 0, err
		}
	}
	k.text = append(k.text, line...)
	k.lines++
	return len(line), nil
}

// flush ends a block. There must be lines in it.
func (k *blocks) flush() error {
	k.packed.Reset()
	k.gzip.Reset(&k.packed)
	k.gzip.Write(k.text) // to memory, which does not fail
	k.gzip.Close()
	if _, err := k.out.Write(k.packed.Bytes()); err != nil {
		return err
	}
	subject := k.text[:bytes.Index(k.text, []byte(" {"))+1] // there is no space in a key
	entry, err := appendJSON(bytes.Clone(subject), struct {
		Offset   int64  `json:"offset"`
		Length   int    `json:"length"`
		Digest   string `json:"digest"`
		Filename string `json:"filename"`
	}{k.offset, k.packed.Len(), digest(sha256.Sum256(k.packed.Bytes())), k.file})
	if err != nil {
		return err
	}
	k.offset += int64(k.packed.Len())
	k.text, k.lines = k.text[:0], 0
	_, err = k.list.Write(entry)
	return err
}

func digest(sum [sha256.Size]byte) string { return fmt.Sprintf("sha256:%x", sum) }
