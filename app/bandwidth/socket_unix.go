//go:build unix

package bandwidth

import "syscall"

// awaitReadable waits until a read from c would not block, or its read deadline
// has passed. It reads nothing.
func awaitReadable(c syscall.RawConn) error {
	return c.Read(func(fd uintptr) bool {
		var b [1]byte
		for {
			_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
			if err != syscall.EINTR {
				return err != syscall.EAGAIN && err != syscall.EWOULDBLOCK
			}
		}
	})
}
