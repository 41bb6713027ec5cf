package bandwidth

import "syscall"

// setReceiveBuffer sets the size and, since a buffer that was small when the socket
// connected bounds the window for good, the bound.
func setReceiveBuffer(fd uintptr, size int) error {
	err := syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, size)
	_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_WINDOW_CLAMP, size)
	return err
}
