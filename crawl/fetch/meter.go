package fetch

import (
	"net"
	"sync/atomic"
)

// Meter counts what a client moves: every byte its sockets read and write,
// below TLS, and every socket it has open. What the kernel adds (IP and TCP
// headers, retransmissions) is not seen from here, and neither are DNS
// look-ups: the system's resolver does those on sockets of its own. The zero
// value works. Several clients may share one.
type Meter struct {
	sent, received atomic.Int64
	sockets        atomic.Int64
}

// Sent returns the number of bytes written to sockets.
func (m *Meter) Sent() int64 { return m.sent.Load() }

// Received returns the number of bytes read from sockets.
func (m *Meter) Received() int64 { return m.received.Load() }

// Sockets returns the number of sockets open or being connected.
func (m *Meter) Sockets() int { return int(m.sockets.Load()) }

// socket is a metered connection. Like the exchange it serves it is used
// by one goroutine at a time; only Close and deadlines may come from others.
type socket struct {
	net.Conn                    // of the interface's methods only: no way around the counters
	wire           *wire        // what is below the Pacer
	tcp            *net.TCPConn // what is below that, nil in a simulation
	meter          *Meter
	sent, received int64
	closed         atomic.Bool
}

// newSocket returns c as p wants it, or as it is without one, and metered.
func newSocket(c net.Conn, p Pacer, m *Meter) *socket {
	w := &wire{Conn: c}
	s := &socket{Conn: w, wire: w, meter: m}
	if p != nil {
		s.Conn = p.Wrap(w)
	}
	return s
}

// Read implements net.Conn.
func (s *socket) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.received += int64(n)
	s.meter.received.Add(int64(n))
	return n, err
}

// Write implements net.Conn.
func (s *socket) Write(p []byte) (int, error) {
	n, err := s.Conn.Write(p)
	s.sent += int64(n)
	s.meter.sent.Add(int64(n))
	return n, err
}

// Close implements net.Conn. It may be called more than once.
func (s *socket) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.meter.sockets.Add(-1)
	return s.Conn.Close()
}
