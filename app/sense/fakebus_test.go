package sense

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/sensetest"
)

// fakeBus is a bus with services, as small as will do.
type fakeBus struct {
	mu      sync.Mutex
	methods map[string]method // by name of the service, path and member, with spaces
	props   map[string]any    // by name of the service, path and property
	conns   map[io.Closer]func(path, signal string)
	calls   map[string]int
	silent  bool // swallows all calls of services
}

type method func() any

func newFakeBus() *fakeBus {
	return &fakeBus{
		methods: make(map[string]method), props: make(map[string]any),
		conns: make(map[io.Closer]func(path, signal string)),
		calls: make(map[string]int),
	}
}

// set sets a property.
func (b *fakeBus) set(name, path, property string, v any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.props[name+" "+path+" "+property] = v
}

// on answers a method with a value.
func (b *fakeBus) on(name, path, member string, v any) {
	b.handle(name, path, member, func() any { return v })
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

// signal sends a signal to everybody, wanted or not.
func (b *fakeBus) signal(path, full string) {
	b.mu.Lock()
	var all []func(path, signal string)
	for _, tell := range b.conns {
		all = append(all, tell)
	}
	b.mu.Unlock()
	for _, tell := range all {
		tell(path, full)
	}
}

// join has a connection told of signals, until the function is called.
func (b *fakeBus) join(c io.Closer, tell func(path, signal string)) (leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conns[c] = tell
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.conns, c)
	}
}

// welcome lets a client in as a bus does.
func welcome(conn net.Conn, r *bufio.Reader) error {
	for _, say := range []string{"REJECTED EXTERNAL", "DATA", "OK 0123456789abcdef"} {
		if _, err := r.ReadString('\n'); err != nil {
			return err
		}
		fmt.Fprint(conn, say+"\r\n")
	}
	if line, err := r.ReadString('\n'); err != nil || line != "BEGIN\r\n" {
		return fmt.Errorf("the client says %q, %w", line, err)
	}
	return nil
}

func (b *fakeBus) serve(conn net.Conn) {
	r := bufio.NewReader(conn)
	if welcome(conn, r) != nil {
		return
	}
	turn := make(chan struct{}, 1) // a bubble's time goes on while somebody waits for it
	write := func(b []byte) {
		turn <- struct{}{}
		defer func() { <-turn }()
		conn.Write(b)
	}
	defer b.join(conn, func(path, signal string) { write(sensetest.Signal(path, signal)) })()
	for {
		m, err := dbus.DecodeMessage(r)
		if err != nil {
			return
		}
		if m.Flags&dbus.FlagNoAutoStart == 0 {
			panic("a call that may start a service")
		}
		of := func(f dbus.HeaderField) string { return fmt.Sprint(m.Headers[f].Value()) }
		v, err := b.result(of(dbus.FieldDestination), of(dbus.FieldPath), of(dbus.FieldMember), m.Body)
		if m.Flags&dbus.FlagNoReplyExpected != 0 || errors.Is(err, errSilent) {
			continue
		}
		reply := &dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldReplySerial: dbus.MakeVariant(m.Serial()),
		}}
		if err != nil {
			reply.Type, v = dbus.TypeError, err.Error()
			reply.Headers[dbus.FieldErrorName] = dbus.MakeVariant("org.example.Error")
		}
		write(sensetest.Encoded(reply, v))
	}
}

var errSilent = errors.New("no answer")

func (b *fakeBus) result(name, path, member string, args []any) (any, error) {
	b.mu.Lock()
	b.calls[member]++
	at := name + " " + path + " "
	f, silent := b.methods[at+member], b.silent
	var prop any
	if member == "Get" {
		prop = b.props[at+args[1].(string)]
	}
	b.mu.Unlock()
	switch {
	case name == "org.freedesktop.DBus":
		return ":1.7", nil
	case silent:
		return nil, errSilent
	case prop != nil:
		return dbus.MakeVariant(prop), nil
	case f != nil:
		return f(), nil
	}
	return nil, fmt.Errorf("the name %s was not provided", name)
}

// provided are services of a fakeBus on a real one. It is a dbus.Handler that has every object, and answers
// every method.
type provided struct {
	bus          *fakeBus
	names        []string
	path, member string
}

func (p provided) LookupObject(path dbus.ObjectPath) (dbus.ServerObject, bool) {
	p.path = string(path)
	return p, true
}
func (p provided) LookupInterface(string) (dbus.Interface, bool) { return p, true }
func (p provided) LookupMethod(member string) (dbus.Method, bool) {
	p.member = member
	return p, true
}
func (p provided) NumArguments() int     { return 0 }
func (p provided) NumReturns() int       { return 1 }
func (p provided) ArgumentValue(int) any { return nil }
func (p provided) ReturnValue(int) any   { return nil }
func (p provided) DecodeArguments(_ *dbus.Conn, _ string, _ *dbus.Message, args []any) ([]any, error) {
	return args, nil
}

func (p provided) Call(args ...any) ([]any, error) {
	err := errors.New("nobody has that")
	for _, name := range p.names {
		var v any
		if v, err = p.bus.result(name, p.path, p.member, args); err == nil {
			return []any{v}, nil
		}
	}
	return nil, err
}
