package bus

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

var (
	errGone = words.New("said.sensor.the-bus-is-gone", nil)
	errAuth = words.New("said.sensor.the-bus-does-not-let-us", nil)
)

// conn is one connection to a bus. When it fails it is of no more use.
type conn struct {
	*dbus.Conn
	writing chan struct{} // holds one while somebody writes

	mu      sync.Mutex
	matches []match
}

// match has a channel told of a signal.
type match struct {
	ch     chan struct{}
	signal string // interface and member
	rule   string // as the bus is asked for it
}

// serials numbers calls. Those of dbus.Conn remember each call that was never answered.
type serials struct{ last atomic.Uint32 }

// GetSerial implements dbus.SerialGenerator.
func (s *serials) GetSerial() uint32 { return s.last.Add(1) }

// RetireSerial implements dbus.SerialGenerator.
func (s *serials) RetireSerial(uint32) {}

// open speaks to a bus on a socket, which it closes when it fails.
func open(ctx context.Context, socket net.Conn) (*conn, error) {
	c := &conn{writing: make(chan struct{}, 1)}
	var err error
	c.Conn, err = dbus.NewConn(newFrames(socket), dbus.WithSignalHandler(c), dbus.WithSerialGenerator(new(serials)))
	if err != nil {
		socket.Close()
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	socket.SetDeadline(time.Now().Add(local.Timeout))
	// The kernel tells the bus who we are.
	if err := c.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Getuid()))}); err != nil {
		c.Close()
		return nil, words.Join(": ", errAuth, err)
	}
	socket.SetDeadline(time.Time{})
	context.AfterFunc(c.Context(), func() { c.kick("") })
	if _, err := c.call(ctx, itself, "Hello"); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// DeliverSignal implements dbus.SignalHandler: a listener looks for what has changed.
func (c *conn) DeliverSignal(iface, member string, _ *dbus.Signal) { c.kick(iface + "." + member) }

// kick tells who listens to a signal, or everybody.
func (c *conn) kick(signal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.matches {
		if signal != "" && m.signal != signal {
			continue
		}
		select {
		case m.ch <- struct{}{}:
		default:
		}
	}
}

// call calls a method, which may not start a service, and returns the values of the reply.
func (c *conn) call(ctx context.Context, s Service, member string, args ...any) ([]any, error) {
	limited, cancel := context.WithTimeout(ctx, local.Timeout)
	defer cancel()
	reply := <-c.send(limited, s, member, 0, args).Done
	if reply.Err == nil {
		return reply.Body, nil
	}
	if failure, ok := errors.AsType[dbus.Error](reply.Err); ok {
		why := errors.New(local.Clean(failure.Error(), local.MaxWhy))
		switch failure.Name {
		case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
			return nil, local.Lacks(why) // nobody has the name, and nothing can be started for it
		}
		return nil, why
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(reply.Err, context.DeadlineExceeded):
		return nil, words.New("said.sensor.call", words.Args{"name": member, "error": local.ErrNoAnswer})
	}
	return nil, words.Join(": ", errGone, reply.Err)
}

// post calls without waiting for an answer.
func (c *conn) post(s Service, member string, args ...any) {
	c.send(context.Background(), s, member, dbus.FlagNoReplyExpected, args)
}

// send writes a call. dbus.Conn lets one wait for another as well, but by a mutex, and then no bubble's time goes on.
func (c *conn) send(ctx context.Context, s Service, member string, flags dbus.Flags, args []any) *dbus.Call {
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	return c.Object(s.name, s.path).GoWithContext(ctx, s.iface+"."+member, dbus.FlagNoAutoStart|flags, nil, args...)
}

// listen asks for a signal.
func (c *conn) listen(ctx context.Context, m match) error {
	c.mu.Lock()
	c.matches = append(c.matches, m)
	c.mu.Unlock()
	_, err := c.call(ctx, itself, "AddMatch", m.rule)
	return err
}

// ignore has a channel told of nothing any more.
func (c *conn) ignore(ch chan struct{}) {
	c.mu.Lock()
	var rules []string
	c.matches = slices.DeleteFunc(c.matches, func(m match) bool {
		if m.ch == ch {
			rules = append(rules, m.rule)
		}
		return m.ch == ch
	})
	c.mu.Unlock()
	for _, r := range rules {
		c.post(itself, "RemoveMatch", r)
	}
}
