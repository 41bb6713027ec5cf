// Package x11 asks an X11 display how long there was no input, and whether the window in use covers the screen.
//
// It speaks the little of the protocol that this needs: extensions, atoms and properties. A display that is silent,
// lies or sends without end costs a bounded time and some kilobytes. github.com/jezek/xgb cannot be held to that: its
// calls have no deadline, it makes room for replies of any length, panics over a first answer that is short, logs to
// the terminal, and finds the key to a display only where it connects by itself.
package x11

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

var errX11 = words.New("said.sensor.the-display-sends-what-is-not", nil)

const (
	// maxReply bounds a reply; ours are some hundred bytes, only the first one has kilobytes.
	maxReply = 64 << 10
	// maxEvents bounds what may come before one reply.
	maxEvents = 1000
)

// Display is a connection to a display. It is not safe for concurrent use.
type Display struct {
	conn     net.Conn
	r        *bufio.Reader
	flow     local.Throttle
	root     uint32
	sequence uint16
	changed  bool // a property has changed since this was last false
	saver    byte // opcode of the extension that tells idle time; 0 if it was not asked for yet
}

// address names a display of this computer.
type address struct{ number, screen int }

// parseAddress reads ":0" or ":0.1". Displays of other computers are none of ours.
func parseAddress(s string) (d address, err error) {
	quoted := strconv.Quote(local.Clean(s, local.MaxText))
	name, ok := strings.CutPrefix(strings.TrimPrefix(s, "unix"), ":")
	if !ok {
		return d, words.New("said.sensor.the-display-is-not-on-this", words.Args{"name": quoted})
	}
	number, screen, _ := strings.Cut(name, ".")
	n, err := strconv.ParseUint(number, 10, 16)
	m, noScreen := strconv.ParseUint(cmp.Or(screen, "0"), 10, 8)
	if err != nil || noScreen != nil {
		return d, words.New("said.sensor.the-display-has-no-such-screen", words.Args{"name": quoted})
	}
	return address{int(n), int(m)}, nil
}

// Open connects to the display that the environment names. The connection ends with ctx.
func Open(ctx context.Context, host local.Host) (*Display, error) {
	name := host.Getenv("DISPLAY")
	if name == "" {
		return nil, local.Lacks(words.New("said.sensor.no-display-is-set", nil))
	}
	at, err := parseAddress(name)
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("/tmp/.X11-unix/X%d", at.number)
	conn, err := host.Connect(ctx, path)
	if err != nil {
		conn, err = host.Connect(ctx, "@"+path)
	}
	if err != nil {
		return nil, err
	}
	x := newDisplay(conn)
	if err := x.setup(at.screen, cookie(host, at.number)); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

func newDisplay(conn net.Conn) *Display {
	return &Display{conn: conn, r: bufio.NewReaderSize(conn, 4096)}
}

// Close ends the connection.
func (x *Display) Close() { x.conn.Close() }

// setup is the first exchange.
func (x *Display) setup(screen int, cookie []byte) error {
	x.conn.SetDeadline(time.Now().Add(local.Timeout))
	name := ""
	if len(cookie) > 0 {
		name = authName
	}
	b := []byte{'l', 0, 11, 0, 0, 0, byte(len(name)), 0, byte(len(cookie)), 0, 0, 0}
	b = pad4(append(b, name...))
	b = pad4(append(b, cookie...))
	if _, err := x.conn.Write(b); err != nil {
		return err
	}
	var head [8]byte
	if _, err := io.ReadFull(x.r, head[:]); err != nil {
		return err
	}
	n := 4 * int(binary.LittleEndian.Uint16(head[6:]))
	if n > maxReply {
		return errX11
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(x.r, body); err != nil {
		return err
	}
	if head[0] != 1 {
		return words.New("said.sensor.the-display-does-not-let-us", words.Args{
			"text": local.Clean(string(body[:min(int(head[1]), n)]), local.MaxText),
		})
	}
	root, err := rootWindow(body, screen)
	x.root = root
	return err
}

// rootWindow finds the root window of a screen in the answer to setup.
func rootWindow(b []byte, screen int) (uint32, error) {
	if len(b) < 32 {
		return 0, errX11
	}
	vendor, screens, formats := int(binary.LittleEndian.Uint16(b[16:])), int(b[20]), int(b[21])
	pos := 32 + (vendor+3)&^3 + 8*formats
	for i := range screens {
		if pos+40 > len(b) {
			return 0, errX11
		}
		if i == screen {
			return binary.LittleEndian.Uint32(b[pos:]), nil
		}
		depths := int(b[pos+39])
		pos += 40
		for range depths {
			if pos+8 > len(b) {
				return 0, errX11
			}
			pos += 8 + 24*int(binary.LittleEndian.Uint16(b[pos+2:]))
		}
	}
	return 0, words.Join(": ", errX11,
		words.New("said.sensor.it-has-no-screen", words.Args{"number": screen}))
}

func pad4(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// request is an opcode, the byte behind it, and the rest in units of four bytes.
func request(opcode, data byte, body []byte) []byte {
	body = pad4(body)
	b := []byte{opcode, data, 0, 0}
	binary.LittleEndian.PutUint16(b[2:], uint16(1+len(body)/4))
	return append(b, body...)
}

func longs(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// write sends a request.
func (x *Display) write(b []byte) error {
	x.sequence++
	_, err := x.conn.Write(b)
	return err
}

// ask sends a request and returns its reply of 32 bytes or more, or nil if the display refuses it.
func (x *Display) ask(b []byte) ([]byte, error) {
	if err := x.write(b); err != nil {
		return nil, err
	}
	x.conn.SetReadDeadline(time.Now().Add(local.Timeout))
	for range maxEvents {
		p, err := x.packet()
		if err != nil {
			return nil, err
		}
		mine := binary.LittleEndian.Uint16(p[2:]) == x.sequence
		switch {
		case p[0] == 1 && mine:
			return p, nil
		case p[0] == 0 && mine:
			return nil, nil
		}
	}
	return nil, local.ErrNoAnswer
}

// packet reads a reply, an error or an event.
func (x *Display) packet() ([]byte, error) {
	x.flow.One()
	p := make([]byte, 32)
	if _, err := io.ReadFull(x.r, p); err != nil {
		return nil, err
	}
	const propertyNotify, genericEvent = 28, 35
	switch p[0] &^ 0x80 {
	case propertyNotify:
		x.changed = true
	case 1, genericEvent:
		n := binary.LittleEndian.Uint32(p[4:])
		if n > maxReply/4 {
			return nil, errX11
		}
		p = append(p, make([]byte, 4*n)...)
		if _, err := io.ReadFull(x.r, p[32:]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Wait waits for d at most, until a property has changed since [Window.FullScreen] was last asked. It may return early.
func (x *Display) Wait(d time.Duration) error {
	x.conn.SetReadDeadline(time.Now().Add(d))
	for !x.changed {
		if _, err := x.r.Peek(1); err != nil {
			if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
				return nil
			}
			return err
		}
		// The rest of a packet comes with its first byte, or the display is broken.
		x.conn.SetReadDeadline(time.Now().Add(max(d, local.Timeout)))
		if _, err := x.packet(); err != nil {
			return err
		}
	}
	return nil
}

// named asks for what has a name.
func (x *Display) named(opcode byte, name string) ([]byte, error) {
	return x.ask(request(opcode, 0, append([]byte{byte(len(name)), 0, 0, 0}, name...)))
}

// extension returns the opcode of an extension, 0 if there is none.
func (x *Display) extension(name string) (byte, error) {
	p, err := x.named(98, name)
	if err != nil || p == nil || p[8] == 0 {
		return 0, err
	}
	return p[9], nil
}

// atom returns the number of a name.
func (x *Display) atom(name string) (uint32, error) {
	p, err := x.named(16, name)
	if err != nil || p == nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(p[8:]), nil
}

// property returns the first words of a property of a window, nil if it has none.
func (x *Display) property(window, atom uint32) ([]uint32, error) {
	const most = 64
	p, err := x.ask(request(20, 0, longs(window, atom, 0, 0, most)))
	if err != nil || p == nil {
		return nil, err
	}
	return propertyWords(p), nil
}

// propertyWords reads the reply to a request for a property.
func propertyWords(p []byte) (list []uint32) {
	if len(p) < 32 || p[1] != 32 {
		return nil
	}
	n := min(uint64(binary.LittleEndian.Uint32(p[16:])), uint64(len(p)-32)/4)
	for i := range n {
		list = append(list, binary.LittleEndian.Uint32(p[32+4*i:]))
	}
	return list
}

// follow asks for events when properties of a window change.
func (x *Display) follow(window uint32) error {
	const eventMask, propertyChange = 1 << 11, 1 << 22
	return x.write(request(2, 0, longs(window, eventMask, propertyChange)))
}

// Guest reports whether the display is one of a Wayland compositor, and so knows some windows only.
func (x *Display) Guest() (bool, error) {
	opcode, err := x.extension("XWAYLAND")
	return opcode != 0, err
}

// Idle returns how long there was no input, as the screen saver extension knows.
func (x *Display) Idle() (time.Duration, error) {
	if x.saver == 0 {
		opcode, err := x.extension("MIT-SCREEN-SAVER")
		if err != nil {
			return 0, err
		}
		if opcode == 0 {
			return 0, local.Lacks(words.New("said.sensor.the-display-has-no-mit-screen", nil))
		}
		x.saver = opcode
	}
	p, err := x.ask(request(x.saver, 1, longs(x.root)))
	if err != nil {
		return 0, err
	}
	if p == nil {
		return 0, words.New("said.sensor.the-display-does-not-tell", nil)
	}
	return time.Duration(binary.LittleEndian.Uint32(p[16:])) * time.Millisecond, nil
}
