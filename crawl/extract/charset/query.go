package charset

import (
	"bytes"
	"strconv"

	"github.com/forage-net/forage/crawl"
)

// MaxLink is the longest link that may become a URL, in bytes; crawl draws the line there, too.
const MaxLink = 4 * crawl.MaxURL

// QueryEncoder writes the queries of links as a browser does: in the encoding
// of the page they are on (HTML standard, "encoding-parse a URL"; URL standard,
// "query state" and "percent-encode after encoding"). All else of a URL is
// UTF-8. The zero value is that of a page in UTF-8.
type QueryEncoder struct {
	charset string // "" for UTF-8
	// out is for the link, bytes for a character of it.
	out, bytes []byte
}

// Reset chooses the encoding of the page, by its name.
func (q *QueryEncoder) Reset(name string) { q.charset = outputCharset(name) }

// Encode returns a link with the letters of its query percent-encoded, and
// without its fragment. It returns link itself if there is nothing to encode.
// The result is good until the next call.
func (q *QueryEncoder) Encode(link []byte) []byte {
	if q.charset == "" {
		return link // most pages
	}
	return q.encodeQuery(link)
}

func (q *QueryEncoder) encodeQuery(link []byte) []byte {
	start := bytes.IndexByte(link, '?') + 1
	if start == 0 || len(link) > MaxLink || IsASCII(link[start:]) && !bytes.ContainsAny(link[start:], "\x0e\x0f\x1b") {
		return link
	}
	text := bytes.TrimRightFunc(link, func(c rune) bool { return c <= ' ' }) // as parsing a URL begins
	text, _, _ = bytes.Cut(text, []byte("#"))
	if len(text) <= start {
		return link
	}
	e := encoderOf(q.charset)
	if e == nil {
		return link
	}
	q.out = append(q.out[:0], text[:start]...)
	for _, r := range string(text[start:]) {
		if r == '\t' || r == '\n' || r == '\r' {
			continue // no part of a URL
		}
		q.character(e, r)
	}
	q.flush(e.finish(q.bytes))
	return q.out
}

// character appends one, or its number as a form would send it where the
// encoding lacks it.
func (q *QueryEncoder) character(e encoder, r rune) {
	bytes, missing, ok := e.encode(q.bytes, r)
	q.flush(bytes)
	if !ok {
		q.out = append(q.out, "%26%23"...)
		q.out = strconv.AppendInt(q.out, int64(missing), 10)
		q.out = append(q.out, "%3B"...)
	}
}

// flush appends bytes, those percent-encoded that may not stand in a query
// (URL standard, "special-query percent-encode set").
func (q *QueryEncoder) flush(text []byte) {
	const hex = "0123456789ABCDEF"
	for _, c := range text {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '#' || c == '\'' || c == '<' || c == '>' {
			q.out = append(q.out, '%', hex[c>>4], hex[c&15])
		} else {
			q.out = append(q.out, c)
		}
	}
	q.bytes = text[:0]
}
