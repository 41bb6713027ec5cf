package bandwidth

import (
	"io"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// sendWindow returns how much the other side of c may still send.
func sendWindow(t *testing.T, c *net.TCPConn) int {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	window := 0
	err = raw.Control(func(fd uintptr) {
		info, e := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err = e; e == nil {
			window = int(info.Snd_wnd)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return window
}

// A connection made under a low rate has a small window from its first packet on,
// and a large one when the rate is raised.
func TestConn_WindowFollowsTheRate(t *testing.T) {
	b := New()
	b.Set(256, -1)
	c, o := wire(t, b)
	if w := sendWindow(t, o); w > 16<<10 {
		t.Errorf("a site may send %d bytes at 256 kbit/s, want at most 16 KiB", w)
	}
	for _, kbit := range []int{50_000, -1} {
		b.Set(kbit, -1)
		for range 20 {
			if _, err := o.Write(make([]byte, 4000)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(c, make([]byte, 4000)); err != nil {
				t.Fatal(err)
			}
		}
		if w := sendWindow(t, o); w < 32<<10 {
			t.Errorf("a site may send %d bytes at %d kbit/s, want 32 KiB or more", w, kbit)
		}
	}
}
