//go:build unix

package fetch

import "syscall"

const connRefused = syscall.ECONNREFUSED

// quiet reports whether the other side has neither sent anything nor closed.
// It looks without reading: whatever is there belongs to no request of ours.
// The read deadline must lie ahead. A simulated connection has nothing to look
// into; one that was closed fails when it is used.
func (s *socket) quiet() bool {
	if s.tcp == nil {
		return true
	}
	raw, err := s.tcp.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
		quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
		return true
	})
	return err == nil && quiet
}
