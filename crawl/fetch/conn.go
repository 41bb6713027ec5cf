package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/forage-net/forage/crawl/fetch/guard"
)

// receiveBuffer is the kernel's share of a connection; a Pacer chooses its own.
// It bounds what a site can have sent that nobody reads any more, because the
// type is not ours; with 64 KiB a page still comes at 600 KB/s over 100 ms.
const receiveBuffer = 64 << 10

// dialer opens connections where the guard allows.
type dialer struct {
	tcp net.Dialer
	// simulated, if not nil, takes the place of tcp.
	simulated func(context.Context, netip.AddrPort) (net.Conn, error)

	guard guard.Guard
	meter *Meter
	pacer Pacer // may be nil
	tls   *tls.Config
	time  time.Duration // to connect, TLS included
}

// newDialer is the one constructor of dialers in this package. A dialer is
// given an address, so that no name is resolved and no second address is
// raced behind its back, and it knows no proxies.
func newDialer(
	guard guard.Guard, meter *Meter, pacer Pacer, conf *tls.Config, limit time.Duration,
	simulated func(context.Context, netip.AddrPort) (net.Conn, error),
) *dialer {
	return &dialer{
		tcp: net.Dialer{
			ControlContext: func(ctx context.Context, network, address string, c syscall.RawConn) error {
				err := guard.Control(ctx, network, address, c)
				if err == nil && pacer != nil {
					pacer.Prepare(c)
				}
				return err
			},
			KeepAlive:     -1, // idle connections do not live that long
			FallbackDelay: -1,
		},
		simulated: simulated, guard: guard, meter: meter, pacer: pacer, tls: conf, time: limit,
	}
}

// conn is one connection to a site.
type conn struct {
	rw   net.Conn // what HTTP is spoken over: sock, or TLS on top of it
	sock *socket
	addr netip.AddrPort
	took time.Duration // to connect, without TLS
}

// dial connects to addr and, if serverName is not empty, negotiates TLS, all
// before latest.
func (d *dialer) dial(ctx context.Context, addr netip.AddrPort, serverName string, latest time.Time) (*conn, *Error) {
	if err := d.guard.Check(addr); err != nil {
		return nil, blocked(err)
	}
	until := time.Now().Add(d.time)
	if latest.Before(until) {
		until = latest
	}
	d.meter.sockets.Add(1)
	dialCtx, cancel := context.WithDeadline(ctx, until)
	begun := time.Now()
	sock, err := d.connect(dialCtx, addr)
	took := time.Since(begun)
	cancel()
	if err != nil {
		d.meter.sockets.Add(-1)
		if ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		return nil, dialError(err)
	}
	c := &conn{rw: sock, sock: sock, addr: addr, took: took}
	if serverName == "" {
		return c, nil
	}
	if e := d.secure(ctx, c, serverName, until); e != nil {
		e.Sent, e.Received = sock.sent, sock.received
		c.close()
		return nil, e
	}
	return c, nil
}

// connect opens a connection to an address that the guard allows.
func (d *dialer) connect(ctx context.Context, addr netip.AddrPort) (*socket, error) {
	if d.simulated != nil {
		c, err := d.simulated(ctx, addr)
		if err != nil {
			return nil, err
		}
		return newSocket(c, d.pacer, d.meter), nil
	}
	tcp, err := d.tcp.DialTCP(ctx, "tcp", netip.AddrPort{}, addr)
	if err != nil {
		return nil, err
	}
	if d.pacer == nil {
		tcp.SetReadBuffer(receiveBuffer) // a preference; without it all works the same
	}
	s := newSocket(tcp, d.pacer, d.meter)
	s.tcp = tcp
	return s, nil
}

// secure negotiates TLS by the time given.
func (d *dialer) secure(ctx context.Context, c *conn, serverName string, until time.Time) *Error {
	if err := c.sock.SetDeadline(until); err != nil {
		return tlsError(err)
	}
	stop := c.cutWith(ctx)
	conf := d.tls.Clone()
	conf.ServerName = serverName
	tc := tls.Client(c.sock, conf)
	err := tc.Handshake()
	if !stop() && ctx.Err() != nil {
		return stopped(ctx)
	}
	if isTimeout(err) && c.sock.held() > d.time/2 {
		return &Error{Kind: KindStopped, Detail: "held back by the rate", Err: err}
	}
	if err != nil {
		return tlsError(err)
	}
	if p := tc.ConnectionState().NegotiatedProtocol; p != "" && p != protocol {
		return &Error{Kind: KindTLS, Detail: "another protocol than HTTP/1.1"}
	}
	c.rw = tc
	return nil
}

// protocol is what we offer in TLS (ALPN).
const protocol = "http/1.1"

// cutWith ends whatever c does as soon as ctx ends. stop ends that; if it
// returns false c must not be used any more.
func (c *conn) cutWith(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { c.sock.SetDeadline(time.Unix(1, 0)) })
}

// close closes the socket at once: no farewell of TLS, which could block.
func (c *conn) close() { c.sock.Close() }
