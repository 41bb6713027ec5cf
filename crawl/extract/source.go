package extract

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract/charset"
)

const (
	// MaxEntries is how many entries of a source are read, and maxSource how
	// much text, in bytes: what the protocol of sitemaps allows (sitemaps.org).
	MaxEntries = 50_000
	maxSource  = 50 << 20
	// maxRatio is how many times longer than itself compressed text may become,
	// beyond the first freeRatio bytes. Sitemaps reach 40, bombs 1,000.
	maxRatio  = 200
	freeRatio = 1 << 20
	// sourceBuffer is what is read at once, in bytes.
	sourceBuffer = 32 << 10
	// sniffed is how far LooksLikeSource looks, in bytes.
	sniffed = 16 << 10
)

// ErrLimit is returned for a source that is larger, deeper or packed more
// densely than is read; its entries up to there are good.
var ErrLimit = errors.New("more than is read of a source")

// SourceKind says in which form a source is.
type SourceKind uint8

// The forms of sources. SourceNone is anything else.
const (
	SourceNone    SourceKind = iota
	SourceSitemap            // a sitemap in XML
	SourceIndex              // an index of sitemaps
	SourceText               // a sitemap in text, a URL a line
	SourceRSS                // RSS 0.9 to 2.0
	SourceAtom               // Atom 0.3 or 1.0
)

func (k SourceKind) String() string {
	switch k {
	case SourceSitemap:
		return "sitemap"
	case SourceIndex:
		return "sitemap index"
	case SourceText:
		return "text sitemap"
	case SourceRSS:
		return "RSS feed"
	case SourceAtom:
		return "Atom feed"
	}
	return "no source"
}

// SourceEntry is an entry of a sitemap or feed.
type SourceEntry struct {
	URL crawl.URL
	// Modified is when the page is said to have changed last, in UTC; the
	// zero time if that is not said or cannot be read.
	Modified time.Time
	// Sitemap says that URL is that of a sitemap, as listed in an index.
	Sitemap bool
	// Elsewhere says that a sitemap lists a URL of another registrable domain. It counts for nothing unless
	// that site says that the sitemap speaks for it.
	Elsewhere bool
}

// Source reads a sitemap or feed and calls emit for its entries, in their
// order, repeats included, until it returns false. What form it is in is seen
// from its beginning; contentType gives the encoding and allows the form of
// text. It may be compressed with gzip. base is where it was found.
//
// A feed may link anywhere, and relative to itself. The links of a sitemap are
// absolute, and those outside its own registrable domain are marked: that is
// wider than sitemaps.org, which wants them below the sitemap's directory, so
// that one on www.example.com may list example.com, yet nobody speaks for
// other sites.
//
// The body is read as a stream, and no further than needed. At most MaxEntries
// entries, 50 MiB of text once unpacked and elements 32 deep are read; past that
// the error is ErrLimit. If the body is cut off or cannot be read, entries up
// to there are emitted and the error says why (io.ErrUnexpectedEOF). The kind is
// SourceNone for what is none of these, with an error only if reading failed.
func Source(
	base crawl.URL, contentType string, body io.Reader, emit func(SourceEntry) bool,
) (kind SourceKind, err error) {
	m, kind, err := openSource(contentType, body, sourceBuffer)
	switch {
	case err != nil || kind == SourceNone:
	case kind == SourceText:
		err = readTextSitemap(base, m.r, emit)
	default:
		err = newEntries(base, kind, m, emit).read()
	}
	if err != nil {
		return kind, fmt.Errorf("read %s: %w", kind, err)
	}
	return kind, nil
}

// LooksLikeSource reports whether Source may find entries in a body, by its type
// and its beginning. It is cheap, and false for HTML whatever is in it.
func LooksLikeSource(contentType string, body []byte) bool {
	switch mediaType, _ := charset.ParseContentType(contentType); {
	case mediaType == "application/xhtml+xml":
		return false
	case mediaType == "text/xml", mediaType == "application/xml", strings.HasSuffix(mediaType, "+xml"):
	case mediaType == "text/plain":
	case mediaType == "application/gzip", mediaType == "application/x-gzip":
	default:
		return false
	}
	_, kind, _ := openSource(contentType, bytes.NewReader(body[:min(len(body), sniffed)]), 1024)
	return kind != SourceNone
}

// openSource unpacks and decodes a source and reads up to its root element,
// which says what it is.
func openSource(contentType string, body io.Reader, buffer int) (*markup, SourceKind, error) {
	mediaType, label := charset.ParseContentType(contentType)
	r, err := unpack(body, buffer)
	if err != nil {
		return nil, SourceNone, err
	}
	if r = decodeSource(r, label, buffer); r == nil {
		return nil, SourceNone, nil
	}
	head, err := r.Peek(charset.Prescan)
	if len(head) == 0 && err != io.EOF {
		return nil, SourceNone, err
	}
	m := &markup{r: r}
	switch head = bytes.TrimLeft(head, " \t\r\n"); {
	case bytes.HasPrefix(head, []byte("<")):
		kind, err := m.readRoot()
		return m, kind, err
	case mediaType == "text/plain" && isWebURL(head):
		return m, SourceText, nil
	}
	return m, SourceNone, nil
}

// unpack undoes gzip, if that is what a body begins with, and bounds it.
func unpack(body io.Reader, buffer int) (*bufio.Reader, error) {
	packed := &meteredReader{r: body}
	r := bufio.NewReaderSize(packed, buffer)
	if head, _ := r.Peek(2); string(head) != "\x1f\x8b" {
		return bufio.NewReaderSize(&boundedReader{r: r}, buffer), nil
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return bufio.NewReaderSize(&boundedReader{r: z, packed: packed}, buffer), nil
}

// decodeSource returns a source in UTF-8 without a mark: by byte order mark, else by
// the label from the header, else as declared (RFC 7303 §3), else UTF-16 if
// it plainly is, else as UTF-8. It is nil if the encoding is one that is never read.
func decodeSource(r *bufio.Reader, label string, buffer int) *bufio.Reader {
	head, _ := r.Peek(charset.Prescan)
	rest, name := charset.SniffMark(head)
	if _, err := r.Discard(len(head) - len(rest)); err != nil {
		return nil
	}
	if name == "" {
		_, name = charset.Lookup(label)
	}
	if name == "" {
		name = charset.Readable(charset.LabelOfXML(bytes.TrimLeft(rest, " \t\r\n")))
	}
	if name == "" {
		name = charset.GuessUTF16(rest)
	}
	switch name {
	case "", charset.UTF8:
		return r
	case "replacement":
		return nil
	}
	e, _ := charset.Lookup(name)
	return bufio.NewReaderSize(e.NewDecoder().Reader(r), buffer)
}

// meteredReader counts what is read.
type meteredReader struct {
	r io.Reader
	n int64
}

func (r *meteredReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.n += int64(n)
	return n, err
}

// boundedReader fails with ErrLimit beyond maxSource bytes, or beyond maxRatio
// for one that was packed.
type boundedReader struct {
	r      io.Reader
	packed *meteredReader // nil if it was not
	n      int64
}

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.n > maxSource || r.packed != nil && r.n > freeRatio+maxRatio*r.packed.n {
		return 0, ErrLimit
	}
	n, err := r.r.Read(p[:min(int64(len(p)), maxSource+1-r.n)])
	r.n += int64(n)
	return n, err
}
