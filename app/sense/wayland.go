package sense

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/forage-net/forage/app/sense/local"
)

// What of the Wayland protocol is needed: ext-idle-notify-v1.

var errWayland = errors.New("the compositor sends what is not Wayland")

const (
	// maxWaylandSeats bounds the sets of keyboard and pointer that are listened to.
	maxWaylandSeats = 4
	// maxWaylandMessages bounds what the compositor may say in one breath.
	maxWaylandMessages = 4096
)

// Objects of ours; notifications follow, then seats.
const (
	wlDisplay  = 1
	wlRegistry = 2
	wlCallback = 3
	wlNotifier = 4
	wlFirst    = 8
)

type wayland struct {
	conn net.Conn
	r    *bufio.Reader

	notifier, version uint32   // name and version of the idle notifier, 0 if there is none
	seats             []uint32 // names
	bound             bool
	idle              map[uint32]bool // by notification
}

// openWayland connects to the compositor that the environment names.
func (o *Options) openWayland(ctx context.Context) (*wayland, error) {
	name := o.Getenv("WAYLAND_DISPLAY")
	if name == "" {
		return nil, local.Lacks("no WAYLAND_DISPLAY is set")
	}
	if !strings.HasPrefix(name, "/") {
		dir := o.Getenv("XDG_RUNTIME_DIR")
		if dir == "" {
			return nil, local.Lacks("no XDG_RUNTIME_DIR is set")
		}
		name = dir + "/" + name
	}
	conn, err := o.Dial(ctx, name)
	if err != nil {
		return nil, err
	}
	return &wayland{conn: conn, r: bufio.NewReaderSize(conn, 4096), idle: make(map[uint32]bool)}, nil
}

// wlMessage makes a request. Numbers are in the order of this computer, which is
// little-endian wherever Wayland runs.
func wlMessage(object uint32, opcode uint16, args ...any) []byte {
	b := words(object, 0)
	for _, a := range args {
		switch a := a.(type) {
		case uint32:
			b = append(b, words(a)...)
		case string:
			b = append(b, words(uint32(len(a)+1))...)
			b = pad4(append(append(b, a...), 0))
		}
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b))<<16|uint32(opcode))
	return b
}

func (w *wayland) write(b []byte) error {
	w.conn.SetWriteDeadline(time.Now().Add(local.Timeout))
	_, err := w.conn.Write(b)
	return err
}

// start asks what there is and for notifications when there was no input for d.
func (w *wayland) start(d time.Duration) error {
	if err := w.write(append(wlMessage(wlDisplay, 1, uint32(wlRegistry)),
		wlMessage(wlDisplay, 0, uint32(wlCallback))...)); err != nil {
		return err
	}
	w.conn.SetReadDeadline(time.Now().Add(local.Timeout))
	for range maxWaylandMessages {
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

func (w *wayland) bind(d time.Duration) error {
	if w.notifier == 0 {
		return local.Lacks("the compositor does not tell of idle time (ext-idle-notify-v1)")
	}
	if len(w.seats) == 0 {
		return errors.New("the compositor has no seat")
	}
	version := min(w.version, 2)
	b := wlMessage(wlRegistry, 0, w.notifier, "ext_idle_notifier_v1", version, uint32(wlNotifier))
	opcode := uint16(1)
	if version == 2 {
		opcode = 2 // by input alone: inhibitors are asked for elsewhere
	}
	for i, name := range w.seats {
		seat, note := uint32(wlFirst+2*i), uint32(wlFirst+2*i+1)
		b = append(b, wlMessage(wlRegistry, 0, name, "wl_seat", uint32(1), seat)...)
		b = append(b, wlMessage(wlNotifier, opcode, note, uint32(d.Milliseconds()), seat)...)
		w.idle[note] = false
	}
	w.bound = true
	return w.write(b)
}

// active reports whether any seat is in use.
func (w *wayland) active() bool {
	for _, idle := range w.idle {
		if !idle {
			return true
		}
	}
	return false
}

// next reads one event. It reports whether the answer to sync has come, or a notification.
func (w *wayland) next() (bool, error) {
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
	case object == wlDisplay && opcode == 0:
		return false, fmt.Errorf("the compositor refuses: %s", local.Clean(wlError(body), local.MaxText))
	case object == wlRegistry && opcode == 0:
		return false, w.global(body)
	case object == wlCallback:
		return !w.bound, nil
	}
	if _, ok := w.idle[object]; ok && opcode < 2 {
		w.idle[object] = opcode == 0
		return true, nil
	}
	return false, nil
}

// wlError is the text of an error: object, code, text.
func wlError(b []byte) string {
	if len(b) < 8 {
		return ""
	}
	s, _, _ := wlString(b[8:])
	return s
}

// wlString reads a string and returns what follows.
func wlString(b []byte) (string, []byte, error) {
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
func (w *wayland) global(b []byte) error {
	if len(b) < 4 || w.bound {
		return nil
	}
	name := binary.LittleEndian.Uint32(b)
	iface, rest, err := wlString(b[4:])
	if err != nil || len(rest) < 4 {
		return errWayland
	}
	switch iface {
	case "ext_idle_notifier_v1":
		w.notifier, w.version = name, binary.LittleEndian.Uint32(rest)
	case "wl_seat":
		if len(w.seats) < maxWaylandSeats {
			w.seats = append(w.seats, name)
		}
	}
	return nil
}
