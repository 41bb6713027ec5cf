package sense

import (
	"bufio"
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
)

// What of the X11 protocol is needed: properties of windows, and how long there was no input. github.com/jezek/xgb has
// no deadlines, makes room for replies of any length, and finds the key to a display only where it connects by itself.

var errX11 = errors.New("the display sends what is not X11")

const (
	// maxX11 bounds a reply; ours are some hundred bytes, only the first one has kilobytes.
	maxX11 = 64 << 10
	// maxX11Events bounds what may come before one reply.
	maxX11Events = 1000
)

// x11 is a connection to a display. It is not safe for concurrent use.
type x11 struct {
	conn     net.Conn
	r        *bufio.Reader
	flow     local.Throttle
	root     uint32
	sequence uint16
	changed  bool // a property has changed since this was last false
}

// display is a display of this computer.
type display struct{ number, screen int }

// parseDisplay reads ":0" or ":0.1". Displays of other computers are none of ours.
func parseDisplay(s string) (d display, err error) {
	name, ok := strings.CutPrefix(strings.TrimPrefix(s, "unix"), ":")
	if !ok {
		return d, fmt.Errorf("the display %q is not on this computer", local.Clean(s, local.MaxText))
	}
	number, screen, hasScreen := strings.Cut(name, ".")
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return d, fmt.Errorf("the display %q has no number", local.Clean(s, local.MaxText))
	}
	if hasScreen {
		m, err := strconv.ParseUint(screen, 10, 8)
		if err != nil {
			return d, fmt.Errorf("the display %q has no such screen", local.Clean(s, local.MaxText))
		}
		d.screen = int(m)
	}
	d.number = int(n)
	return d, nil
}

// openX11 connects to the display that the environment names.
func (o *Options) openX11(ctx context.Context) (*x11, error) {
	name := o.Getenv("DISPLAY")
	if name == "" {
		return nil, local.Lacks("no DISPLAY is set")
	}
	d, err := parseDisplay(name)
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("/tmp/.X11-unix/X%d", d.number)
	conn, err := o.Dial(ctx, path)
	if err != nil {
		conn, err = o.Dial(ctx, "@"+path)
	}
	if err != nil {
		return nil, err
	}
	x := &x11{conn: conn, r: bufio.NewReaderSize(conn, 4096)}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := x.setup(d, o.x11Cookie(d.number)); err != nil {
		conn.Close()
		return nil, err
	}
	return x, nil
}

func (x *x11) close() { x.conn.Close() }

// setup is the first exchange.
func (x *x11) setup(d display, cookie []byte) error {
	x.conn.SetDeadline(time.Now().Add(local.Timeout))
	name := ""
	if len(cookie) > 0 {
		name = x11Auth
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
	if n > maxX11 {
		return errX11
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(x.r, body); err != nil {
		return err
	}
	if head[0] != 1 {
		return fmt.Errorf("the display does not let us in: %s",
			local.Clean(string(body[:min(int(head[1]), n)]), local.MaxText))
	}
	root, err := x11Root(body, d.screen)
	x.root = root
	return err
}

// x11Root finds the root window of a screen in the answer to setup.
func x11Root(b []byte, screen int) (uint32, error) {
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
	return 0, fmt.Errorf("%w: it has no screen %d", errX11, screen)
}

func pad4(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// x11Request is opcode, the byte behind it, and the rest in units of four bytes.
func x11Request(opcode, data byte, body []byte) []byte {
	body = pad4(body)
	b := []byte{opcode, data, 0, 0}
	binary.LittleEndian.PutUint16(b[2:], uint16(1+len(body)/4))
	return append(b, body...)
}

func words(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// write sends a request.
func (x *x11) write(b []byte) error {
	x.sequence++
	x.conn.SetWriteDeadline(time.Now().Add(local.Timeout))
	_, err := x.conn.Write(b)
	return err
}

// ask sends a request and returns its reply of 32 bytes or more, or nil if the display refuses it.
func (x *x11) ask(b []byte) ([]byte, error) {
	if err := x.write(b); err != nil {
		return nil, err
	}
	x.conn.SetReadDeadline(time.Now().Add(local.Timeout))
	for range maxX11Events {
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
func (x *x11) packet() ([]byte, error) {
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
		if n > maxX11/4 {
			return nil, errX11
		}
		p = append(p, make([]byte, 4*n)...)
		if _, err := io.ReadFull(x.r, p[32:]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// wait waits for a change of a property, at most for d. It may return early.
func (x *x11) wait(ctx context.Context, d time.Duration) error {
	stop := context.AfterFunc(ctx, func() { x.conn.Close() })
	defer stop()
	x.conn.SetReadDeadline(time.Now().Add(d))
	for !x.changed {
		if _, err := x.r.Peek(1); err != nil {
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
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

// extension returns the opcode of an extension, 0 if there is none.
func (x *x11) extension(name string) (byte, error) {
	b := []byte{byte(len(name)), 0, 0, 0}
	p, err := x.ask(x11Request(98, 0, append(b, name...)))
	if err != nil || p == nil || p[8] == 0 {
		return 0, err
	}
	return p[9], nil
}

// atom returns the number of a name.
func (x *x11) atom(name string) (uint32, error) {
	b := []byte{byte(len(name)), 0, 0, 0}
	p, err := x.ask(x11Request(16, 0, append(b, name...)))
	if err != nil || p == nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(p[8:]), nil
}

// property returns the first words of a property of a window, nil if it has none.
func (x *x11) property(window, atom uint32) ([]uint32, error) {
	const most = 64
	p, err := x.ask(x11Request(20, 0, words(window, atom, 0, 0, most)))
	if err != nil || p == nil {
		return nil, err
	}
	return x11Words(p), nil
}

// x11Words reads the reply to a request for a property.
func x11Words(p []byte) (list []uint32) {
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
func (x *x11) follow(window uint32) error {
	const eventMask, propertyChange = 1 << 11, 1 << 22
	return x.write(x11Request(2, 0, words(window, eventMask, propertyChange)))
}

// x11Idle asks the screen saver extension how long there was no input.
func (x *x11) idle(opcode byte) (time.Duration, error) {
	p, err := x.ask(x11Request(opcode, 1, words(x.root)))
	if err != nil {
		return 0, err
	}
	if p == nil {
		return 0, errors.New("the display does not tell")
	}
	return time.Duration(binary.LittleEndian.Uint32(p[16:])) * time.Millisecond, nil
}
