// Package sensetest has what tests of the sensors and of the packages below them need: a connection that says what a
// test wants, and messages of D-Bus as bytes.
package sensetest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// Conn is a connection that gives the bytes of R and takes any.
type Conn struct {
	net.Conn
	R io.Reader
}

// Read implements net.Conn.
func (c Conn) Read(b []byte) (int, error) { return c.R.Read(b) }

// Write implements net.Conn.
func (c Conn) Write(b []byte) (int, error) { return len(b), nil }

// SetDeadline implements net.Conn.
func (c Conn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline implements net.Conn.
func (c Conn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.Conn.
func (c Conn) SetWriteDeadline(time.Time) error { return nil }

// Close implements net.Conn.
func (c Conn) Close() error { return nil }

// Encoded returns a message with a value.
func Encoded(m *dbus.Message, v any) []byte {
	m.Body = []any{v}
	m.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(v))
	var b bytes.Buffer
	if err := m.EncodeTo(&b, binary.LittleEndian); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Signal returns a signal of an object, by its full name, with the value 1.
func Signal(path, full string) []byte {
	i := strings.LastIndexByte(full, '.')
	return Encoded(&dbus.Message{Type: dbus.TypeSignal, Flags: dbus.FlagNoReplyExpected,
		Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath(path)), dbus.FieldInterface: dbus.MakeVariant(full[:i]),
			dbus.FieldMember: dbus.MakeVariant(full[i+1:]),
		}}, uint32(1))
}
