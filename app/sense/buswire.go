package sense

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// What of the D-Bus protocol is needed: calls out; replies, errors and signals in.

var errBusWire = errors.New("the bus sends what is not D-Bus")

const (
	// maxMessage bounds a message: the longest real ones are lists of inhibitors, of some
	// kilobytes.
	maxMessage = 256 << 10
	// maxDepth and maxItems bound what a message may unfold into.
	maxDepth = 8
	maxItems = 16 << 10
)

type busKind byte

const (
	busCall   busKind = 1
	busReply  busKind = 2
	busError  busKind = 3
	busSignal busKind = 4
)

const (
	flagNoReply     = 1
	flagNoAutoStart = 2
)

// Fields of a header.
const (
	fieldPath        = 1
	fieldInterface   = 2
	fieldMember      = 3
	fieldErrorName   = 4
	fieldReplySerial = 5
	fieldDestination = 6
	fieldSender      = 7
	fieldSignature   = 8
)

// objectPath is a string of its own type on the wire.
type objectPath string

type busMessage struct {
	kind        busKind
	flags       byte
	serial      uint32
	replyTo     uint32
	path        objectPath
	iface       string
	member      string
	errorName   string
	destination string
	sender      string
	signature   string
	body        []byte
	order       binary.ByteOrder
}

// busWriter marshals in little-endian order.
type busWriter struct{ b []byte }

func (w *busWriter) align(n int) {
	for len(w.b)%n != 0 {
		w.b = append(w.b, 0)
	}
}

func (w *busWriter) u32(v uint32) {
	w.align(4)
	w.b = binary.LittleEndian.AppendUint32(w.b, v)
}

func (w *busWriter) str(s string) {
	w.u32(uint32(len(s)))
	w.b = append(append(w.b, s...), 0)
}

func (w *busWriter) sig(s string) {
	w.b = append(append(append(w.b, byte(len(s))), s...), 0)
}

// value appends a value and returns its signature.
func (w *busWriter) value(v any) string {
	switch v := v.(type) {
	case byte:
		w.b = append(w.b, v)
		return "y"
	case bool:
		n := uint32(0)
		if v {
			n = 1
		}
		w.u32(n)
		return "b"
	case int32:
		w.u32(uint32(v))
		return "i"
	case uint32:
		w.u32(v)
		return "u"
	case uint64:
		w.align(8)
		w.b = binary.LittleEndian.AppendUint64(w.b, v)
		return "t"
	case float64:
		w.align(8)
		w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(v))
		return "d"
	case string:
		w.str(v)
		return "s"
	case objectPath:
		w.str(string(v))
		return "o"
	}
	panic(fmt.Sprintf("no D-Bus type for %T", v))
}

// encode returns the message with a body of its values.
func (m *busMessage) encode() []byte {
	w := &busWriter{b: []byte{'l', byte(m.kind), m.flags, 1}}
	w.u32(uint32(len(m.body)))
	w.u32(m.serial)
	w.u32(0) // length of the fields, below
	start := len(w.b)
	field := func(code byte, sig, value string) {
		if value == "" {
			return
		}
		w.align(8)
		w.b = append(w.b, code)
		w.sig(sig)
		if sig == "g" {
			w.sig(value)
		} else {
			w.str(value)
		}
	}
	field(fieldPath, "o", string(m.path))
	field(fieldInterface, "s", m.iface)
	field(fieldMember, "s", m.member)
	field(fieldErrorName, "s", m.errorName)
	field(fieldDestination, "s", m.destination)
	field(fieldSender, "s", m.sender)
	field(fieldSignature, "g", m.signature)
	if m.replyTo != 0 {
		w.align(8)
		w.b = append(w.b, fieldReplySerial)
		w.sig("u")
		w.u32(m.replyTo)
	}
	binary.LittleEndian.PutUint32(w.b[12:], uint32(len(w.b)-start))
	w.align(8)
	return append(w.b, m.body...)
}

// busHead is the fixed part of a message.
const busHead = 16

// busLength returns how long the message is that begins with these 16 bytes.
func busLength(head []byte) (int, error) {
	order, err := busOrder(head[0])
	if err != nil {
		return 0, err
	}
	body, fields := order.Uint32(head[4:]), order.Uint32(head[12:])
	if head[3] != 1 || body > maxMessage || fields > maxMessage {
		return 0, fmt.Errorf("%w: a message of %d bytes", errBusWire, uint64(body)+uint64(fields))
	}
	n := busHead + (int(fields)+7)&^7 + int(body)
	if n > maxMessage {
		return 0, fmt.Errorf("%w: a message of %d bytes", errBusWire, n)
	}
	return n, nil
}

func busOrder(b byte) (binary.ByteOrder, error) {
	switch b {
	case 'l':
		return binary.LittleEndian, nil
	case 'B':
		return binary.BigEndian, nil
	}
	return nil, errBusWire
}

// decodeMessage reads a whole message.
func decodeMessage(b []byte) (*busMessage, error) {
	if len(b) < busHead {
		return nil, errBusWire
	}
	n, err := busLength(b)
	if err != nil {
		return nil, err
	}
	if n != len(b) {
		return nil, errBusWire
	}
	order, _ := busOrder(b[0])
	m := &busMessage{kind: busKind(b[1]), flags: b[2], serial: order.Uint32(b[8:]), order: order}
	r := &busReader{b: b, order: order, pos: 12, left: maxItems}
	fields, err := r.value("a(yv)", 0)
	if err != nil {
		return nil, err
	}
	r.align(8)
	for _, f := range fields.([]any) {
		f := f.([]any)
		m.setField(f[0].(byte), f[1])
	}
	if r.pos > len(b) {
		return nil, errBusWire
	}
	m.body = b[r.pos:]
	return m, nil
}

func (m *busMessage) setField(code byte, v any) {
	switch code {
	case fieldPath:
		m.path, _ = v.(objectPath)
	case fieldInterface:
		m.iface, _ = v.(string)
	case fieldMember:
		m.member, _ = v.(string)
	case fieldErrorName:
		m.errorName, _ = v.(string)
	case fieldReplySerial:
		m.replyTo, _ = v.(uint32)
	case fieldSender:
		m.sender, _ = v.(string)
	case fieldDestination:
		m.destination, _ = v.(string)
	case fieldSignature:
		s, _ := v.(busSignature)
		m.signature = string(s)
	}
}

// values returns the values of the body: byte, bool, int16, uint16, int32, uint32, int64, uint64, float64,
// string, objectPath, busSignature, and []any for arrays, structs and entries of
// dictionaries. A variant is its value.
func (m *busMessage) values() ([]any, error) {
	r := &busReader{b: m.body, order: m.order, left: maxItems}
	var list []any
	for sig := m.signature; sig != ""; {
		one, rest, err := nextType(sig, 0)
		if err != nil {
			return nil, err
		}
		v, err := r.value(one, 0)
		if err != nil {
			return nil, err
		}
		list, sig = append(list, v), rest
	}
	return list, nil
}

type busSignature string

// nextType splits the first complete type off a signature.
func nextType(sig string, depth int) (one, rest string, err error) {
	if sig == "" || depth > maxDepth {
		return "", "", errBusWire
	}
	switch c := sig[0]; c {
	case 'a':
		one, rest, err = nextType(sig[1:], depth+1)
		return "a" + one, rest, err
	case '(', '{':
		end := byte(')')
		if c == '{' {
			end = '}'
		}
		i := 1
		for {
			if i >= len(sig) {
				return "", "", errBusWire
			}
			if sig[i] == end {
				return sig[:i+1], sig[i+1:], nil
			}
			inner, _, err := nextType(sig[i:], depth+1)
			if err != nil {
				return "", "", err
			}
			i += len(inner)
		}
	case ')', '}':
		return "", "", errBusWire
	}
	return sig[:1], sig[1:], nil
}

type busReader struct {
	b     []byte
	order binary.ByteOrder
	pos   int
	left  int // values that may still be made
}

func (r *busReader) align(n int) { r.pos = (r.pos + n - 1) / n * n }

func (r *busReader) take(n int) ([]byte, error) {
	if n < 0 || r.pos > len(r.b) || n > len(r.b)-r.pos {
		return nil, errBusWire
	}
	b := r.b[r.pos : r.pos+n]
	r.pos += n
	return b, nil
}

// number reads an unsigned integer of n bytes.
func (r *busReader) number(n int) (uint64, error) {
	r.align(n)
	b, err := r.take(n)
	if err != nil {
		return 0, err
	}
	switch n {
	case 2:
		return uint64(r.order.Uint16(b)), nil
	case 4:
		return uint64(r.order.Uint32(b)), nil
	}
	return r.order.Uint64(b), nil
}

func (r *busReader) text(n int) (string, error) {
	b, err := r.take(n + 1)
	if err != nil || b[n] != 0 {
		return "", errBusWire
	}
	return string(b[:n]), nil
}

// value reads one value of a complete type.
func (r *busReader) value(sig string, depth int) (any, error) {
	if r.left--; r.left < 0 || depth > maxDepth {
		return nil, errBusWire
	}
	switch sig[0] {
	case 'a':
		return r.array(sig[1:], depth)
	case '(', '{':
		r.align(8)
		return r.members(sig[1:len(sig)-1], depth)
	case 'v':
		return r.variant(depth)
	}
	return r.basic(sig[0])
}

func (r *busReader) basic(c byte) (any, error) {
	switch c {
	case 'y':
		b, err := r.take(1)
		if err != nil {
			return nil, err
		}
		return b[0], nil
	case 'n', 'q':
		n, err := r.number(2)
		if c == 'n' {
			return int16(n), err
		}
		return uint16(n), err
	case 'b', 'i', 'u', 'h':
		n, err := r.number(4)
		switch c {
		case 'b':
			return n == 1, err
		case 'i':
			return int32(n), err
		}
		return uint32(n), err
	case 'x', 't', 'd':
		n, err := r.number(8)
		switch c {
		case 'x':
			return int64(n), err
		case 'd':
			return math.Float64frombits(n), err
		}
		return n, err
	case 's', 'o':
		n, err := r.number(4)
		if err != nil || n > maxMessage {
			return nil, errBusWire
		}
		s, err := r.text(int(n))
		if c == 'o' {
			return objectPath(s), err
		}
		return s, err
	case 'g':
		n, err := r.take(1)
		if err != nil {
			return nil, err
		}
		s, err := r.text(int(n[0]))
		return busSignature(s), err
	}
	return nil, errBusWire
}

func (r *busReader) array(elem string, depth int) (any, error) {
	n, err := r.number(4)
	if err != nil || n > maxMessage {
		return nil, errBusWire
	}
	switch elem[0] {
	case '(', '{', 'x', 't', 'd':
		r.align(8)
	}
	if elem == "y" {
		b, err := r.take(int(n))
		return append([]byte(nil), b...), err
	}
	end := r.pos + int(n)
	if end > len(r.b) {
		return nil, errBusWire
	}
	list := []any{}
	for r.pos < end {
		v, err := r.value(elem, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if r.pos != end {
		return nil, errBusWire
	}
	return list, nil
}

func (r *busReader) members(sig string, depth int) (any, error) {
	list := []any{}
	for sig != "" {
		one, rest, err := nextType(sig, 0)
		if err != nil {
			return nil, err
		}
		v, err := r.value(one, depth+1)
		if err != nil {
			return nil, err
		}
		list, sig = append(list, v), rest
	}
	return list, nil
}

func (r *busReader) variant(depth int) (any, error) {
	s, err := r.basic('g')
	if err != nil {
		return nil, err
	}
	one, rest, err := nextType(string(s.(busSignature)), 0)
	if err != nil || rest != "" {
		return nil, errBusWire
	}
	return r.value(one, depth+1)
}
