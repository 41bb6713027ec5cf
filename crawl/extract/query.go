package extract

import (
	"bytes"
	"strconv"
)

// queryEncoder writes the queries of links as a browser does: in the encoding
// of the page they are on (HTML standard, "encoding-parse a URL"; URL standard,
// "query state" and "percent-encode after encoding"). All else of a URL is
// UTF-8. The zero value is that of a page in UTF-8.
type queryEncoder struct {
	// charset is the encoding of the page, "" for UTF-8.
	charset string
	// out is for the link, bytes for a character of it.
	out, bytes []byte
}

// encode returns a link with the letters of its query percent-encoded, and
// without its fragment. It returns link itself if there is nothing to encode.
// The result is good until the next call.
func (q *queryEncoder) encode(link []byte) []byte {
	if q.charset == "" {
		return link // most pages
	}
	return q.encodeQuery(link)
}

func (q *queryEncoder) encodeQuery(link []byte) []byte {
	start := bytes.IndexByte(link, '?') + 1
	if start == 0 || len(link) > maxRef || isASCII(link[start:]) && !bytes.ContainsAny(link[start:], "\x0e\x0f\x1b") {
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
func (q *queryEncoder) character(e encoder, r rune) {
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
func (q *queryEncoder) flush(text []byte) {
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
