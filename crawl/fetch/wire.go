package fetch

import (
	"errors"
	"net"
	"syscall"
)

// errNotAllowed is returned by a write that wire.allowed forbids.
var errNotAllowed = errors.New("no longer allowed")

// wire is a connection as it was opened, below the Pacer: what has waited for
// that is judged once more before it is sent.
type wire struct {
	net.Conn
	// allowed is asked before each write, nil where all may be written. It is
	// set by the goroutine that writes.
	allowed func() bool
}

// Write implements net.Conn.
func (w *wire) Write(p []byte) (int, error) {
	if w.allowed != nil && !w.allowed() {
		return 0, errNotAllowed
	}
	return w.Conn.Write(p)
}

// SyscallConn implements syscall.Conn, for Pacers that set up the socket.
func (w *wire) SyscallConn() (syscall.RawConn, error) {
	if c, ok := w.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}
