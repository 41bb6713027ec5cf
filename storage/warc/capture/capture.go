// Package capture says what a capture is, and writes and reads it as WARC records: one exchange with a server. The
// request comes first, then the response or revisit, then metadata if there is any; request and metadata point to the
// response. Reader brings these together again, whoever wrote the file. It knows of no files and no index.
package capture

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/forage-net/forage/storage/warc/record"
)

const (
	// MaxBlock is the longest request or response in bytes that is written or
	// read. It bounds the memory of one capture.
	MaxBlock = 16 << 20
	// MaxMetadata is the longest metadata block in bytes.
	MaxMetadata = 1 << 20
	// MaxURL is the longest URL in bytes. Every byte may become three when
	// escaped, and two URLs must fit into one record header of 64 KiB.
	MaxURL = 8 << 10
	// MaxHead is how many bytes of a response are searched for the end of its head.
	MaxHead = 64 << 10
)

// ErrRefused is returned for a capture that cannot be archived, whatever the
// state of the disk: one without URL or response, or beyond MaxURL, MaxBlock or
// MaxMetadata.
var ErrRefused = errors.New("not a capture that can be archived")

// Capture is one exchange with a server.
type Capture struct {
	// URL is what was requested. Spaces, control characters and bytes outside
	// ASCII are stored percent-encoded, and angle brackets around it are left out.
	URL string
	// Date is when the request was sent. It is stored in microseconds.
	Date time.Time
	// IP is the address the connection was made to, "" if unknown. What is no
	// IP address is left out.
	IP string
	// Request is the request as it went over the wire; empty means no request
	// record.
	Request []byte
	// Response is the response as it came over the wire, beginning with the
	// status line of the final response: interim (1xx) responses before it
	// would be taken for the answer by other tools.
	Response []byte
	// HeadLen is the length of the response's head, including the empty line.
	HeadLen int
	// PayloadDigest is the SHA-1 of the body without chunk framing, still in
	// its Content-Encoding; the zero value if there is none.
	PayloadDigest [20]byte
	// MIME is the media type the response's head states. It goes into the
	// index only; "" means that it is looked up in Response.
	MIME string
	// Status is the status code of Response, for the index; 0 means that it is
	// looked up in Response.
	Status int
	// Truncated says why Response is not all there was: length, time,
	// disconnect or unspecified. It is "" for a complete response.
	Truncated string
	// Revisit names the capture that has the same payload. If it is not nil,
	// only the first HeadLen bytes of Response are stored, and PayloadDigest is
	// that of the capture it names.
	Revisit *Refers
	// NoIndex says that the page asks to be kept out of indexes. It does not
	// pass from a capture to its revisits: what a revisit was answered with
	// decides for that revisit.
	NoIndex bool
	// Metadata are names and values of the metadata record; without any there
	// is no such record. Line breaks in them become spaces.
	Metadata [][2]string
	// Compressed says that the body has a compressing Content-Encoding, so
	// that deflating it again is pointless.
	Compressed bool
}

// Refers names an earlier capture by its URL and exact date. It should be one
// whose payload is stored, not itself a revisit.
type Refers struct {
	URL  string
	Date time.Time
	// NotModified says that the server was asked whether the capture is still
	// good and answered 304: the profile of WARC 1.1 §6.7.3. Otherwise the
	// payload came again and has the same digest, the profile of §6.7.2.
	NotModified bool
}

// Position says where in the archive a capture is.
type Position struct {
	// File is the name the file has when it is finished, without directory
	// and without ".open".
	File string
	// Offset and Length are those of the whole capture in bytes.
	Offset, Length int64
	// RecordOffset and RecordLength are those of its response or revisit
	// record.
	RecordOffset, RecordLength int64
}

// Next returns the position behind the capture, where the one that follows begins.
func (p Position) Next() Position { return Position{File: p.File, Offset: p.Offset + p.Length} }

// Key tells captures apart by URL and date: it is long enough for no two to have the same.
type Key [12]byte

// Key returns the key of a capture.
func (c *Capture) Key() Key { return keyOf(c.URL, c.Date) }

// Key returns the key of the capture that is named.
func (r *Refers) Key() Key { return keyOf(r.URL, r.Date) }

func keyOf(url string, date time.Time) Key {
	sum := sha1.Sum(strconv.AppendInt(append([]byte(url), 0), date.UnixMicro(), 10))
	return Key(sum[:12])
}

// Check returns ErrRefused, with the reason, for a capture that cannot be archived.
func (c *Capture) Check() error {
	switch {
	case record.Bare(c.URL) == "" || len(c.URL) > MaxURL:
		return fmt.Errorf("%w: its URL has %d bytes", ErrRefused, len(c.URL))
	case len(c.Response) == 0 || len(c.Response) > MaxBlock:
		return fmt.Errorf("%w: its response has %d bytes", ErrRefused, len(c.Response))
	case len(c.Request) > MaxBlock:
		return fmt.Errorf("%w: its request has %d bytes", ErrRefused, len(c.Request))
	case c.HeadLen < 0 || c.HeadLen > len(c.Response):
		return fmt.Errorf("%w: a head of %d bytes in a response of %d", ErrRefused, c.HeadLen, len(c.Response))
	case c.Revisit != nil && c.HeadLen == 0:
		return fmt.Errorf("%w: a revisit without head", ErrRefused)
	case c.Revisit != nil && (c.Revisit.URL == "" || len(c.Revisit.URL) > MaxURL):
		return fmt.Errorf("%w: it refers to a URL of %d bytes", ErrRefused, len(c.Revisit.URL))
	case c.Revisit != nil && c.Revisit.NotModified && c.status() != 304:
		return fmt.Errorf("%w: not modified, with status %d", ErrRefused, c.status())
	case !validTruncated(c.Truncated):
		return fmt.Errorf("%w: truncated for %q", ErrRefused, c.Truncated)
	case c.Date.UTC().Year() > 9999 || c.Date.UTC().Year() < 0:
		return fmt.Errorf("%w: its date has no four-digit year", ErrRefused)
	}
	n := 0
	for _, f := range c.Metadata {
		n += len(f[0]) + len(f[1]) + len(": \r\n")
	}
	if n > MaxMetadata {
		return fmt.Errorf("%w: its metadata has %d bytes", ErrRefused, n)
	}
	return nil
}

// status returns Status, or what the head says if that is 0.
func (c *Capture) status() int {
	if c.Status != 0 {
		return c.Status
	}
	return parseHead(c.Response[:c.HeadLen]).status
}

func validTruncated(s string) bool {
	switch s {
	case "", "length", "time", "disconnect", "unspecified":
		return true
	}
	return false
}
