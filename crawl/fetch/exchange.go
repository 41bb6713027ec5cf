package fetch

import (
	"context"
	"errors"
	"time"
)

// Get sends a request and reads the response. It waits until no other request
// to the same host is in flight, uses the kept connection if it leads to
// req.Addr, and dials otherwise. A kept connection that turns out to be dead
// before anything of the response has come is replaced once; beyond that
// nothing is tried again. A response without a complete body is no error, see
// Response.Truncated. When ctx ends, Get returns at once with an error that is
// context.Canceled or context.DeadlineExceeded. Errors are *Error.
func (c *Client) Get(ctx context.Context, req Request) (*Response, error) {
	if err := c.check(req); err != nil {
		return nil, err
	}
	s, err := c.conns.enter(ctx, req.URL.Origin())
	if err != nil {
		return nil, err
	}
	defer c.conns.leave(s)
	x := exchange{client: c, req: req, site: s}
	resp, failure := x.run(ctx)
	if failure != nil {
		failure.Sent += x.sent
		failure.Received += x.received
		failure.Repeated = x.repeated
		return nil, failure
	}
	resp.Repeated = x.repeated
	return resp, nil
}

// check refuses what must not or cannot be sent.
func (c *Client) check(req Request) error {
	if req.URL.IsZero() {
		return &Error{Kind: KindRequest, Detail: "no URL"}
	}
	if err := c.guard.Check(req.Addr); err != nil {
		return blocked(err)
	}
	if !lineSafe(req.URL.Host()) || !lineSafe(req.URL.Path()) {
		return &Error{Kind: KindRequest, Detail: "characters that cannot be sent"}
	}
	return nil
}

// exchange is one request and its response.
type exchange struct {
	client *Client
	req    Request
	site   *site
	until  time.Time // when it has to be over
	// sent and received count the wire bytes of the connections it used so far.
	sent, received int64
	written        bool // the request was
	repeated       bool // and had to be once more
}

func (x *exchange) run(ctx context.Context) (*Response, *Error) {
	total := x.client.conf.Limits.Total
	if kept := x.client.conns.take(x.site); kept != nil {
		x.until = time.Now().Add(total)
		if resp, err := x.over(ctx, kept, true); err == nil || !errors.Is(err, errDead) {
			return resp, err
		}
		x.client.conns.drop(x.site)
		x.repeated = x.written
	}
	if err := x.client.conns.permit(ctx); err != nil {
		return nil, err
	}
	x.until = time.Now().Add(total)
	serverName := ""
	if x.req.URL.Scheme() == "https" {
		serverName = x.req.URL.Hostname()
	}
	fresh, err := x.client.dialer.dial(ctx, x.req.Addr, serverName, x.until)
	if err != nil {
		x.client.conns.refund()
		return nil, err
	}
	if !x.client.conns.adopt(x.site, fresh) {
		return nil, errClosed()
	}
	return x.over(ctx, fresh, false)
}

// errDead is the cause where a kept connection was of no use.
var errDead = errors.New("kept connection is dead")

// over does the exchange over c.
func (x *exchange) over(ctx context.Context, c *conn, kept bool) (resp *Response, failure *Error) {
	sent, received := c.sock.sent, c.sock.received
	if !kept {
		sent, received = 0, 0 // the handshake counts
	}
	defer func() {
		if resp != nil && !kept {
			resp.Connect = c.took
		}
		x.sent += c.sock.sent - sent
		x.received += c.sock.received - received
		if resp != nil {
			resp.Sent, resp.Received = x.sent, x.received
		}
	}()
	t := &transfer{conn: c, limits: x.client.conf.Limits, until: x.until, ended: ctx.Err}
	if err := t.begin(); kept && (err != nil || c.addr != x.req.Addr || !c.sock.quiet()) {
		return nil, dead(err)
	}
	stop := c.cutWith(ctx)
	resp, keep, failure := x.send(t, kept)
	clean := stop() // else the deadline may be moved at any time
	cut := failure != nil || resp.Truncated == TruncatedDisconnect || resp.Truncated == TruncatedTime
	switch {
	case cut && ctx.Err() != nil:
		x.discard(resp)
		return nil, stopped(ctx)
	case cut && x.client.conns.isClosed():
		x.discard(resp)
		return nil, errClosed()
	case failure != nil:
		return nil, failure
	case keep && clean:
		x.client.conns.keep(x.site)
	}
	return resp, nil
}

func (x *exchange) discard(resp *Response) {
	if resp != nil {
		resp.Release()
	}
}

func dead(cause error) *Error {
	return &Error{Kind: KindClosed, Err: errors.Join(errDead, cause)}
}

// send writes the request and reads the response.
func (x *exchange) send(t *transfer, kept bool) (*Response, bool, *Error) {
	c := x.client
	raw := x.req.bytes(c.conf.UserAgent)
	started, held := c.conf.Now(), t.conn.sock.held()
	if err := x.write(t, raw, kept); err != nil {
		return nil, false, err
	}
	capture := c.pools.Buffer()
	r := reading{from: t, capture: capture, limits: c.conf.Limits.withBody(x.req.MaxBody), pools: &c.pools}
	w := wanted{body: r.limits.Body, other: otherBody, anyType: x.req.AnyType}
	w.other = min(w.other, w.body)
	resp, keep, err := r.response(w)
	if err != nil {
		nothing := len(*capture) == 0 && err.Kind == KindClosed
		c.pools.Recycle(capture)
		if kept && nothing {
			return nil, false, dead(err)
		}
		return nil, false, err
	}
	resp.URL, resp.Addr = x.req.URL, x.req.Addr
	resp.Started, resp.Took = started, max(c.conf.Now().Sub(started)-(t.conn.sock.held()-held), 0)
	resp.RequestBytes = raw
	return resp, keep, nil
}

// write writes the request, as long as it is allowed.
func (x *exchange) write(t *transfer, raw []byte, kept bool) *Error {
	sock := t.conn.sock
	held := sock.held()
	sock.wire.allowed = x.req.Allowed
	_, err := t.conn.rw.Write(raw)
	sock.wire.allowed = nil
	switch {
	case err == nil:
		x.written = true
		return nil
	case errors.Is(err, errNotAllowed):
		return &Error{Kind: KindStopped, Err: context.DeadlineExceeded}
	case isTimeout(err) && sock.held()-held > t.limits.Window/2:
		return &Error{Kind: KindStopped, Detail: "held back by the rate", Err: err}
	case kept:
		return dead(err)
	}
	return writeError(err)
}

func writeError(err error) *Error {
	if isTimeout(err) {
		return &Error{Kind: KindTimeout, Err: err}
	}
	return &Error{Kind: KindClosed, Err: err}
}
