package api

import (
	"errors"
	"io"
	"runtime"
	"syscall"
)

// Windows has numbers of its own for what goes wrong with sockets; its
// syscall.ECONNREFUSED and the like are never returned.
const (
	wsaeAddrInUse   = syscall.Errno(10048)
	wsaeConnReset   = syscall.Errno(10054)
	wsaeConnRefused = syscall.Errno(10061)
)

// isTaken reports whether a port could not be had because it is in use.
func isTaken(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || runtime.GOOS == "windows" && errors.Is(err, wsaeAddrInUse)
}

// isGone reports whether nobody listens any more at the other end.
func isGone(err error) bool {
	if runtime.GOOS == "windows" && (errors.Is(err, wsaeConnRefused) || errors.Is(err, wsaeConnReset)) {
		return true
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF)
}
