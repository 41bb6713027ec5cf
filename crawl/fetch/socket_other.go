//go:build !unix

package fetch

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// connRefused is WSAECONNREFUSED, which package syscall does not name.
const connRefused = syscall.Errno(10061)

// quiet reports whether the other side has neither sent anything nor closed.
// Where a socket cannot be looked into it is read for a millisecond; a byte
// that comes is lost, but then the connection is not used any more. It
// moves the read deadline.
func (s *socket) quiet() bool {
	if s.SetReadDeadline(time.Now().Add(time.Millisecond)) != nil {
		return false
	}
	var b [1]byte
	_, err := s.Read(b[:])
	return errors.Is(err, os.ErrDeadlineExceeded)
}
