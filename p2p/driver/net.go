package driver

import (
	"context"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// Net carries packets between peers. Its methods are called by many goroutines.
type Net interface {
	// Send brings a packet to a peer, and returns when that has it, or with an error: a *calls.Busy to try again later.
	Send(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error
	// Receive sets who takes the packets of peers. An error of take is an answer for the peer, as those of
	// calls.Handler.
	Receive(take func(from crawl.PeerID, lane stream.Lane, packet []byte) error)
	// Offend charges a peer with an offence, as calls.Calls.Offend.
	Offend(p crawl.PeerID, what string, weight int)
}
