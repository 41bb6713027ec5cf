package digest

import (
	"bytes"
	"io"
	"strconv"
)

// maxChunkLine bounds a line of chunk framing, extensions included.
const maxChunkLine = 4 << 10

// unchunker takes chunk framing (RFC 9112 §7.1) off data as it comes. What
// follows the last chunk, or the first line that is not chunk framing, is
// dropped.
type unchunker struct {
	line []byte // what came of a line
	left int64  // of a chunk
	// behind says that the line ends a chunk rather than begins one.
	behind, done bool
}

func (u *unchunker) write(b []byte, w io.Writer) {
	for len(b) > 0 && !u.done {
		if u.left > 0 {
			n := min(u.left, int64(len(b)))
			w.Write(b[:n]) // to a hash, which does not fail
			u.left -= n
			b = b[n:]
			u.behind = u.left == 0
			continue
		}
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			u.line = append(u.line, b[:min(len(b), maxChunkLine+1-len(u.line))]...)
			u.done = len(u.line) > maxChunkLine
			return
		}
		u.line = append(u.line, b[:min(i, maxChunkLine+1-len(u.line))]...)
		b = b[i+1:]
		u.framing(bytes.TrimSuffix(u.line, []byte("\r")))
		u.line = u.line[:0]
	}
}

// framing takes in a line between chunks.
func (u *unchunker) framing(line []byte) {
	if u.behind {
		u.behind, u.done = false, len(line) > 0
		return
	}
	line, _, _ = bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.Trim(line, " \t")), 16, 62)
	u.left, u.done = int64(n), err != nil || n == 0 || len(line) > maxChunkLine
}
