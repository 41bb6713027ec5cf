package calls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
)

// serverIdle is how long a peer may keep an idle stream. It is longer than
// callerIdle, so that the caller, who knows, is the one who closes.
const serverIdle = 120 * time.Second

// smallReply is the size up to which a reply may wait for its reader without a
// handler's place: at most 16 of them per peer and class.
const smallReply = 16 << 10

// errPanic is returned for a handler that panicked.
var errPanic = errors.New("handler panicked")

// accept serves a stream that a peer opened, until it ends.
func (c *Calls) accept(ctx context.Context, class Class, s network.Stream) {
	from := s.Conn().RemotePeer()
	if c.Banned(from) || class == Bulk && s.Conn().Stat().Limited {
		_ = s.ResetWithError(network.StreamGated)
		return
	}
	in, out := c.door.enter(from, class, s)
	for _, old := range out {
		_ = old.stream.ResetWithError(network.StreamGarbageCollected)
	}
	if in == nil {
		_ = s.ResetWithError(network.StreamRateLimited)
		return
	}
	defer c.door.leave(in)
	for {
		if err := c.serveNext(ctx, in); err == io.EOF {
			_ = s.Close()
			return
		} else if err != nil {
			c.log.Debug("Stream reset", "peer", from, "class", class, "err", err)
			_ = s.ResetWithError(network.StreamProtocolViolation)
			return
		}
	}
}

// serveNext waits for a request, answers it and returns nil; io.EOF if the
// peer has no more; or what must end the stream.
func (c *Calls) serveNext(ctx context.Context, in *inbound) error {
	if err := in.stream.SetReadDeadline(time.Now().Add(serverIdle)); err != nil {
		return err
	}
	if _, err := in.reader.Peek(1); err != nil {
		if ctx.Err() != nil {
			// Serve ends: the last reply may still be under way.
			return io.EOF
		}
		return err
	}
	if !c.door.begin(in) {
		return network.ErrReset
	}
	defer c.door.rest(in)
	if err := in.stream.SetReadDeadline(time.Now().Add(arrival)); err != nil {
		return err
	}
	h, err := readHead(in.reader)
	if err != nil {
		c.countIn(in, 0)
		return c.blame(in, err)
	}
	return c.answer(ctx, in, h)
}

// blame charges the peer if an error in reading or writing is its fault, and
// returns the error as one that ends the stream.
func (c *Calls) blame(in *inbound, err error) error {
	switch {
	case isTimeout(err) && !in.stream.Conn().IsClosed():
		c.Offend(in.from, offenceSlow, weightSlow)
	case errors.Is(err, errFrame):
		c.Offend(in.from, offenceUndecodable, weightUndecodable)
	}
	return fmt.Errorf("serve request: %w", err)
}

// answer handles the request that h begins, or says why not.
func (c *Calls) answer(ctx context.Context, in *inbound, h head) error {
	kind := Kind(h.code)
	spec := c.specs[kind]
	if spec == nil || spec.Handle == nil || spec.Class != in.class {
		c.Offend(in.from, offenceUnknown, weightUnknown)
		return c.decline(ctx, in, h, MaxBody, statusUnknown, nil)
	}
	if h.size > spec.MaxRequest {
		return c.decline(ctx, in, h, spec.MaxRequest, 0, nil)
	}
	v := c.door.admit(in, kind, spec, h.size)
	if v.wait > 0 {
		if v.flood {
			c.Offend(in.from, offenceFlood+spec.Name, weightFlood)
		}
		return c.decline(ctx, in, h, spec.MaxRequest, statusBusy, busyBody(v.wait))
	}
	defer c.door.dismiss(in)
	body, err := c.readRequest(in, h, spec)
	if err != nil {
		return c.blame(in, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.door.bounds[in.class].timeout)
	defer cancel()
	status, reply := byte(statusBusy), busyBody(c.door.bounds[in.class].pause)
	if c.received(ctx, in.class, h.size) == nil {
		if status, reply, err = c.handle(ctx, in, spec, body); err != nil {
			return err
		}
	}
	return c.respond(ctx, in, kind, status, reply)
}

// readRequest reads the body of a request and decodes it.
func (c *Calls) readRequest(in *inbound, h head, spec *Spec) ([]byte, error) {
	if err := in.stream.SetReadDeadline(time.Now().Add(arrivalTime(h.size))); err != nil {
		return nil, err
	}
	wire, err := readBody(in.reader, h.size)
	c.countIn(in, Kind(h.code))
	if err != nil {
		return nil, err
	}
	return c.codec.open(h, wire, spec.MaxRequest)
}

// decline answers a request without keeping its body in memory. A body of more
// than limit bytes is an offence and ends the stream.
func (c *Calls) decline(ctx context.Context, in *inbound, h head, limit int, status byte, reply []byte) error {
	if h.size > limit {
		c.countIn(in, Kind(h.code))
		c.Offend(in.from, offenceOversized, weightOversized)
		return fmt.Errorf("serve request: %d bytes, want at most %d", h.size, limit)
	}
	if err := in.stream.SetReadDeadline(time.Now().Add(arrivalTime(h.size))); err != nil {
		return err
	}
	c.door.debit(in, h.size)
	_, err := in.reader.Discard(h.size)
	c.countIn(in, Kind(h.code))
	if err != nil {
		return c.blame(in, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.door.bounds[in.class].timeout)
	defer cancel()
	if err := c.received(ctx, in.class, h.size); err != nil {
		return err
	}
	return c.respond(ctx, in, Kind(h.code), status, reply)
}

// respond sends a reply.
func (c *Calls) respond(ctx context.Context, in *inbound, kind Kind, status byte, reply []byte) error {
	frame := c.codec.seal(status, reply)
	c.door.debit(in, len(frame))
	if len(frame) <= smallReply {
		c.door.dismiss(in)
	}
	in.writeTime = arrivalTime(len(frame))
	err := c.send(ctx, in.link, in.class, kind, frame)
	if err == nil || errors.Is(err, errHeld) { // the latter is not the peer's fault
		return err
	}
	return c.blame(in, err)
}

// handle calls the handler and turns what it returns into a reply. Its error
// ends the stream.
func (c *Calls) handle(ctx context.Context, in *inbound, spec *Spec, body []byte) (byte, []byte, error) {
	reply, err := c.protect(ctx, in, spec, body)
	if err == nil {
		if len(reply) > spec.MaxReply {
			c.log.Error("Reply too large", "kind", spec.Name, "bytes", len(reply), "limit", spec.MaxReply)
			return statusFailed, nil, nil
		}
		return statusOK, reply, nil
	}
	if err == errPanic {
		return 0, nil, err
	}
	if busy, ok := errors.AsType[*Busy](err); ok {
		return statusBusy, busyBody(busy.After), nil
	}
	if refused, ok := errors.AsType[*Refused](err); ok {
		return statusRefused, []byte(cleanText(refused.Text)), nil
	}
	if lie, ok := errors.AsType[*Lie](err); ok {
		c.Offend(in.from, lie.What, lie.Weight)
		return statusRefused, []byte(cleanText(lie.What)), nil
	}
	c.log.Debug("Request failed", "kind", spec.Name, "peer", in.from, "err", err)
	return statusFailed, nil, nil
}

// protect calls the handler. A panic in it is a bug of ours that a peer found:
// it costs the request, not the node.
func (c *Calls) protect(ctx context.Context, in *inbound, spec *Spec, body []byte) (reply []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("Handler panicked", "kind", spec.Name, "peer", in.from, "panic", p, "stack",
				string(debug.Stack()))
			c.Offend(in.from, offencePanic, weightPanic)
			reply, err = nil, errPanic
		}
	}()
	return spec.Handle(ctx, in.from, body)
}

// countIn counts the bytes that came for a request.
func (c *Calls) countIn(in *inbound, kind Kind) {
	c.counter.Count(in.class, kind, false, in.takeCount())
}
