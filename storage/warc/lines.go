package warc

import (
	"bufio"
	"errors"
)

var errLongLine = errors.New("the line is too long")

// readLine reads a line, line end included, of at most limit bytes into buf.
// On an error it returns what was read of the line: io.EOF means that it does
// not end.
func readLine(r *bufio.Reader, buf []byte, limit int) ([]byte, error) {
	buf = buf[:0]
	for {
		part, err := r.ReadSlice('\n')
		if len(buf)+len(part) > limit {
			return buf, errLongLine
		}
		buf = append(buf, part...)
		if err != bufio.ErrBufferFull {
			return buf, err
		}
	}
}
