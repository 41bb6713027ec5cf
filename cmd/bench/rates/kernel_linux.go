package rates

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// kernelKnows says whether the kernel can be asked what TCP sockets moved.
const kernelKnows = true

// kernelTaps asks the kernel about the sockets of this process that are
// connected to certain ports.
type kernelTaps struct {
	ports map[string]bool
	last  map[uint64]moved // by cookie
}

type moved struct{ received, sent int64 }

func newKernelTaps(ports map[string]bool) kernelTaps {
	return kernelTaps{ports, make(map[uint64]moved)}
}

// look returns what those sockets have moved in all, closed ones included as far as
// they were looked at.
func (t kernelTaps) look() (received, sent int64) {
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, 0
	}
	for _, e := range dir {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || !t.ports[remotePort(fd)] {
			continue
		}
		info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			continue
		}
		cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_COOKIE)
		if err == nil {
			t.last[cookie] = moved{int64(info.Bytes_received), int64(info.Bytes_sent)}
		}
	}
	for _, m := range t.last {
		received += m.received
		sent += m.sent
	}
	return received, sent
}

func remotePort(fd int) string {
	to, err := unix.Getpeername(fd)
	if err != nil {
		return ""
	}
	if a, ok := to.(*unix.SockaddrInet4); ok {
		return strconv.Itoa(a.Port)
	}
	return ""
}
