package sense

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/local"
)

var (
	errBusGone = errors.New("the bus is gone")
	errBusAuth = errors.New("the bus does not let us in")
)

// busConn is one connection to a bus. When it fails it is of no more use.
type busConn struct {
	*dbus.Conn
	writing chan struct{} // holds one while somebody writes

	mu      sync.Mutex
	signals map[string]*kicks // by interface and member
}

// serials numbers calls. Those of dbus.Conn remember each call that was never answered.
type serials struct{ last atomic.Uint32 }

// GetSerial implements dbus.SerialGenerator.
func (s *serials) GetSerial() uint32 { return s.last.Add(1) }

// RetireSerial implements dbus.SerialGenerator.
func (s *serials) RetireSerial(uint32) {}

// openBus speaks to a bus on a connection, which it closes when it fails.
func openBus(ctx context.Context, conn net.Conn) (*busConn, error) {
	c := &busConn{writing: make(chan struct{}, 1), signals: make(map[string]*kicks)}
	var err error
	c.Conn, err = dbus.NewConn(newBusFrames(conn), dbus.WithSignalHandler(c), dbus.WithSerialGenerator(new(serials)))
	if err != nil {
		conn.Close()
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	conn.SetDeadline(time.Now().Add(local.Timeout))
	// The kernel tells the bus who we are.
	if err := c.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Getuid()))}); err != nil {
		c.Close()
		return nil, fmt.Errorf("%w: %w", errBusAuth, err)
	}
	conn.SetDeadline(time.Time{})
	context.AfterFunc(c.Context(), c.kickAll)
	if _, err := c.call(ctx, busName, busPath, busName, "Hello"); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// DeliverSignal implements dbus.SignalHandler: who listens looks for what has changed.
func (c *busConn) DeliverSignal(iface, member string, _ *dbus.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.signals[iface+"."+member]; k != nil {
		k.kick()
	}
}

// kickAll tells everybody that the bus is gone.
func (c *busConn) kickAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.signals {
		k.kick()
	}
}

// call calls a method, which may not start a service, and returns the values of the reply.
func (c *busConn) call(
	ctx context.Context, dest string, path dbus.ObjectPath, iface, member string, args ...any,
) ([]any, error) {
	limited, cancel := context.WithTimeout(ctx, local.Timeout)
	defer cancel()
	reply := <-c.send(limited, dest, path, iface+"."+member, 0, args).Done
	if reply.Err == nil {
		return reply.Body, nil
	}
	if failure, ok := errors.AsType[dbus.Error](reply.Err); ok {
		text := local.Clean(failure.Error(), local.MaxWhy)
		if isUnknownService(failure.Name) {
			return nil, local.Lacks(text)
		}
		return nil, errors.New(text)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(reply.Err, context.DeadlineExceeded):
		return nil, fmt.Errorf("call %s: %w", member, local.ErrNoAnswer)
	}
	return nil, fmt.Errorf("%w: %w", errBusGone, reply.Err)
}

// post calls without waiting for an answer.
func (c *busConn) post(dest string, path dbus.ObjectPath, iface, member string, args ...any) {
	c.send(context.Background(), dest, path, iface+"."+member, dbus.FlagNoReplyExpected, args)
}

// send writes a call. dbus.Conn lets one wait for another as well, but by a mutex, and then no bubble's time goes on.
func (c *busConn) send(
	ctx context.Context, dest string, path dbus.ObjectPath, method string, flags dbus.Flags, args []any,
) *dbus.Call {
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	return c.Object(dest, path).GoWithContext(ctx, method, dbus.FlagNoAutoStart|flags, nil, args...)
}

// match asks for signals and has a channel told of them.
func (c *busConn) match(ctx context.Context, hint chan struct{}, full, rule string) error {
	c.mu.Lock()
	if c.signals[full] == nil {
		c.signals[full] = new(kicks)
	}
	c.signals[full].add(hint)
	c.mu.Unlock()
	_, err := c.call(ctx, busName, busPath, busName, "AddMatch", rule)
	return err
}

func (c *busConn) ignore(hint chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.signals {
		k.remove(hint)
	}
}

// isUnknownService reports whether a bus says by an error's name that nobody has the name that was
// called, and that nothing can be started for it.
func isUnknownService(name string) bool {
	switch name {
	case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
		return true
	}
	return false
}
