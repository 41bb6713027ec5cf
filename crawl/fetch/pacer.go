package fetch

import (
	"net"
	"syscall"
	"time"
)

// Pacer holds connections to sites to rates that it knows.
type Pacer interface {
	// Prepare is called with a socket that is about to connect to an address that
	// is allowed.
	Prepare(syscall.RawConn)
	// Wrap returns the connection that is used in place of a new one, below TLS.
	// The new one is a syscall.Conn, and its errors are to be passed on. What Wrap
	// returns may have a method Held() time.Duration, which says how long its
	// reads and writes have been held back in all: that time is not held against
	// the site.
	Wrap(net.Conn) net.Conn
}

// held returns how long the connection was held back in all.
func (s *socket) held() time.Duration {
	if h, ok := s.Conn.(interface{ Held() time.Duration }); ok {
		return h.Held()
	}
	return 0
}
