package bus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

const (
	// maxMessage bounds a message: the longest real ones are lists of inhibitors, of some
	// kilobytes.
	maxMessage = 256 << 10
	// maxLines bounds what a bus says before it lets us in.
	maxLines = 4 << 10
)

var errWire = words.New("said.sensor.the-bus-sends-what-is-not", nil)

// frames is the connection that a dbus.Conn reads from and writes to. That one takes messages of 128 MB,
// answers calls, and panics over a message that is cut off. So it gets only short answers and signals, each in
// full, and no more of them than a throttle lets through: the bus drops whoever sends the others, or us, and
// then another source is read.
type frames struct {
	net.Conn
	begun bool // lines are over, messages follow
	lines int  // bytes of lines so far
	rest  bytes.Reader
	flow  local.Throttle
	once  sync.Once
	done  chan struct{} // closed by Close
}

func newFrames(conn net.Conn) *frames { return &frames{Conn: conn, done: make(chan struct{})} }

// Close ends a Read that waits as well.
func (f *frames) Close() error {
	f.once.Do(func() { close(f.done) })
	return f.Conn.Close()
}

// Read is called by one goroutine at a time.
func (f *frames) Read(p []byte) (int, error) {
	if !f.begun {
		if f.lines >= maxLines {
			return 0, errWire
		}
		n, err := f.Conn.Read(p)
		f.lines += n
		return n, err
	}
	for f.rest.Len() == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	return f.rest.Read(p)
}

// Write closes the connection if the bus does not read: what is sent fits the buffer of any socket that is read at all.
func (f *frames) Write(p []byte) (int, error) {
	if !f.begun && string(p) == "BEGIN\r\n" {
		f.begun = true // before the goroutine that reads messages starts
	}
	f.Conn.SetWriteDeadline(time.Now().Add(local.Timeout))
	n, err := f.Conn.Write(p)
	if err != nil {
		f.Close()
	}
	return n, err
}

// next reads a message, and keeps it if it is for us.
func (f *frames) next() error {
	if wait := f.flow.Pause(); wait > 0 {
		select {
		case <-time.After(wait):
		case <-f.done:
		}
	}
	b := make([]byte, 16)
	if _, err := io.ReadFull(f.Conn, b); err != nil {
		return err
	}
	n, order, err := messageLength(b)
	if err != nil {
		return err
	}
	b = append(b, make([]byte, n-len(b))...)
	if _, err := io.ReadFull(f.Conn, b[16:]); err != nil {
		return err
	}
	m, err := decodeMessage(b, order)
	if err != nil {
		return err
	}
	switch iface, _ := m.Headers[dbus.FieldInterface].Value().(string); {
	case m.Type == dbus.TypeMethodReply, m.Type == dbus.TypeError:
		f.rest.Reset(b)
	case m.Type == dbus.TypeSignal && (iface != busName || m.Headers[dbus.FieldMember].Value() == ownerChanged):
		f.rest.Reset(b) // a dbus.Conn panics over some other signals of the bus itself
	}
	return nil
}

// messageLength returns how long the message is that begins with these 16 bytes.
func messageLength(head []byte) (n int, order binary.ByteOrder, err error) {
	order = binary.LittleEndian
	if head[0] == 'B' {
		order = binary.BigEndian
	}
	body, fields := uint64(order.Uint32(head[4:])), uint64(order.Uint32(head[12:]))
	all := 16 + (fields+7)&^7 + body
	if all > maxMessage {
		return 0, order, words.Join(": ", errWire,
			words.New("said.sensor.not-d-bus-size", words.Args{"count": all}))
	}
	return int(all), order, nil
}

// decodeMessage reads a whole message, whatever is in it.
func decodeMessage(b []byte, order binary.ByteOrder) (m *dbus.Message, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errWire, p)
		}
	}()
	(&walk{b: b, order: order}).message()
	r := bytes.NewReader(b)
	if m, err = dbus.DecodeMessage(r); err == nil && r.Len() > 0 {
		err = errWire
	}
	return m, err
}

// maxDepth bounds how deep values lie in each other.
const maxDepth = 16

// walk passes over the values of a message. It panics where one does not end within it: dbus.Conn makes room for
// what a length says, up to 4 GB, before it reads.
type walk struct {
	b     []byte
	order binary.ByteOrder
	at    int
}

// message passes over a whole message.
func (w *walk) message() {
	fields := 16 + int(w.order.Uint32(w.b[12:]))
	var signature string
	for w.at = 16; w.at < fields; {
		w.move(8, 1)
		code, from := w.b[w.at-1], w.at
		w.skip("v", 0)
		if code == byte(dbus.FieldSignature) && string(w.b[from:from+3]) == "\x01g\x00" {
			signature = string(w.b[from+4 : w.at-1])
		}
	}
	w.move(8, 0)
	for signature != "" {
		signature = w.skip(signature, 0)
	}
}

// move passes over n bytes that begin at a multiple of align.
func (w *walk) move(align, n int) {
	at := (w.at+align-1)&^(align-1) + n
	_ = w.b[w.at:at]
	w.at = at
}

// length reads one of four bytes.
func (w *walk) length() int {
	w.move(4, 4)
	return int(min(w.order.Uint32(w.b[w.at-4:]), maxMessage)) // no message has so much left
}

// skip passes over a value of the first type of a signature, and returns the other types.
func (w *walk) skip(signature string, depth int) (rest string) {
	if depth > maxDepth {
		panic("values lie too deep in each other")
	}
	one := typeLength(signature)
	switch kind := signature[0]; kind {
	case 's', 'o':
		w.move(1, w.length()+1)
	case 'g':
		w.move(1, int(w.b[w.at])+2)
	case 'v':
		from := w.at + 1
		w.skip("g", depth)
		if w.skip(string(w.b[from:w.at-1]), depth+1) != "" {
			panic("a variant of several values")
		}
	case 'a':
		w.array(signature[1:one], depth)
	case '(', '{':
		w.move(8, 0)
		for inner := signature[1 : one-1]; inner != ""; {
			inner = w.skip(inner, depth+1)
		}
	default:
		w.move(alignment(kind), alignment(kind))
	}
	return signature[one:]
}

// alignment returns of what a value of a type begins at a multiple; as many bytes long is one of fixed length.
func alignment(kind byte) int {
	switch kind {
	case 'n', 'q':
		return 2
	case 'a', 'b', 'h', 'i', 'o', 's', 'u':
		return 4
	case '(', '{', 'd', 't', 'x':
		return 8
	}
	return 1
}

// array passes over elements of one type.
func (w *walk) array(element string, depth int) {
	n := w.length()
	w.move(alignment(element[0]), 0)
	end := w.at + n
	_ = w.b[w.at:end]
	for w.at < end {
		from := w.at
		if w.skip(element, depth+1); w.at == from {
			panic("an array of nothing")
		}
	}
}

// typeLength returns how long the first type of a signature is.
func typeLength(signature string) (n int) {
	switch signature[0] {
	case 'a':
		return 1 + typeLength(signature[1:])
	case '(', '{':
		for n = 1; signature[n] != ')' && signature[n] != '}'; {
			n += typeLength(signature[n:])
		}
		return n + 1
	}
	return 1
}
