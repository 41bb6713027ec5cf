package sense

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/sense/local"
)

// Objects as our client numbers them.
const (
	wlDisplay  = 1
	wlRegistry = 2
	wlNotifier = 4
)

// wlMessage makes an event.
func wlMessage(object uint32, opcode uint16, args ...any) []byte {
	b := longs(object, 0)
	for _, a := range args {
		switch a := a.(type) {
		case uint32:
			b = append(b, longs(a)...)
		case string:
			b = append(append(b, longs(uint32(len(a)+1))...), a...)
			b = append(b, make([]byte, 4-len(a)%4)...)
		}
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b))<<16|uint32(opcode))
	return b
}

// fakeWayland is a compositor with seats.
type fakeWayland struct {
	mu       sync.Mutex
	version  uint32 // of the notifier; 0 if there is none
	seats    int
	conn     net.Conn
	notes    []uint32
	opcode   uint16
	silent   bool
	timeouts []uint32
}

func (f *fakeWayland) serve(conn net.Conn) {
	f.mu.Lock()
	f.conn, f.notes = conn, nil
	f.mu.Unlock()
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		object, n := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
		body := make([]byte, n>>16-8)
		if _, err := io.ReadFull(conn, body); err != nil {
			return
		}
		f.handle(conn, object, uint16(n), body)
	}
}

func (f *fakeWayland) handle(conn net.Conn, object uint32, opcode uint16, body []byte) {
	send := func(object uint32, opcode uint16, args ...any) { conn.Write(wlMessage(object, opcode, args...)) }
	f.mu.Lock()
	version, seats, silent := f.version, f.seats, f.silent
	f.mu.Unlock()
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(body[4*i:]) }
	switch {
	case object == wlDisplay && opcode == 1:
		send(wlRegistry, 0, uint32(1), "wl_compositor", uint32(6))
		if version > 0 {
			send(wlRegistry, 0, uint32(2), "ext_idle_notifier_v1", version)
		}
		for i := range seats {
			send(wlRegistry, 0, uint32(10+i), "wl_seat", uint32(9))
		}
	case object == wlDisplay && opcode == 0 && !silent:
		send(word(0), 0, uint32(0))
		send(wlDisplay, 1, word(0))
	case object == wlNotifier:
		f.mu.Lock()
		f.notes, f.opcode, f.timeouts = append(f.notes, word(0)), opcode, append(f.timeouts, word(1))
		f.mu.Unlock()
	}
}

// tell says that a seat is idle, or not any more.
func (f *fakeWayland) tell(seat int, idle bool) {
	f.mu.Lock()
	note, conn := f.notes[seat], f.conn
	f.mu.Unlock()
	opcode := uint16(1)
	if idle {
		opcode = 0
	}
	conn.Write(wlMessage(note, opcode))
}

func onWayland(t *testing.T, f *fakeWayland, story func(c *computer, h *Hub)) {
	runOn(t, func(c *computer) {
		c.env["WAYLAND_DISPLAY"] = "wayland-5"
		c.listen(wlSocket, f.serve)
	}, story)
}

func TestWayland_TellsOfInput(t *testing.T) {
	for version, opcode := range map[uint32]uint16{1: 1, 2: 2, 9: 2} {
		f := &fakeWayland{version: version, seats: 2}
		onWayland(t, f, func(c *computer, h *Hub) {
			is(t, "at first", after(h, time.Second).Input, Input{Active: true}, "Wayland")
			f.tell(0, true)
			is(t, "one seat idle", after(h, time.Second).Input, Input{Active: true}, "Wayland")
			f.tell(1, true)
			got := after(h, time.Hour).Input // and the compositor lives
			if !got.Known || got.Value.Active || got.Value.IdleFor(time.Now()) != time.Hour+activeFor {
				t.Errorf("idle = %+v", got)
			}
			f.tell(0, false)
			is(t, "a key", after(h, time.Millisecond).Input, Input{Active: true}, "Wayland")
			f.mu.Lock()
			f.silent = true
			f.mu.Unlock()
			unknown(t, "when it hangs", after(h, backup+2*local.Timeout).Input)
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.opcode != opcode || f.timeouts[0] != uint32(activeFor.Milliseconds()) {
				t.Errorf("version %d: asked by request %d for %d ms", version, f.opcode, f.timeouts[0])
			}
		})
	}
}

func TestWayland_WithoutWhatIsNeeded(t *testing.T) {
	for name, f := range map[string]*fakeWayland{"no notifier": {seats: 1}, "no seat": {version: 2},
		"silent": {version: 1, seats: 1, silent: true}} {
		t.Run(name, func(t *testing.T) {
			onWayland(t, f, func(c *computer, h *Hub) { unknown(t, "input", after(h, time.Minute).Input) })
		})
	}
}

func TestWayland_HostileOnesAreLeft(t *testing.T) {
	for name, b := range map[string][]byte{
		"garbage":      []byte("GET / HTTP/1.1\r\n\r\n"),
		"no length":    longs(wlRegistry, 0),
		"bad string":   longs(wlRegistry, 20<<16, 1, 0xffffffff, 1),
		"a refusal":    wlMessage(wlDisplay, 0, uint32(4), uint32(0), "no\x1b"),
		"half a word":  {1, 2},
		"short global": longs(wlRegistry, 8<<16),
	} {
		t.Run(name, func(t *testing.T) {
			runOn(t, func(c *computer) {
				c.env["WAYLAND_DISPLAY"] = wlSocket
				c.listen(wlSocket, func(conn net.Conn) {
					go io.Copy(io.Discard,
						conn)
					conn.Write(b)
					time.Sleep(time.Hour)
				})
			}, func(c *computer, h *Hub) { unknown(t, "input", after(h, 10*time.Minute).Input) })
		})
	}
}
