package sense

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// fakeX is a display with one screen.
type fakeX struct {
	mu         sync.Mutex
	extensions map[string]byte // opcodes
	idle       time.Duration
	atoms      []string
	props      map[[2]uint32][]uint32 // by window and atom
	conns      map[net.Conn]*fakeXConn
	asked      int
}

type fakeXConn struct {
	turn     chan struct{}
	sequence uint16
}

func longs(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

const fakeRoot = 0x77

func newFakeX() *fakeX {
	return &fakeX{
		extensions: map[string]byte{"MIT-SCREEN-SAVER": 144}, props: make(map[[2]uint32][]uint32),
		conns: make(map[net.Conn]*fakeXConn),
		atoms: []string{"", "PRIMARY"},
	}
}

func (x *fakeX) atom(name string) uint32 {
	i := slices.Index(x.atoms, name)
	if i < 0 {
		i = len(x.atoms)
		x.atoms = append(x.atoms, name)
	}
	return uint32(i)
}

// set changes a property, and tells everybody.
func (x *fakeX) set(window uint32, name string, values ...uint32) {
	x.mu.Lock()
	x.props[[2]uint32{window, x.atom(name)}] = values
	atom := x.atom(name)
	conns := make(map[net.Conn]*fakeXConn)
	for c, k := range x.conns {
		conns[c] = k
	}
	x.mu.Unlock()
	for c, k := range conns {
		k.turn <- struct{}{}
		c.Write(append([]byte{28, 0, byte(k.sequence), byte(k.sequence >> 8)},
			append(longs(window, atom, 0, 0), make([]byte, 12)...)...))
		<-k.turn
	}
}

// known reports whether a window has any property.
func (x *fakeX) known(window uint32) bool {
	for k := range x.props {
		if k[0] == window {
			return true
		}
	}
	return false
}

func (x *fakeX) idleFor(d time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.idle = d
}

func (x *fakeX) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.asked
}

func (x *fakeX) die() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for c := range x.conns {
		c.Close()
	}
}

// fakeSetup answers the first message: one pixel format, one screen with one depth of one visual.
func fakeSetup() []byte {
	b := make([]byte, 32+8+8+40+8+24)
	binary.LittleEndian.PutUint16(b[16:], 6)
	copy(b[32:], "vendor")
	b[20], b[21] = 1, 1
	binary.LittleEndian.PutUint32(b[48:], fakeRoot)
	b[48+39] = 1
	binary.LittleEndian.PutUint16(b[88+2:], 1)
	return b
}

func (x *fakeX) serve(conn net.Conn) {
	head := make([]byte, 12)
	if _, err := io.ReadFull(conn, head); err != nil {
		return
	}
	b := fakeSetup()
	conn.Write(append([]byte{1, 0, 11, 0, 0, 0, byte(len(b) / 4), 0}, b...))
	k := &fakeXConn{turn: make(chan struct{}, 1)}
	x.mu.Lock()
	x.conns[conn] = k
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.conns, conn)
	}()
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		body := make([]byte, 4*int(binary.LittleEndian.Uint16(head[2:]))-4)
		if _, err := io.ReadFull(conn, body); err != nil {
			return
		}
		k.turn <- struct{}{}
		k.sequence++
		if p := x.reply(head, body); p != nil {
			p[2], p[3] = byte(k.sequence), byte(k.sequence>>8)
			conn.Write(p)
		}
		<-k.turn
	}
}

func (x *fakeX) reply(head, body []byte) []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := make([]byte, 32)
	p[0] = 1
	name := func() string { return string(body[4 : 4+int(body[0])]) }
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(body[4*i:]) }
	switch head[0] {
	case 98:
		if code := x.extensions[name()]; code != 0 {
			p[8], p[9] = 1, code
		}
	case 16:
		binary.LittleEndian.PutUint32(p[8:], x.atom(name()))
	case 20:
		values, ok := x.props[[2]uint32{word(0), word(1)}]
		if !ok && word(0) != fakeRoot {
			return append([]byte{0, 3}, make([]byte, 30)...) // no such window
		}
		if ok {
			p[1] = 32
			binary.LittleEndian.PutUint32(p[4:], uint32(len(values)))
			binary.LittleEndian.PutUint32(p[16:], uint32(len(values)))
			p = append(p, longs(values...)...)
		}
	case 144:
		x.asked++
		binary.LittleEndian.PutUint32(p[16:], uint32(x.idle.Milliseconds()))
	case 2:
		if word(0) == fakeRoot || x.known(word(0)) {
			return nil
		}
		return append([]byte{0, 3}, make([]byte, 30)...)
	}
	return p
}
