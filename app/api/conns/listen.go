// Package conns takes the connections of the API. It decides where a node listens, which other computers may connect,
// and which connections give way where there are too many. Who may call what is decided elsewhere.
package conns

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strconv"
	"syscall"
)

// Listen listens on a loopback address, "127.0.0.1:7707" or "[::1]:7707";
// "localhost" is 127.0.0.1, and port 0 is any free one. It refuses all other
// addresses. When the port is taken, the error says what to do.
func Listen(addr string) (net.Listener, error) {
	host, port, err := Loopback(addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return listen(host, port)
}

func listen(host, port string) (net.Listener, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if isTaken(err) {
		return nil, fmt.Errorf("port %s is taken by another program; start with --api 127.0.0.1:0 to take any free "+
			"port: %w", port, syscall.EADDRINUSE)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", net.JoinHostPort(host, port), err)
	}
	return ln, nil
}

// ListenLAN listens for this computer and for others: at an address of this computer and at 127.0.0.1, or on
// all networks if addr is a loopback address or 0.0.0.0. The port is the same.
func ListenLAN(addr string) ([]net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %.100q is not an address with a port", addr)
	}
	if err := checkPort(port); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	ip, err := netip.ParseAddr(host)
	if host != "localhost" && err != nil {
		return nil, fmt.Errorf("listen: %.100q is no address of this computer", host)
	}
	if host == "localhost" || ip.IsLoopback() || ip.IsUnspecified() {
		ln, err := listen("", port)
		if err != nil {
			return nil, err
		}
		return []net.Listener{ln}, nil
	}
	ln, err := listen(host, port)
	if err != nil {
		return nil, err
	}
	_, port, _ = net.SplitHostPort(ln.Addr().String())
	own, err := listen("127.0.0.1", port)
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return []net.Listener{ln, own}, nil
}

// OwnAddr returns where this computer reaches a listener made by Listen or ListenLAN.
func OwnAddr(ln net.Listener) string {
	if addr, ok := ln.Addr().(*net.TCPAddr); ok && !addr.IP.IsLoopback() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(addr.Port))
	}
	return ln.Addr().String()
}

// Loopback splits an address and makes sure that it is a numeric
// loopback address with a numeric port.
func Loopback(addr string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(addr)
	if err != nil {
		return "", "", fmt.Errorf("%.100q is not an address with a port", addr)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if host != "127.0.0.1" && host != "::1" {
		return "", "", fmt.Errorf("%.100q could be reached from other computers; use 127.0.0.1, or let them in "+
			"with a password: \"forage password\", \"forage set web.lan=yes\"", host)
	}
	return host, port, checkPort(port)
}

func checkPort(port string) error {
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("%.100q is no port", port)
	}
	return nil
}

// wsaeAddrInUse is what Windows returns in place of syscall.EADDRINUSE.
const wsaeAddrInUse = syscall.Errno(10048)

// isTaken reports whether a port could not be had because it is in use.
func isTaken(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || runtime.GOOS == "windows" && errors.Is(err, wsaeAddrInUse)
}
