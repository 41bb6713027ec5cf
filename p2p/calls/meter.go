package calls

import (
	"context"
	"sync/atomic"
)

// Counter is told of every byte of frames on the streams, as sent and
// received: after compression, headers included. What libp2p adds (negotiating
// streams, framing, encryption) is not in it. Bytes of a request whose kind
// could not be read count as kind 0. Count must not block.
type Counter interface {
	Count(class Class, kind Kind, sent bool, n int)
}

// Limiter holds traffic back for the user of this computer.
type Limiter interface {
	// Send hands a frame to write, in order and in as many pieces as it must be
	// sent in, each when it may pass. It returns the first error of write, or that of ctx
	// when it ends first.
	Send(ctx context.Context, class Class, frame []byte, write func([]byte) (int, error)) error
	// Received is told of n bytes of a frame that have come, and returns when its
	// peer may be asked for, or allowed, more; or with an error when ctx ends first.
	Received(ctx context.Context, class Class, n int) error
}

// freely is a Limiter that never holds anything back.
type freely struct{}

func (freely) Send(_ context.Context, _ Class, frame []byte, write func([]byte) (int, error)) error {
	_, err := write(frame)
	return err
}

func (freely) Received(context.Context, Class, int) error { return nil }

// Meter is a Counter that keeps totals. The zero value is ready.
type Meter struct {
	flows [classes][256]flow
}

// flow is the traffic of one kind.
type flow struct {
	sent, sentBytes, received, receivedBytes atomic.Uint64
}

// Traffic is what one kind of request and its replies moved.
type Traffic struct {
	Class Class
	Kind  Kind
	// Sent and Received count frames: requests and replies. Frames that were
	// cut off count too.
	Sent, Received uint64
	// SentBytes and ReceivedBytes are their bytes as in Counter.
	SentBytes, ReceivedBytes uint64
}

// Count implements Counter.
func (m *Meter) Count(class Class, kind Kind, sent bool, n int) {
	if class >= classes || n <= 0 {
		return
	}
	f := &m.flows[class][kind]
	if sent {
		f.sent.Add(1)
		f.sentBytes.Add(uint64(n))
		return
	}
	f.received.Add(1)
	f.receivedBytes.Add(uint64(n))
}

// Snapshot returns the totals of all kinds that moved something, by class and
// kind.
func (m *Meter) Snapshot() []Traffic {
	var all []Traffic
	for class := range m.flows {
		for kind := range m.flows[class] {
			f := &m.flows[class][kind]
			t := Traffic{
				Class: Class(class), Kind: Kind(kind),
				Sent: f.sent.Load(), SentBytes: f.sentBytes.Load(),
				Received: f.received.Load(), ReceivedBytes: f.receivedBytes.Load(),
			}
			if t.Sent > 0 || t.Received > 0 {
				all = append(all, t)
			}
		}
	}
	return all
}
