// Package lines reads and sorts lines of bounded length, as those of an index, however many there are.
package lines

import (
	"bufio"
	"errors"
)

// ErrLong says that a line is longer than it may be.
var ErrLong = errors.New("the line is too long")

// Read reads a line, line end included, of at most limit bytes into buf.
// On an error it returns what was read of the line: io.EOF means that it does
// not end, ErrLong that it is longer than limit; then its end may be still
// to come.
func Read(r *bufio.Reader, buf []byte, limit int) ([]byte, error) {
	buf = buf[:0]
	for {
		part, err := r.ReadSlice('\n')
		buf = append(buf, part...)
		if len(buf) > limit {
			return buf, ErrLong
		}
		if err != bufio.ErrBufferFull {
			return buf, err
		}
	}
}
