package calls

import (
	"context"
	"fmt"

	"github.com/libp2p/go-libp2p/core/peer"
)

// Kind numbers a sort of request. Kinds travel on the wire: they are never
// reused for something else.
type Kind uint8

const (
	// MaxBody is the most a Spec may allow for a body, in bytes. Larger things
	// go in pieces.
	MaxBody = 1 << 20
	// DefaultRate is the Spec.Rate of a Spec that names none.
	DefaultRate = 20
	// DefaultBurst is the Spec.Burst of a Spec that names none.
	DefaultBurst = 40
)

// Handler answers a request of a peer. The body is the handler's to keep. The
// reply is not kept after it was sent. A *Busy, *Refused or *Lie is sent to
// the peer; of any other error the peer learns only that there was one.
//
// ctx ends after the time of the class (10 s, 30 s, 60 s), or with Serve.
type Handler func(ctx context.Context, from peer.ID, body []byte) ([]byte, error)

// Spec describes a kind of request. Both sides register the same limits.
type Spec struct {
	// Name is for errors and logs.
	Name string
	// Class decides on the streams that carry it.
	Class Class
	// MaxRequest and MaxReply bound the bodies, in bytes after decompression,
	// at most MaxBody; zero allows only empty ones.
	MaxRequest, MaxReply int
	// Rate is how many requests per second one peer may make, in bursts of
	// Burst. A peer that goes beyond is told to wait; one that goes beyond
	// twice the rate offends.
	Rate  float64
	Burst int
	// Handle answers requests. A node without one only asks.
	Handle Handler
}

// withDefaults returns s with its defaults filled in, or an error if it cannot be meant.
func (s Spec) withDefaults() (Spec, error) {
	if s.Rate == 0 {
		s.Rate = DefaultRate
	}
	if s.Burst == 0 {
		s.Burst = DefaultBurst
	}
	switch {
	case s.Name == "":
		return s, fmt.Errorf("kind without a name")
	case s.Class >= classes:
		return s, fmt.Errorf("%s: unknown %v", s.Name, s.Class)
	case s.MaxRequest < 0 || s.MaxRequest > MaxBody || s.MaxReply < 0 || s.MaxReply > MaxBody:
		return s, fmt.Errorf("%s: bodies of %d and %d bytes, want 0 to %d", s.Name, s.MaxRequest, s.MaxReply, MaxBody)
	case s.Rate < 0 || s.Burst < 1:
		return s, fmt.Errorf("%s: rate %v in bursts of %d", s.Name, s.Rate, s.Burst)
	}
	return s, nil
}
