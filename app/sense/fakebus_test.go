package sense

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
)

// fakeBus is a bus with services, as small as will do. It marshals for itself what the client never sends:
// variants and arrays.
type fakeBus struct {
	mu      sync.Mutex
	methods map[string]method // by name of the service, path and member, with spaces
	props   map[string]typed  // by name of the service, path and property
	conns   map[net.Conn]chan struct{}
	calls   map[string]int
	silent  bool // swallows all calls of services
}

type method func(args []any) (typed, error)

// typed is a value with its signature.
type typed struct {
	sig string
	v   any
}

var errSilent = errors.New("no answer")

func newFakeBus() *fakeBus {
	return &fakeBus{
		methods: make(map[string]method), props: make(map[string]typed), conns: make(map[net.Conn]chan struct{}), calls: make(map[string]int),
	}
}

// set sets a property.
func (b *fakeBus) set(name, path, property, sig string, v any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.props[name+" "+path+" "+property] = typed{sig, v}
}

// on answers a method with a value.
func (b *fakeBus) on(name, path, member, sig string, v any) {
	b.handle(name, path, member, func([]any) (typed, error) { return typed{sig, v}, nil })
}

func (b *fakeBus) handle(name, path, member string, m method) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.methods[name+" "+path+" "+member] = m
}

func (b *fakeBus) count(member string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls[member]
}

func (b *fakeBus) hush(silent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.silent = silent
}

// die closes every connection.
func (b *fakeBus) die() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.conns {
		c.Close()
	}
}

func (b *fakeBus) serve(conn net.Conn) {
	r := bufio.NewReader(conn)
	if _, err := r.ReadString('\n'); err != nil {
		return
	}
	b.mu.Lock()
	b.conns[conn] = make(chan struct{}, 1)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.conns, conn)
	}()
	fmt.Fprint(conn, "OK 0123456789abcdef\r\n")
	if line, err := r.ReadString('\n'); err != nil || line != "BEGIN\r\n" {
		return
	}
	for {
		m, err := readMessage(r)
		if err != nil {
			return
		}
		if m.flags&flagNoAutoStart == 0 {
			panic("a call that may start a service")
		}
		b.answer(conn, m)
	}
}

func (b *fakeBus) answer(conn net.Conn, m *busMessage) {
	args, err := m.values()
	if err != nil {
		panic(err)
	}
	v, err := b.result(m, args)
	if m.flags&flagNoReply != 0 || errors.Is(err, errSilent) {
		return
	}
	reply := &busMessage{kind: busReply, flags: flagNoReply, serial: 1, replyTo: m.serial, destination: m.sender}
	if err != nil {
		reply.kind, reply.errorName = busError, "org.example.Error"
		v = typed{"s", err.Error()}
	}
	b.write(conn, reply, v)
}

func (b *fakeBus) result(m *busMessage, args []any) (typed, error) {
	b.mu.Lock()
	b.calls[m.member]++
	at := m.destination + " " + string(m.path) + " "
	f, silent := b.methods[at+m.member], b.silent
	var prop typed
	hasProp := false
	if m.iface == busProps && m.member == "Get" {
		prop, hasProp = b.props[at+args[1].(string)]
	}
	b.mu.Unlock()
	switch {
	case m.destination == busName:
		return typed{"s", ":1.7"}, nil
	case silent:
		return typed{}, errSilent
	case hasProp:
		return typed{"v", prop}, nil
	case f != nil:
		return f(args)
	}
	return typed{}, fmt.Errorf("the name %s was not provided", m.destination)
}

func (b *fakeBus) write(conn net.Conn, m *busMessage, v typed) {
	var w busWriter
	put(&w, v.sig, v.v)
	m.signature, m.body = v.sig, w.b
	b.mu.Lock()
	turn := b.conns[conn]
	b.mu.Unlock()
	if turn == nil {
		return
	}
	turn <- struct{}{}
	defer func() { <-turn }()
	conn.Write(m.encode())
}

// signal sends a signal to everybody, wanted or not.
func (b *fakeBus) signal(path, full string) {
	b.mu.Lock()
	var all []net.Conn
	for c := range b.conns {
		all = append(all, c)
	}
	b.mu.Unlock()
	i := strings.LastIndexByte(full, '.')
	for _, c := range all {
		b.write(c, &busMessage{
			kind: busSignal, flags: flagNoReply, serial: 1, path: objectPath(path), iface: full[:i], member: full[i+1:],
		}, typed{"u", uint32(1)})
	}
}

// put marshals a value of one type.
func put(w *busWriter, sig string, v any) {
	switch sig[0] {
	case 'v':
		inner := v.(typed)
		w.sig(inner.sig)
		put(w, inner.sig, inner.v)
	case '(':
		w.align(8)
		rest := sig[1 : len(sig)-1]
		for _, f := range v.([]any) {
			one, more, err := nextType(rest, 0)
			if err != nil {
				panic(err)
			}
			put(w, one, f)
			rest = more
		}
	case 'a':
		w.u32(0)
		at := len(w.b)
		if strings.ContainsRune("({xtd", rune(sig[1])) {
			w.align(8)
		}
		start := len(w.b)
		switch v := v.(type) {
		case string:
			w.b = append(w.b, v...)
		case []any:
			for _, e := range v {
				put(w, sig[1:], e)
			}
		}
		n := len(w.b) - start
		w.b[at-4], w.b[at-3], w.b[at-2], w.b[at-1] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
	default:
		if got := w.value(v); got != sig {
			panic(fmt.Sprintf("%T is no %s", v, sig))
		}
	}
}
