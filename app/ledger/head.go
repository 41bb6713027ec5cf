package ledger

import "bytes"

// interimLen returns how much of a head is interim (1xx) responses, which
// readers of the archive would take for the answer.
func interimLen(head []byte) (n int) {
	for {
		rest := head[n:]
		version, status, ok := bytes.Cut(rest, []byte{' '})
		status = bytes.TrimLeft(status, " ")
		end := headEnd(rest)
		if !ok || !bytes.HasPrefix(version, []byte("HTTP/")) || len(status) == 0 || status[0] != '1' || end <= 0 ||
			end == len(rest) {
			return n // the last head is the answer, 101 too
		}
		n += end
	}
}

// headEnd returns the length of the first head in b, whose lines end with LF or
// CR LF, or -1.
func headEnd(b []byte) int {
	for i := 0; ; {
		lf := bytes.IndexByte(b[i:], '\n')
		if lf < 0 {
			return -1
		}
		i += lf + 1
		if rest := b[i:]; bytes.HasPrefix(rest, []byte("\n")) {
			return i + 1
		} else if bytes.HasPrefix(rest, []byte("\r\n")) {
			return i + 2
		}
	}
}

// plainlyChunked returns a head whose only field Transfer-Encoding is "chunked": warcio and wabac undo chunks only if
// they read that one word. The words of the server are kept under the name that pywb gives such fields.
func plainlyChunked(head []byte) []byte {
	const field = "Transfer-Encoding"
	out := make([]byte, 0, len(head)+128)
	said := false
	for line := range bytes.Lines(head) {
		name, _, _ := bytes.Cut(line, []byte{':'})
		if bytes.EqualFold(bytes.TrimRight(name, " \t"), []byte(field)) {
			if !said {
				out = append(out, field+": chunked\r\n"...)
			}
			said = true
			out = append(out, "X-Archive-Orig-"...)
		}
		out = append(out, line...)
	}
	return out
}
