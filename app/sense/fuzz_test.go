package sense

import (
	"bytes"
	"io"
	"net"
	"testing"
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
