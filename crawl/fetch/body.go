package fetch

import (
	"bytes"
	"math"
	"strings"

	"github.com/forage-net/forage/crawl/fetch/content"
)

// framing is how a body says where it ends (RFC 9112 §6).
type framing uint8

const (
	noBody  framing = iota // by status: 1xx, 204, 304
	byCount                // Content-Length
	byChunk                // Transfer-Encoding: chunked
	byClose                // with the connection
)

// body takes a body apart as it comes. It works on the capture, which may
// move as it grows, so it holds offsets.
type body struct {
	framing framing
	// left is what is missing of a counted body, or of a chunk.
	left int64
	// pos is how far the capture was taken in.
	pos int
	// done means that the body is complete.
	done  bool
	state chunkState
	line  int // where the current line of chunk framing begins

	// The payload of most bodies is one piece of the capture. Only when a
	// second chunk begins it is copied to joined.
	start, end int
	joined     *[]byte
	pools      *content.Pools
}

type chunkState uint8

const (
	chunkSize chunkState = iota
	chunkData
	chunkEnd // the line end after the data
	trailers
)

// maxChunkLine bounds a line of chunk framing, extensions included.
const maxChunkLine = 4 << 10

// newBody decides how the body after a head is framed, which begins at pos. keep says whether the connection
// can be used again after a complete body, as far as the head says. The error is for heads whose meaning
// differs from reader to reader.
func newBody(h head, pos int, p *content.Pools) (b body, keep bool, err *Error) {
	b = body{pos: pos, line: pos, start: pos, end: pos, pools: p}
	connection := h.header["Connection"]
	keep = h.minor > 0 && !listed(connection, "close") || h.minor == 0 && listed(connection, "keep-alive")
	coding, lengths := h.header["Transfer-Encoding"], h.header["Content-Length"]
	switch {
	case h.status < 200 || h.status == 204 || h.status == 304:
		b.framing, b.done = noBody, true
		return b, keep && h.status >= 200, nil
	case coding != nil && h.minor > 0 && listed(coding, "chunked"): // wherever in the list, like in browsers
		b.framing = byChunk
		// Both together is how responses are smuggled past proxies.
		return b, keep && lengths == nil, nil
	case coding == nil && lengths != nil:
		n, ok, same := contentLength(lengths)
		if !same {
			return b, false, &Error{Kind: KindNotHTTP, Detail: "contradictory lengths"}
		}
		if ok {
			b.framing, b.left, b.done = byCount, n, n == 0
			return b, keep, nil
		}
	}
	b.framing = byClose
	return b, false, nil
}

// contentLength reads the values of Content-Length. ok is false if they are
// no number, same is false if they are several.
func contentLength(values []string) (n int64, ok, same bool) {
	first := ""
	for i, v := range values {
		for j, e := range strings.Split(v, ",") {
			e = strings.Trim(e, " \t")
			if i == 0 && j == 0 {
				first = e
			} else if e != first {
				return 0, false, false
			}
		}
	}
	for i := range len(first) {
		if !isDigit(first[i]) {
			return 0, false, true
		}
		if n > (math.MaxInt64-9)/10 {
			n = (math.MaxInt64 - 9) / 10 // whatever; no limit is near it
		}
		n = n*10 + int64(first[i]-'0')
	}
	return n, first != "", true
}

// take takes in what is new in the capture. It reports false if the framing
// is broken, so that nothing that follows can be understood.
func (b *body) take(capture []byte) bool {
	for !b.done && b.pos < len(capture) {
		rest := capture[b.pos:]
		switch {
		case b.framing == byClose:
			b.add(capture, len(rest))
		case b.framing == byCount:
			b.take1(capture)
			b.done = b.left == 0
		case b.state == chunkData:
			b.take1(capture)
			if b.left == 0 {
				b.state, b.line = chunkEnd, b.pos
			}
		default:
			lf := bytes.IndexByte(rest, '\n')
			if lf < 0 {
				b.pos = len(capture)
				return b.state == trailers || b.pos-b.line <= maxChunkLine
			}
			b.pos += lf + 1
			line := bytes.TrimSuffix(capture[b.line:b.pos-1], []byte("\r"))
			b.line = b.pos
			if !b.framingLine(line) {
				return false
			}
		}
	}
	return true
}

// take1 takes in data of which left bytes are to come.
func (b *body) take1(capture []byte) {
	n := int(min(b.left, int64(len(capture)-b.pos)))
	b.left -= int64(n)
	b.add(capture, n)
}

// add appends the next n bytes of the capture to the payload.
func (b *body) add(capture []byte, n int) {
	switch {
	case b.joined != nil:
		*b.joined = append(*b.joined, capture[b.pos:b.pos+n]...)
	case b.start == b.end:
		b.start, b.end = b.pos, b.pos+n
	case b.end == b.pos:
		b.end += n
	default:
		b.joined = b.pools.Buffer()
		*b.joined = append(*b.joined, capture[b.start:b.end]...)
		*b.joined = append(*b.joined, capture[b.pos:b.pos+n]...)
	}
	b.pos += n
}

// framingLine takes in a line between chunks.
func (b *body) framingLine(line []byte) bool {
	switch b.state {
	case chunkSize:
		n, ok := parseChunkSize(line)
		if !ok {
			return false
		}
		b.left, b.state = n, chunkData
		if n == 0 {
			b.state = trailers
		}
	case chunkEnd:
		b.state = chunkSize
		return len(line) == 0
	case trailers:
		b.done = len(line) == 0
	}
	return true
}

// parseChunkSize reads "1a2b ; extension".
func parseChunkSize(line []byte) (n int64, ok bool) {
	line, _, _ = bytes.Cut(line, []byte(";"))
	line = bytes.Trim(line, " \t")
	if len(line) == 0 || len(line) > 16 {
		return 0, false
	}
	for _, c := range line {
		var digit byte
		switch {
		case isDigit(c):
			digit = c - '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			digit = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		if n >= 1<<58 {
			return 0, false
		}
		n = n<<4 | int64(digit)
	}
	return n, true
}

// size returns the length of the payload so far.
func (b *body) size() int {
	if b.joined != nil {
		return len(*b.joined)
	}
	return b.end - b.start
}

// payload returns the payload so far, part of the capture where possible.
func (b *body) payload(capture []byte) []byte {
	if b.joined != nil {
		return *b.joined
	}
	return capture[b.start:b.end:b.end]
}
