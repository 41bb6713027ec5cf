package calls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// directWait is how long a Bulk call waits for a direct connection to a peer
// that is reached over a relay.
const directWait = 15 * time.Second

// Call sends a request to a peer and returns the reply, which is the caller's
// to keep. It dials the peer if need be. Requests must be idempotent: one may
// be sent twice. At most 8 calls (Bulk: 1) to a peer are under way at once;
// others wait, and so do those that the peer would refuse as too many of a kind (Spec.Rate), or are *Busy at once if
// they would wait for too long. Without a deadline ctx gets that of the class: 10 s, 30 s, 60 s.
//
// Errors are *Busy, *Refused, the sentinels of this package or those of ctx,
// wrapped. Only without an error it is certain that the request was handled.
func (c *Calls) Call(ctx context.Context, to peer.ID, kind Kind, body []byte) ([]byte, error) {
	spec := c.specs[kind]
	if spec == nil {
		return nil, fmt.Errorf("ask %s: kind %d: %w", to, kind, ErrUnknownKind)
	}
	reply, err := c.call(ctx, to, kind, spec, body)
	if err != nil {
		return nil, fmt.Errorf("ask %s for %s: %w", to, spec.Name, err)
	}
	return reply, nil
}

func (c *Calls) call(ctx context.Context, to peer.ID, kind Kind, spec *Spec, body []byte) ([]byte, error) {
	if len(body) > spec.MaxRequest {
		return nil, fmt.Errorf("%w: %d bytes, want at most %d", ErrTooLarge, len(body), spec.MaxRequest)
	}
	if c.Banned(to) {
		return nil, fmt.Errorf("%w: it is banned", ErrUnreachable)
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.door.bounds[spec.Class].timeout)
		defer cancel()
	}
	if err := c.paces.wait(ctx, to, kind, spec); err != nil {
		return nil, err
	}
	lane, err := c.pool.join(ctx, to, spec.Class)
	if err != nil {
		return nil, err
	}
	defer c.pool.leave(lane)
	x := &exchange{calls: c, lane: lane, kind: kind, spec: spec, frame: c.codec.seal(byte(kind), body)}
	if kept := c.pool.take(lane, c.usable); kept != nil {
		reply, err := x.over(ctx, kept)
		if err == nil || x.began || ctx.Err() != nil || !errors.Is(err, ErrUnreachable) {
			return reply, err
		}
	}
	fresh, err := c.dial(ctx, to, spec.Class)
	if err != nil {
		return nil, err
	}
	return x.over(ctx, fresh)
}

// usable reports whether a kept stream is the best way to its peer.
func (c *Calls) usable(s network.Stream) bool {
	conn := s.Conn()
	if conn.IsClosed() {
		return false
	}
	// A direct connection has come since: use that.
	direct := c.host.Network().Connectedness(conn.RemotePeer()) == network.Connected
	return !(conn.Stat().Limited && direct)
}

// dial opens a stream to a peer.
func (c *Calls) dial(ctx context.Context, to peer.ID, class Class) (*link, error) {
	if class == Bulk {
		ctx = network.WithDialPeerTimeout(ctx, directWait)
	} else {
		ctx = network.WithAllowLimitedConn(ctx, "forage "+class.String())
	}
	s, err := c.host.NewStream(ctx, to, c.protocols[class])
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	return newLink(s), nil
}

// unreachable says in our words why there was no reply.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if reset, ok := errors.AsType[*network.StreamError](err); ok && reset.Remote {
		switch reset.ErrorCode {
		case network.StreamRateLimited, network.StreamResourceLimitExceeded:
			return &Busy{After: time.Second}
		}
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}

// exchange is one request and its reply.
type exchange struct {
	calls *Calls
	lane  *lane
	kind  Kind
	spec  *Spec
	frame []byte
	// began, once a byte of the reply was read.
	began bool
}

// over makes the exchange over l, and keeps l for the next one if it is fit
// for it.
func (x *exchange) over(ctx context.Context, l *link) ([]byte, error) {
	c := x.calls
	// The deadline is all that ends a read or write before its time.
	stop := context.AfterFunc(ctx, func() { _ = l.stream.SetDeadline(time.Unix(1, 0)) })
	answer, err := x.swap(ctx, l)
	n := l.takeCount()
	x.began = n > 0
	c.counter.Count(x.spec.Class, x.kind, false, n)
	if inTime := stop(); inTime && err == nil && l.reader.Buffered() == 0 {
		c.pool.put(x.lane, l)
	} else {
		l.reset()
	}
	if errors.Is(err, errFrame) {
		c.Offend(x.lane.key.to, offenceReply, weightReply)
		return nil, fmt.Errorf("%w: %w", ErrReply, err)
	}
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	// What has come is used, even if it came too fast.
	_ = c.received(ctx, x.spec.Class, n)
	return answer.body, answer.err
}

// swap writes the request and reads the reply. Its error is that of the
// stream or of ctx, or wraps errFrame.
func (x *exchange) swap(ctx context.Context, l *link) (answer, error) {
	if err := x.calls.send(ctx, l, x.spec.Class, x.kind, x.frame); err != nil {
		return answer{}, err
	}
	return x.calls.codec.readReply(l.reader, x.spec.MaxReply)
}
