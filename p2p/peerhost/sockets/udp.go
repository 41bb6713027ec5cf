package sockets

import (
	"context"
	"net"
	"sync/atomic"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	"github.com/quic-go/quic-go"
	"go.uber.org/fx"
	"golang.org/x/net/ipv4"
)

// Valve holds back what the UDP sockets of a host send. QUIC sockets cannot be closed
// and opened again at the same port within a minute, so they stay open in silence.
// The zero value is open.
type Valve struct {
	// Count is told of what passes. It is set before there are sockets.
	Count Count

	shut atomic.Bool
}

// Listen opens a socket.
type Listen = func(network string, at *net.UDPAddr) (net.PacketConn, error)

// Shut has whatever is sent lost on the way, until Open.
func (v *Valve) Shut() { v.shut.Store(true) }

// Open ends what Shut began.
func (v *Valve) Open() { v.shut.Store(false) }

// listen opens a socket behind the valve; open is nil for a real one.
func (v *Valve) listen(open Listen) Listen {
	return func(network string, at *net.UDPAddr) (net.PacketConn, error) {
		if open != nil {
			c, err := open(network, at)
			if err != nil {
				return nil, err
			}
			return buffered{valvedConn{c, v}}, nil
		}
		c, err := net.ListenUDP(network, at)
		if err != nil {
			return nil, err
		}
		return valvedUDP{c, v, ipv4.NewPacketConn(c)}, nil
	}
}

// valvedUDP is a UDP socket behind a valve. It has the methods by which quic-go sends
// and receives many packets at a time.
type valvedUDP struct {
	*net.UDPConn
	valve *Valve
	batch *ipv4.PacketConn // the same, for IPv6 too
}

// ReadFrom implements net.PacketConn.
func (c valvedUDP) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := c.UDPConn.ReadFrom(b)
	c.valve.Count.Add(false, n)
	return n, from, err
}

// ReadMsgUDP implements quic.OOBCapablePacketConn.
func (c valvedUDP) ReadMsgUDP(b, oob []byte) (n, oobn, flags int, from *net.UDPAddr, err error) {
	n, oobn, flags, from, err = c.UDPConn.ReadMsgUDP(b, oob)
	c.valve.Count.Add(false, n)
	return n, oobn, flags, from, err
}

// ReadBatch is what quic-go reads with where it can.
func (c valvedUDP) ReadBatch(packets []ipv4.Message, flags int) (int, error) {
	n, err := c.batch.ReadBatch(packets, flags)
	for i := range max(n, 0) {
		c.valve.Count.Add(false, packets[i].N)
	}
	return n, err
}

// WriteTo implements net.PacketConn.
func (c valvedUDP) WriteTo(b []byte, to net.Addr) (int, error) {
	if c.valve.shut.Load() {
		return len(b), nil // lost on the way, as packets may be
	}
	n, err := c.UDPConn.WriteTo(b, to)
	c.valve.Count.Add(true, n)
	return n, err
}

// WriteMsgUDP implements quic.OOBCapablePacketConn.
func (c valvedUDP) WriteMsgUDP(b, oob []byte, to *net.UDPAddr) (n, oobn int, err error) {
	if c.valve.shut.Load() {
		return len(b), len(oob), nil
	}
	n, oobn, err = c.UDPConn.WriteMsgUDP(b, oob, to)
	c.valve.Count.Add(true, n)
	return n, oobn, err
}

var _ quic.OOBCapablePacketConn = valvedUDP{}

// valvedConn is any other socket behind a valve.
type valvedConn struct {
	net.PacketConn
	valve *Valve
}

// WriteTo implements net.PacketConn.
func (c valvedConn) WriteTo(b []byte, to net.Addr) (int, error) {
	if c.valve.shut.Load() {
		return len(b), nil
	}
	n, err := c.PacketConn.WriteTo(b, to)
	c.valve.Count.Add(true, n)
	return n, err
}

// ReadFrom implements net.PacketConn.
func (c valvedConn) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := c.PacketConn.ReadFrom(b)
	c.valve.Count.Add(false, n)
	return n, from, err
}

// buffered says yes to quic-go when it asks for larger buffers, which simulated
// sockets have no use for.
type buffered struct{ valvedConn }

// SetReadBuffer does nothing.
func (buffered) SetReadBuffer(int) error { return nil }

// SetWriteBuffer does nothing.
func (buffered) SetWriteBuffer(int) error { return nil }

// QUIC makes QUIC use sockets behind a valve, which open makes, or the system if open is nil. Everything else
// is as libp2p and extra have it.
func QUIC(v *Valve, open Listen, extra []quicreuse.Option) libp2p.Option {
	return libp2p.QUICReuse(
		func(key quic.StatelessResetKey, tokens quic.TokenGeneratorKey, limits network.ResourceManager,
			life fx.Lifecycle) (*quicreuse.ConnManager, error) {
			opts := append([]quicreuse.Option{
				quicreuse.ConnContext(admitQUIC(limits)),
				quicreuse.VerifySourceAddress(func(addr net.Addr) bool { return limits.VerifySourceAddress(addr) }),
				quicreuse.OverrideListenUDP(v.listen(open)),
			}, extra...)
			m, err := quicreuse.NewConnManager(key, tokens, opts...)
			if err != nil {
				return nil, err
			}
			life.Append(fx.StopHook(m.Close))
			return m, nil
		})
}

// admitQUIC asks the limits before the handshake of a connection begins.
func admitQUIC(limits network.ResourceManager) func(context.Context, *quic.ClientInfo) (context.Context, error) {
	return func(ctx context.Context, client *quic.ClientInfo) (context.Context, error) {
		addr, err := quicreuse.ToQuicMultiaddr(client.RemoteAddr, quic.Version1)
		if err != nil {
			addr = nil // the limits decide
		}
		scope, err := limits.OpenConnection(network.DirInbound, false, addr)
		if err != nil {
			return ctx, err
		}
		ctx = network.WithConnManagementScope(ctx, scope)
		context.AfterFunc(ctx, scope.Done)
		return ctx, nil
	}
}
