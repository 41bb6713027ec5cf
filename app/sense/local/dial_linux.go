package local

import (
	"context"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Dial connects to a socket of this computer. A name that begins with @ is an abstract one. It does not wait: such a
// connection is made at once or not at all.
func Dial(_ context.Context, name string) (net.Conn, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: name}); err != nil {
		return nil, &os.PathError{Op: "connect", Path: name, Err: err}
	}
	return net.FileConn(f) // a duplicate
}
