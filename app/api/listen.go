package api

import (
	"fmt"
	"net"
	"strconv"
	"sync"
	"syscall"
)

// Listen listens on a loopback address, "127.0.0.1:7707" or "[::1]:7707";
// "localhost" is 127.0.0.1, and port 0 is any free one. It refuses all other
// addresses. When the port is taken, the error says what to do.
func Listen(addr string) (net.Listener, error) {
	host, port, err := splitLoopback(addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if isTaken(err) {
		return nil, fmt.Errorf("port %s is taken by another program; start with --api 127.0.0.1:0 to take any free port: %w", port, syscall.EADDRINUSE)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return ln, nil
}

// splitLoopback splits an address and makes sure that it is a numeric
// loopback address with a numeric port.
func splitLoopback(addr string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(addr)
	if err != nil {
		return "", "", fmt.Errorf("%.100q is no address with a port", addr)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if host != "127.0.0.1" && host != "::1" {
		return "", "", fmt.Errorf("%.100q could be reached from other computers; use 127.0.0.1", host)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return "", "", fmt.Errorf("%.100q is no port", port)
	}
	return host, port, nil
}

// limitListener has at most a number of connections open. More wait in the
// kernel's queue.
type limitListener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newLimitListener(ln net.Listener, limit int) *limitListener {
	return &limitListener{Listener: ln, slots: make(chan struct{}, limit), closed: make(chan struct{})}
}

// Accept waits for a free slot, then for a connection.
func (l *limitListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitConn{Conn: c, release: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close also ends an Accept that waits for a slot.
func (l *limitListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitConn struct {
	net.Conn
	release func()
}

func (c *limitConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
