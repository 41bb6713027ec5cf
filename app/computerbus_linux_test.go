package app

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

// What of the D-Bus protocol a computer of a test needs: calls in; replies, errors and signals out.

// busCall is a call of a method.
type busCall struct {
	flags                     byte
	serial                    uint32
	destination, path, member string
	property                  string // that Get asks for
}

// serveBus answers one connection.
func (c *computer) serveBus(conn net.Conn) {
	r := bufio.NewReader(conn)
	for _, say := range []string{"REJECTED EXTERNAL", "DATA", "OK 0123456789abcdef"} {
		if _, err := r.ReadString('\n'); err != nil {
			return
		}
		fmt.Fprint(conn, say+"\r\n")
	}
	if line, err := r.ReadString('\n'); err != nil || line != "BEGIN\r\n" {
		return
	}
	for {
		call, err := readBusCall(r)
		if err != nil {
			return
		}
		const noReply = 1
		if call.flags&noReply != 0 {
			continue
		}
		sig, body := c.answer(call)
		if sig == "error" {
			c.write(conn, busMessage(3, sig, nil, busField{4, 's', "org.freedesktop.DBus.Error.ServiceUnknown"}, busField{5, 'u', call.serial}))
			continue
		}
		c.write(conn, busMessage(2, sig, body, busField{5, 'u', call.serial}))
	}
}

// write writes one message at a time: signals come in between.
func (c *computer) write(conn net.Conn, message []byte) {
	c.mu.Lock()
	turn := c.conns[conn]
	c.mu.Unlock()
	if turn == nil {
		return
	}
	turn <- struct{}{}
	defer func() { <-turn }()
	conn.Write(message)
}

// signal tells everybody of a signal.
func (c *computer) signal(path, iface, member string) {
	c.mu.Lock()
	var all []net.Conn
	for conn := range c.conns {
		all = append(all, conn)
	}
	c.mu.Unlock()
	for _, conn := range all {
		c.write(conn, busMessage(4, "", nil, busField{1, 'o', path}, busField{2, 's', iface}, busField{3, 's', member}))
	}
}

// answer returns signature and body of the reply to a call; "error" is that of a service that does not run.
func (c *computer) answer(call busCall) (sig string, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var w busBytes
	name := call.member
	if name == "Get" {
		name = call.property
	}
	switch call.destination + " " + name {
	case "org.freedesktop.DBus Hello":
		w.str(":1.7")
		return "s", w
	case "org.freedesktop.DBus AddMatch":
		return "", nil
	case "org.gnome.Mutter.IdleMonitor GetIdletime":
		return "t", binary.LittleEndian.AppendUint64(nil, uint64(time.Since(c.input).Milliseconds()))
	case "org.gnome.Mutter.IdleMonitor AddIdleWatch", "org.gnome.Mutter.IdleMonitor AddUserActiveWatch":
		w.u32(1)
		return "u", w
	case "org.freedesktop.login1 PreparingForSleep":
		w.variant('b', 0)
		return "v", w
	case "org.freedesktop.login1 ListInhibitors":
		return "a(ssssuu)", c.inhibitors()
	case "org.freedesktop.NetworkManager State":
		const connected = 70
		w.variant('u', connected)
		return "v", w
	case "org.freedesktop.NetworkManager PrimaryConnectionType":
		w.variantText('s', "802-3-ethernet")
		return "v", w
	case "org.freedesktop.NetworkManager PrimaryConnection":
		w.variantText('o', "/connection")
		return "v", w
	case "org.freedesktop.NetworkManager Metered":
		w.variant('u', c.metered)
		return "v", w
	}
	return "error", nil
}

// inhibitors is the list of programs that keep the computer awake.
func (c *computer) inhibitors() []byte {
	var w busBytes
	w.u32(0)
	w.align(8)
	start := len(w)
	if c.film {
		for _, s := range []string{"idle", "player", "shows a film", "block"} {
			w.str(s)
		}
		w.u32(1000)
		w.u32(4711)
	}
	binary.LittleEndian.PutUint32(w, uint32(len(w)-start))
	return w
}

// busBytes marshals in little-endian order.
type busBytes []byte

func (w *busBytes) align(n int) {
	for len(*w)%n != 0 {
		*w = append(*w, 0)
	}
}

func (w *busBytes) u32(v uint32) {
	w.align(4)
	*w = binary.LittleEndian.AppendUint32(*w, v)
}

func (w *busBytes) str(s string) {
	w.u32(uint32(len(s)))
	*w = append(append(*w, s...), 0)
}

// variant is one of four bytes.
func (w *busBytes) variant(sig byte, v uint32) {
	*w = append(*w, 1, sig, 0)
	w.u32(v)
}

// variantText is a string or path.
func (w *busBytes) variantText(sig byte, s string) {
	*w = append(*w, 1, sig, 0)
	w.str(s)
}

// busField is one of a header; value is a string or uint32.
type busField struct {
	code, sig byte
	value     any
}

func busMessage(kind byte, sig string, body []byte, fields ...busField) []byte {
	w := busBytes{'l', kind, 1, 1}
	w.u32(uint32(len(body)))
	w.u32(1)
	w.u32(0)
	for _, f := range fields {
		w.align(8)
		w = append(w, f.code, 1, f.sig, 0)
		switch v := f.value.(type) {
		case string:
			w.str(v)
		case uint32:
			w.u32(v)
		}
	}
	if kind != 3 && sig != "" {
		w.align(8)
		w = append(append(w, 8, 1, 'g', 0, byte(len(sig))), sig...)
		w = append(w, 0)
	}
	binary.LittleEndian.PutUint32(w[12:], uint32(len(w)-16))
	w.align(8)
	return append(w, body...)
}

// readBusCall reads a call as the client sends them.
func readBusCall(r *bufio.Reader) (call busCall, err error) {
	head := make([]byte, 16)
	if _, err := io.ReadFull(r, head); err != nil {
		return call, err
	}
	n := int(binary.LittleEndian.Uint32(head[12:]))
	fields := make([]byte, (n+7)/8*8)
	if _, err := io.ReadFull(r, fields); err != nil {
		return call, err
	}
	body := make([]byte, binary.LittleEndian.Uint32(head[4:]))
	if _, err := io.ReadFull(r, body); err != nil {
		return call, err
	}
	call.flags, call.serial = head[2], binary.LittleEndian.Uint32(head[8:])
	for i := 0; i < n; {
		i = (i + 7) / 8 * 8
		code, sig := fields[i], fields[i+2]
		i += 4
		if sig == 'g' {
			i += int(fields[i]) + 2
			continue
		}
		v := int(binary.LittleEndian.Uint32(fields[i:]))
		i += 4
		if sig == 'u' {
			continue
		}
		text := string(fields[i : i+v])
		i += v + 1
		switch code {
		case 1:
			call.path = text
		case 3:
			call.member = text
		case 6:
			call.destination = text
		}
	}
	if call.member == "Get" {
		first := int(binary.LittleEndian.Uint32(body))
		at := (4 + first + 1 + 3) / 4 * 4
		call.property = string(body[at+4 : at+4+int(binary.LittleEndian.Uint32(body[at:]))])
	}
	return call, nil
}
