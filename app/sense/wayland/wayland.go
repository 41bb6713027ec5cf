// Package wayland is told by a Wayland compositor when nobody uses the computer: KWin, Sway, Hyprland, COSMIC and
// others speak ext-idle-notify-v1. It reads and writes the few messages that this takes; each is bounded, and each
// wait ends.
package wayland

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

var errWayland = words.New("said.sensor.the-compositor-sends-what-is-not", nil)

const (
	// maxSeats bounds the sets of keyboard and pointer that are listened to.
	maxSeats = 4
	// maxMessages bounds what the compositor may say in one breath.
	maxMessages = 4096
)

// Objects of ours; notifications follow, then seats.
const (
	display  = 1
	registry = 2
	callback = 3
	notifier = 4
	first    = 8
)

// Watch is a connection to a compositor. It is not safe for concurrent use.
type Watch struct {
	conn net.Conn
	r    *bufio.Reader

	notifier, version uint32   // name and version of the idle notifier, 0 if there is none
	seats             []uint32 // names
	bound             bool
	idle              map[uint32]bool // by notification
}

// Open connects to the compositor that the environment names, and asks to be told when there was no input for a while.
// The connection ends with ctx.
func Open(ctx context.Context, host local.Host, idle time.Duration) (*Watch, error) {
	name := host.Getenv("WAYLAND_DISPLAY")
	if name == "" {
		return nil, local.Lacks(words.New("said.sensor.no-wayland-display-is-set", nil))
	}
	if !strings.HasPrefix(name, "/") {
		dir := host.Getenv("XDG_RUNTIME_DIR")
		if dir == "" {
			return nil, local.Lacks(words.New("said.sensor.no-xdg-runtime-dir-is-set", nil))
		}
		name = dir + "/" + name
	}
	conn, err := host.Connect(ctx, name)
	if err != nil {
		return nil, err
	}
	w := newWatch(conn)
	err = w.start(idle)
	if err == nil {
		err = w.alive() // the answer to bind may be a refusal
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func newWatch(conn net.Conn) *Watch {
	return &Watch{conn: conn, r: bufio.NewReaderSize(conn, 4096), idle: make(map[uint32]bool)}
}

// Close ends the connection.
func (w *Watch) Close() { w.conn.Close() }

// message makes a request. Numbers are in the order of this computer, which is little-endian wherever Wayland runs.
func message(object uint32, opcode uint16, args ...any) []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 64), object)
	b = append(b, 0, 0, 0, 0)
	for _, a := range args {
		switch a := a.(type) {
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, a)
		case string:
			b = binary.LittleEndian.AppendUint32(b, uint32(len(a)+1))
			b = append(b, a...)
			b = append(b, make([]byte, 4-len(a)%4)...) // ends with a zero, and at a word
		}
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b))<<16|uint32(opcode))
	return b
}

func (w *Watch) write(b []byte) error {
	_, err := w.conn.Write(b)
	return err
}

// start asks what there is and for notifications when there was no input for d.
func (w *Watch) start(d time.Duration) error {
	if err := w.write(append(message(display, 1, uint32(registry)),
		message(display, 0, uint32(callback))...)); err != nil {
		return err
	}
	w.conn.SetReadDeadline(time.Now().Add(local.Timeout))
	for range maxMessages {
		done, err := w.next()
		if err != nil {
			return err
		}
		if done {
			return w.bind(d)
		}
	}
	return errWayland
}

func (w *Watch) bind(d time.Duration) error {
	if w.notifier == 0 {
		return local.Lacks(words.New("said.sensor.the-compositor-does-not-tell-of", nil))
	}
	if len(w.seats) == 0 {
		return words.New("said.sensor.the-compositor-has-no-seat", nil)
	}
	version := min(w.version, 2)
	b := message(registry, 0, w.notifier, "ext_idle_notifier_v1", version, uint32(notifier))
	opcode := uint16(1)
	if version == 2 {
		opcode = 2 // by input alone: inhibitors are asked for elsewhere
	}
	for i, name := range w.seats {
		seat, note := uint32(first+2*i), uint32(first+2*i+1)
		b = append(b, message(registry, 0, name, "wl_seat", uint32(1), seat)...)
		b = append(b, message(notifier, opcode, note, uint32(d.Milliseconds()), seat)...)
		w.idle[note] = false
	}
	w.bound = true
	return w.write(b)
}

// Active reports whether any seat is in use.
func (w *Watch) Active() bool {
	for _, idle := range w.idle {
		if !idle {
			return true
		}
	}
	return false
}

// Next waits for an event, and makes sure that the compositor lives if there is none for d. It reports whether
// Active may have changed.
func (w *Watch) Next(d time.Duration) (bool, error) {
	w.conn.SetReadDeadline(time.Now().Add(d))
	if _, err := w.r.Peek(1); err != nil {
		var late net.Error
		if !errors.As(err, &late) || !late.Timeout() {
			return false, err
		}
		return false, w.alive()
	}
	w.conn.SetReadDeadline(time.Now().Add(local.Timeout))
	return w.next()
}

// alive asks for an answer.
func (w *Watch) alive() error {
	if err := w.write(message(display, 0, uint32(callback))); err != nil {
		return err
	}
	w.conn.SetReadDeadline(time.Now().Add(local.Timeout))
	_, err := w.r.Peek(1)
	return err
}

// next reads one event. It reports whether the answer to sync has come, or a notification.
func (w *Watch) next() (bool, error) {
	var head [8]byte
	if _, err := io.ReadFull(w.r, head[:]); err != nil {
		return false, err
	}
	object, n := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	opcode, size := n&0xffff, int(n>>16)
	if size < 8 {
		return false, errWayland
	}
	body := make([]byte, size-8) // 64 KiB at most
	if _, err := io.ReadFull(w.r, body); err != nil {
		return false, err
	}
	switch {
	case object == display && opcode == 0:
		return false, words.New("said.sensor.the-compositor-refuses",
			words.Args{"text": local.Clean(refusal(body), local.MaxText)})
	case object == registry && opcode == 0:
		return false, w.global(body)
	case object == callback:
		return !w.bound, nil
	}
	if _, ok := w.idle[object]; ok && opcode < 2 {
		w.idle[object] = opcode == 0
		return true, nil
	}
	return false, nil
}

// refusal is the text of an error: object, code, text.
func refusal(b []byte) string {
	if len(b) < 8 {
		return ""
	}
	s, _, _ := text(b[8:])
	return s
}

// text reads a string and returns what follows.
func text(b []byte) (string, []byte, error) {
	if len(b) < 4 {
		return "", nil, errWayland
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if n == 0 || 4+(n+3)&^3 > uint64(len(b)) {
		return "", nil, errWayland
	}
	return string(b[4 : 4+n-1]), b[4+(n+3)&^3:], nil
}

// global notes what the compositor offers.
func (w *Watch) global(b []byte) error {
	if len(b) < 4 || w.bound {
		return nil
	}
	name := binary.LittleEndian.Uint32(b)
	iface, rest, err := text(b[4:])
	if err != nil || len(rest) < 4 {
		return errWayland
	}
	switch iface {
	case "ext_idle_notifier_v1":
		w.notifier, w.version = name, binary.LittleEndian.Uint32(rest)
	case "wl_seat":
		if len(w.seats) < maxSeats {
			w.seats = append(w.seats, name)
		}
	}
	return nil
}
