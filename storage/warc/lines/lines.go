package warc

import (
	"bufio"
	"errors"
)

var errLongLine = errors.New("the line is too long")

// readLine reads a line, line end included, of at most limit bytes into buf.
// On an error it returns what was read of the line: io.EOF means that it does
// not end, errLongLine that it is longer than limit; then its end may be still
// to come.
func readLine(r *bufio.Reader, buf []byte, limit int) ([]byte, error) {
	buf = buf[:0]
	for {
		part, err := r.ReadSlice('\n')
		buf = append(buf, part...)
		if len(buf) > limit {
			return buf, errLongLine
		}
		if err != bufio.ErrBufferFull {
			return buf, err
		}
	}
}
