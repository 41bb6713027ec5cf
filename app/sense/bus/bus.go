// Package bus reads properties of services on D-Bus, calls their methods, and listens to their signals.
//
// Messages are those of github.com/godbus/dbus. What it reads comes through a guard, since a bus and all who
// speak on it are other programs: messages are short and whole, calls end after a while, and a signal only ever
// says that something may have changed.
package bus

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

// Bus is one of the two buses, connected to when first asked, and again after it has gone. All services share its
// connection. It is safe for concurrent use.
type Bus struct {
	host    local.Host
	address string // "" if there is none

	turn chan struct{} // holds one while somebody uses what is below
	conn *conn
	done bool
}

// Session returns the user's bus. It is never started.
func Session(host local.Host) *Bus {
	address := host.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if dir := host.Getenv("XDG_RUNTIME_DIR"); address == "" && dir != "" {
		address = "unix:path=" + dir + "/bus"
	}
	return newBus(host, address)
}

// System returns the bus of the system.
func System(host local.Host) *Bus {
	return newBus(host, cmp.Or(host.Getenv("DBUS_SYSTEM_BUS_ADDRESS"), "unix:path=/var/run/dbus/system_bus_socket"))
}

func newBus(host local.Host, address string) *Bus {
	return &Bus{host: host, address: address, turn: make(chan struct{}, 1)}
}

const (
	busName    = "org.freedesktop.DBus"
	properties = "org.freedesktop.DBus.Properties"
	// PropertiesChanged is the signal of a service that tells of its properties.
	PropertiesChanged = properties + ".PropertiesChanged"
	// ownerChanged is the signal of the bus that a name has another owner.
	ownerChanged = "NameOwnerChanged"
)

// get returns a connection that works, or did a moment ago.
func (b *Bus) get(ctx context.Context) (*conn, error) {
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-b.turn }()
	if b.done {
		return nil, errGone
	}
	if b.conn != nil && b.conn.Connected() {
		return b.conn, nil
	}
	if b.address == "" {
		return nil, local.Lacks(words.New("said.sensor.there-is-no-session-bus", nil))
	}
	list, err := sockets(b.address)
	for _, name := range list {
		var socket net.Conn
		if socket, err = b.host.Dial(ctx, name); err != nil {
			continue
		}
		if b.conn, err = open(ctx, socket); err == nil {
			return b.conn, nil
		}
	}
	return nil, err
}

// Close ends the connection, and there is no other.
func (b *Bus) Close() {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	b.done = true
	if b.conn != nil {
		b.conn.Close()
	}
}

// Service is one object of a program on a bus.
type Service struct {
	bus   *Bus
	name  string
	path  dbus.ObjectPath
	iface string
}

// Service returns an object of the program that has a name on the bus, by one of its interfaces.
func (b *Bus) Service(name string, path dbus.ObjectPath, iface string) Service {
	return Service{b, name, path, iface}
}

// At returns another object of the same program.
func (s Service) At(path dbus.ObjectPath, iface string) Service {
	return Service{s.bus, s.name, path, iface}
}

// itself is the bus as a service.
var itself = Service{name: busName, path: "/org/freedesktop/DBus", iface: busName}

// Call calls a method of a service, and returns the first value of the reply. The value is zero where it fails.
func Call[T any](ctx context.Context, s Service, member string, args ...any) (v T, err error) {
	c, err := s.bus.get(ctx)
	if err != nil {
		return v, err
	}
	list, err := c.call(ctx, s, member, args...)
	if err != nil {
		return v, err
	}
	return as[T](append(list, nil)[0])
}

// Get reads a property of a service. The value is zero where it fails.
func Get[T any](ctx context.Context, s Service, property string) (v T, err error) {
	variant, err := Call[dbus.Variant](ctx, s.At(s.path, properties), "Get", s.iface, property)
	if err != nil {
		return v, err
	}
	return as[T](variant.Value())
}

// as returns the value if it has the type.
func as[T any](v any) (T, error) {
	t, ok := v.(T)
	if !ok {
		return t, words.Join(": ", errWire, words.New("said.sensor.not-d-bus-value",
			words.Args{"name": fmt.Sprintf("%T", v)}))
	}
	return t, nil
}

// Post calls a method without waiting for an answer, if there is a connection.
func (s Service) Post(member string, args ...any) {
	select {
	case s.bus.turn <- struct{}{}:
	default:
		return // somebody connects: what it is about is gone with the old connection
	}
	c := s.bus.conn
	<-s.bus.turn
	if c != nil {
		c.post(s, member, args...)
	}
}

// Listen returns a channel that gets something after signals of the service, or when its owner changes, or when the
// bus is gone. A signal whose name is short is one of the service's own interface. The function ends it.
func (s Service) Listen(ctx context.Context, signals ...string) (<-chan struct{}, func(), error) {
	c, err := s.bus.get(ctx)
	if err != nil {
		return nil, nil, err
	}
	ch := make(chan struct{}, 1)
	wanted := []match{{ch, busName + "." + ownerChanged, fmt.Sprintf(
		"type='signal',sender='%s',interface='%s',member='%s',arg0='%s'", busName, busName, ownerChanged, s.name)}}
	for _, member := range signals {
		iface := s.iface
		if i := strings.LastIndexByte(member, '.'); i >= 0 {
			iface, member = member[:i], member[i+1:]
		}
		wanted = append(wanted, match{ch, iface + "." + member, fmt.Sprintf(
			"type='signal',sender='%s',path='%s',interface='%s',member='%s'", s.name, s.path, iface, member)})
	}
	stop := func() { c.ignore(ch) }
	for _, m := range wanted {
		if err := c.listen(ctx, m); err != nil {
			stop()
			return nil, nil, err
		}
	}
	return ch, stop, nil
}

// sockets returns the sockets on this computer that an address names.
func sockets(address string) (list []string, err error) {
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
		return nil, words.New("said.sensor.the-bus-is-not-a-socket",
			words.Args{"name": strconv.Quote(local.Clean(address, local.MaxText))})
	}
	return list, nil
}
