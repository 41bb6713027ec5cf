//go:build !unix

package bandwidth

import "syscall"

// awaitReadable waits until a read from c would not block, or its read deadline
// has passed. It reads nothing: the runtime asks for readiness, which does not
// depend on what happened before.
func awaitReadable(c syscall.RawConn) error {
	asked := false
	return c.Read(func(uintptr) bool {
		if asked {
			return true
		}
		asked = true
		return false
	})
}
