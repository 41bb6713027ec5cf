package api

import (
	"errors"
	"io"
	"runtime"
	"syscall"
)

// Windows returns these in place of syscall.ECONNREFUSED and the like.
const (
	wsaeConnReset   = syscall.Errno(10054)
	wsaeConnRefused = syscall.Errno(10061)
)

// isGone reports whether nobody listens any more at the other end.
func isGone(err error) bool {
	if runtime.GOOS == "windows" && (errors.Is(err, wsaeConnRefused) || errors.Is(err, wsaeConnReset)) {
		return true
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF)
}
