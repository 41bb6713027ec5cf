// Package local bounds what other programs of this computer can do to this one: a bus, a display, a compositor.
//
// Such a program may hang, lie or be made to hurt. So [Dial] makes sockets of the local kind only: nothing here
// can send a packet to a network. Each exchange ends after [Timeout], a [Throttle] slows a reader down whose
// other end sends without end, and [Clean] makes text fit to be shown. The error of a source says whether it
// failed, or whether there is no such thing here ([Lacks]).
package local

import (
	"context"
	"net"
	"time"
)

// Timeout bounds one exchange with another program.
const Timeout = 2 * time.Second

// Host is where sockets and their addresses are found.
type Host struct {
	// Getenv is os.Getenv.
	Getenv func(string) string
	// Dial connects to a socket as the function [Dial] does.
	Dial func(ctx context.Context, name string) (net.Conn, error)
	// ReadFile is os.ReadFile for small files of the user.
	ReadFile func(string) ([]byte, error)
}

// Connect returns a connection to a socket, which ends with ctx.
func (h Host) Connect(ctx context.Context, name string) (net.Conn, error) {
	conn, err := h.Dial(ctx, name)
	if err != nil {
		return nil, err
	}
	return bound{conn, context.AfterFunc(ctx, func() { conn.Close() })}, nil
}

type bound struct {
	net.Conn
	free func() bool
}

func (b bound) Close() error {
	b.free()
	return b.Conn.Close()
}
