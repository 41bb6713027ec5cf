package calls

import (
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/protocol"
)

// Class says how urgent a request is and how much it may carry. Each has its
// own streams and its own limits.
type Class uint8

const (
	// Control is for short words others wait for: heartbeats, votes, leases.
	Control Class = 0
	// Work is for the batches a crawl lives on: outlinks, outcomes, tasks.
	Work Class = 1
	// Bulk is for copying state. It never runs over relayed connections.
	Bulk Class = 2
)

// classes is the number of classes.
const classes = 3

// String returns the name used in protocol identifiers.
func (c Class) String() string {
	switch c {
	case Control:
		return "control"
	case Work:
		return "work"
	case Bulk:
		return "bulk"
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// Protocol returns the libp2p protocol of a class in a network.
func Protocol(network string, c Class) protocol.ID {
	return protocol.ID("/forage/" + network + "/" + c.String() + "/1")
}

// bounds are the limits of a class.
type bounds struct {
	// timeout is the time of a call without a deadline, and of a handler.
	timeout time.Duration
	// handlers may be in flight in all, and perPeer of them for one peer. A
	// caller keeps to perPeer by itself.
	handlers, perPeer int
	// pause is what a caller is told to wait when all handlers are taken:
	// about the time in which some of them end.
	pause time.Duration
	// bytesPerSecond a peer may send and fetch, with bursts of bytesBurst.
	bytesPerSecond, bytesBurst int
	// opensPerSecond bounds how often a peer may open a stream, in bursts of
	// openBurst.
	opensPerSecond, openBurst int
}

// boundsOf returns the limits of c.
func boundsOf(c Class) bounds {
	switch c {
	case Control:
		return bounds{10 * time.Second, 64, 8, 250 * time.Millisecond, 256 << 10, 2 * MaxBody, 50, 100}
	case Work:
		return bounds{30 * time.Second, 64, 8, time.Second, 2 << 20, 2 * MaxBody, 50, 100}
	default:
		return bounds{60 * time.Second, 4, 1, 5 * time.Second, 8 << 20, 4 * MaxBody, 50, 100}
	}
}
