package bus

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/sensetest"
)

func TestSockets(t *testing.T) {
	for _, c := range []struct {
		address string
		want    []string
	}{
		{"unix:path=/run/user/1000/bus", []string{"/run/user/1000/bus"}},
		{"unix:path=/tmp/a%20b,guid=1234;unix:abstract=/tmp/dbus-x", []string{"/tmp/a b", "@/tmp/dbus-x"}},
		{"tcp:host=192.0.2.1,port=1", nil},
		{"unixexec:path=/bin/sh,argv1=-c", nil},
		{"autolaunch:", nil},
		{"", nil},
		{"unix:path=%zz", nil},
		{strings.Repeat("unix:path=/a;", 100), slices.Repeat([]string{"/a"}, 8)},
	} {
		got, err := sockets(c.address)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("sockets(%.40q) = %q, %v, want %q", c.address, got, err, c.want)
		}
	}
}

// A dbus.Conn would panic over some messages, and answer others.
func TestFrames_PassOnWhatIsForUs(t *testing.T) {
	wanted := sensetest.Signal("/x", "a.b.C")
	lost := sensetest.Signal("/x", busName+".NameLost")
	owner := sensetest.Signal("/x", busName+"."+ownerChanged)
	call := slices.Clone(wanted)
	call[1] = byte(dbus.TypeMethodCall)
	big := []byte{'B', 2, 1, 1, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 16,
		5, 1, 'u', 0, 0, 0, 0, 3, 8, 1, 'g', 0, 2, 'u', 'y', 0, // fields
		1, 2, 3, 4, 7}
	long := slices.Clone(wanted)
	binary.LittleEndian.PutUint32(long[4:], maxMessage)
	wide := slices.Clone(wanted)
	binary.LittleEndian.PutUint32(wide[12:], 1<<32-1)
	surplus := append(slices.Clone(wanted), 0)
	surplus[4]++
	for name, c := range map[string]struct {
		sent, want []byte
		err        error
	}{
		"signals":                {slices.Concat(wanted, owner), slices.Concat(wanted, owner), io.EOF},
		"of another order":       {big, big, io.EOF},
		"signals of the bus":     {slices.Concat(lost, wanted), wanted, io.EOF},
		"calls":                  {slices.Concat(call, wanted), wanted, io.EOF},
		"cut off":                {slices.Concat(wanted, owner[:40]), wanted, io.ErrUnexpectedEOF},
		"too long":               {slices.Concat(wanted, long), wanted, errWire},
		"with a head too long":   {slices.Concat(wanted, wide), wanted, errWire},
		"longer than its values": {surplus, surplus, io.EOF},
		"with no type": {slices.Concat(wanted[:1], []byte{0}, wanted[2:]), nil,
			dbus.InvalidMessageError("invalid message type")},
		"garbage": {bytes.Repeat([]byte("x"), 100), nil, errWire},
	} {
		f := &frames{Conn: sensetest.Conn{R: bytes.NewReader(c.sent)}, begun: true}
		got, err := io.ReadAll(f)
		if c.err == io.EOF {
			c.err = nil
		}
		if !bytes.Equal(got, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %d bytes, %v, want %d, %v", name, len(got), err, len(c.want), c.err)
		}
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(sensetest.Signal("/x", "a.b.C"))
	f.Add(sensetest.Encoded(&dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldReplySerial: dbus.MakeVariant(uint32(9)), dbus.FieldSender: dbus.MakeVariant(":1.2"),
	}}, [][]any{{"k", []byte("bytes")}, {"l", []dbus.ObjectPath{"/y"}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &frames{Conn: sensetest.Conn{R: bytes.NewReader(b)}, begun: true}
		got, _ := io.ReadAll(r)
		for len(got) > 0 { // what a dbus.Conn gets is for it
			n, _, err := messageLength(got)
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
