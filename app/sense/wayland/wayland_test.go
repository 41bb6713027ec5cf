package wayland

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

func FuzzWayland(f *testing.F) {
	f.Add(append(message(registry, 0, uint32(2), "ext_idle_notifier_v1", uint32(1)),
		append(message(registry, 0, uint32(3), "wl_seat", uint32(9)),
			append(message(callback, 0, uint32(0)), message(9, 0)...)...)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWatch(silentConn{r: bytes.NewReader(b)})
		if w.start(time.Second) != nil {
			return
		}
		for {
			if _, err := w.next(); err != nil {
				break
			}
			w.Active()
		}
		if len(w.seats) > maxSeats || len(w.idle) > maxSeats {
			t.Errorf("%d seats, %d notifications", len(w.seats), len(w.idle))
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
