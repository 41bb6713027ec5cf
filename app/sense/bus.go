package sense

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/local"
)

// bus is one of the two buses, connected to when first asked, and again after it has
// gone. All sources share its connection.
type bus struct {
	address func() (string, error)
	opts    *Options

	turn chan struct{} // holds one while somebody uses what is below
	conn *busConn
	done bool
}

func newBus(opts *Options, address func() (string, error)) *bus {
	return &bus{address: address, opts: opts, turn: make(chan struct{}, 1)}
}

const (
	busName  = "org.freedesktop.DBus"
	busPath  = dbus.ObjectPath("/org/freedesktop/DBus")
	busProps = "org.freedesktop.DBus.Properties"
	// ownerChanged is the signal of the bus that a name has another owner.
	ownerChanged = "NameOwnerChanged"
)

// get returns a connection that works, or did a moment ago.
func (b *bus) get(ctx context.Context) (*busConn, error) {
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-b.turn }()
	if b.done {
		return nil, errBusGone
	}
	if b.conn != nil && b.conn.Connected() {
		return b.conn, nil
	}
	address, err := b.address()
	if err != nil {
		return nil, err
	}
	c, err := b.connect(ctx, address)
	if err != nil {
		return nil, err
	}
	b.conn = c
	return c, nil
}

func (b *bus) connect(ctx context.Context, address string) (*busConn, error) {
	sockets, err := busSockets(address)
	if err != nil {
		return nil, err
	}
	var failure error
	for _, name := range sockets {
		conn, err := b.opts.Dial(ctx, name)
		if err != nil {
			failure = err
			continue
		}
		c, err := openBus(ctx, conn)
		if err == nil {
			return c, nil
		}
		failure = err
	}
	return nil, failure
}

// close ends the connection.
func (b *bus) close() {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	b.done = true
	if b.conn != nil {
		b.conn.Close()
	}
}

// service is one object of a program on a bus.
type service struct {
	bus   *bus
	name  string
	path  dbus.ObjectPath
	iface string
}

// call calls a method of the service.
func (s service) call(ctx context.Context, member string, args ...any) ([]any, error) {
	c, err := s.bus.get(ctx)
	if err != nil {
		return nil, err
	}
	return c.call(ctx, s.name, s.path, s.iface, member, args...)
}

// get reads a property.
func (s service) get(ctx context.Context, property string) (any, error) {
	c, err := s.bus.get(ctx)
	if err != nil {
		return nil, err
	}
	vs, err := c.call(ctx, s.name, s.path, busProps, "Get", s.iface, property)
	if err != nil {
		return nil, err
	}
	if v, ok := first[dbus.Variant](vs, nil); ok == nil {
		return v.Value(), nil
	}
	return nil, errBusWire
}

// listen returns a channel that gets something after signals of the service, or when its owner
// changes, or when the bus is gone. The function ends it.
func (s service) listen(ctx context.Context, signals ...string) (<-chan struct{}, func(), error) {
	c, err := s.bus.get(ctx)
	if err != nil {
		return nil, nil, err
	}
	hint, rules := make(chan struct{}, 1), []string(nil)
	stop := func() {
		c.ignore(hint)
		for _, r := range rules {
			c.post(busName, busPath, busName, "RemoveMatch", r)
		}
	}
	for _, full := range signals {
		i := strings.LastIndexByte(full, '.')
		iface, member := full[:i], full[i+1:]
		rule := fmt.Sprintf("type='signal',sender='%s',path='%s',interface='%s',member='%s'",
			s.name, s.path, iface, member)
		if err := c.match(ctx, hint, full, rule); err != nil {
			stop()
			return nil, nil, err
		}
		rules = append(rules, rule)
	}
	rule := fmt.Sprintf("type='signal',sender='%s',interface='%s',member='%s',arg0='%s'",
		busName, busName, ownerChanged, s.name)
	if err := c.match(ctx, hint, busName+"."+ownerChanged, rule); err != nil {
		stop()
		return nil, nil, err
	}
	rules = append(rules, rule)
	return hint, stop, nil
}

const propertiesChanged = busProps + ".PropertiesChanged"

// as returns the value if it has the type.
func as[T any](v any, err error) (T, error) {
	t, ok := v.(T)
	if err == nil && !ok {
		err = fmt.Errorf("%w: a value of type %T", errBusWire, v)
	}
	return t, err
}

// first returns the first value of a reply if it has the type.
func first[T any](vs []any, err error) (T, error) {
	var v any
	if len(vs) > 0 {
		v = vs[0]
	}
	return as[T](v, err)
}

var errNoBus = local.Lacks("there is no session bus")

// sessionAddress finds the user's bus. It never starts one.
func (o *Options) sessionAddress() (string, error) {
	if a := o.Getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" {
		return a, nil
	}
	if dir := o.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		return "unix:path=" + dir + "/bus", nil
	}
	return "", errNoBus
}

func (o *Options) systemAddress() (string, error) {
	if a := o.Getenv("DBUS_SYSTEM_BUS_ADDRESS"); a != "" {
		return a, nil
	}
	return "unix:path=/var/run/dbus/system_bus_socket", nil
}

// busSockets returns the sockets on this computer that an address names.
func busSockets(address string) (list []string, err error) {
	for _, a := range strings.Split(address, ";") {
		kind, keys, _ := strings.Cut(a, ":")
		if kind != "unix" || len(list) == 8 {
			continue
		}
		for _, kv := range strings.Split(keys, ",") {
			k, v, _ := strings.Cut(kv, "=")
			v, err := url.PathUnescape(v)
			if err != nil || v == "" {
				continue
			}
			switch k {
			case "path":
				list = append(list, v)
			case "abstract":
				list = append(list, "@"+v)
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the bus %q is not a socket of this computer", local.Clean(address, local.MaxText))
	}
	return list, nil
}

// post calls a method without waiting for an answer, if there is a connection.
func (s service) post(member string, args ...any) {
	select {
	case s.bus.turn <- struct{}{}:
	default:
		return // somebody connects: what it is about is gone with the old connection
	}
	c := s.bus.conn
	<-s.bus.turn
	if c != nil {
		c.post(s.name, s.path, s.iface, member, args...)
	}
}
