package sense

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godbus/dbus/v5"
)

func FuzzBusFrames(f *testing.F) {
	f.Add(signalOf("/x", "a.b.C"))
	f.Add(encoded(&dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldReplySerial: dbus.MakeVariant(uint32(9)), dbus.FieldSender: dbus.MakeVariant(":1.2"),
	}}, [][]any{{"k", []byte("bytes")}, {"l", []dbus.ObjectPath{"/y"}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &busFrames{Conn: silentConn{r: bytes.NewReader(b)}, begun: true}
		got, _ := io.ReadAll(r)
		for len(got) > 0 { // what a dbus.Conn gets is for it
			n, _, err := busLength(got)
			if err != nil || n > len(got) {
				t.Fatalf("a message of %d bytes of %d, %v", n, len(got), err)
			}
			if _, err := dbus.DecodeMessage(bytes.NewReader(got[:n])); err != nil {
				t.Fatal(err)
			}
			got = got[n:]
		}
	})
}

// silentConn is a connection that gives bytes and takes any.
type silentConn struct {
	net.Conn
	r io.Reader
}

func (c silentConn) Read(b []byte) (int, error)       { return c.r.Read(b) }
func (c silentConn) Write(b []byte) (int, error)      { return len(b), nil }
func (c silentConn) SetDeadline(time.Time) error      { return nil }
func (c silentConn) SetReadDeadline(time.Time) error  { return nil }
func (c silentConn) SetWriteDeadline(time.Time) error { return nil }
func (c silentConn) Close() error                     { return nil }

func FuzzX11(f *testing.F) {
	ok := fakeSetup()
	f.Add(append(append([]byte{1, 0, 11, 0, 0, 0, byte(len(ok) / 4), 0}, ok...),
		append([]byte{1, 32, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}, make([]byte, 20)...)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		// A throttle waits, which costs nothing in a bubble.
		synctest.Test(t, func(t *testing.T) {
			c := silentConn{r: bytes.NewReader(b)}
			x := &x11{conn: c, r: bufio.NewReader(c)}
			if x.setup(display{}, nil) != nil {
				return
			}
			w := windowInUse{x: x}
			for range 10 {
				if _, err := w.fullScreen(); err != nil {
					return
				}
				if _, err := x.idle(144); err != nil {
					return
				}
			}
		})
	})
}

func FuzzFindCookie(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x01h\x00\x017\x00\x12MIT-MAGIC-COOKIE-1\x00\x02xy"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := findCookie(b, 7); len(got) > 255 || !bytes.Contains(b, got) {
			t.Errorf("cookie = %q", got)
		}
	})
}

func FuzzWayland(f *testing.F) {
	f.Add(append(wlMessage(wlRegistry, 0, uint32(2), "ext_idle_notifier_v1", uint32(1)),
		append(wlMessage(wlRegistry, 0, uint32(3), "wl_seat", uint32(9)),
			append(wlMessage(wlCallback, 0, uint32(0)), wlMessage(9, 0)...)...)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := silentConn{r: bytes.NewReader(b)}
		w := &wayland{conn: c, r: bufio.NewReader(c), idle: make(map[uint32]bool)}
		if w.start(activeFor) != nil {
			return
		}
		for {
			if _, err := w.next(); err != nil {
				break
			}
			w.active()
		}
		if len(w.seats) > maxWaylandSeats || len(w.idle) > maxWaylandSeats {
			t.Errorf("%d seats, %d notifications", len(w.seats), len(w.idle))
		}
	})
}

func FuzzProc(f *testing.F) {
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1\n"))
	f.Add([]byte(routesHead + route4("eth0", "00000000", "00000000", "0003", 100)))
	f.Add([]byte("00000000000000000000000000000000 00 00000000000000000000000000000000 00 " +
		"fe800000000000000000000000000001 00000400 00000001 00000000 00000003 wlan0\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := parseStat(b); err == nil {
			if share, ok := s.others(cpuTimes{}); ok && !(share >= 0 && share <= 1) {
				t.Errorf("share = %v of %+v", share, s)
			}
		}
		for _, r := range append(parseRoutes4(b), parseRoutes6(b)...) {
			if r.link == "" || bytes.ContainsAny([]byte(r.link), " \n") {
				t.Errorf("a route by %q", r.link)
			}
			linkKind("/nowhere", r.link)
		}
	})
}
