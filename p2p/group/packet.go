package group

import "github.com/forage-net/forage/p2p/codec"

// A packet is a version, the sender's start, the start of the receiver that the sender last heard of, and
// messages: a kind, a length, a body.

const (
	version    = 1
	maxPacket  = 1 << 20
	maxMessage = 600 << 10
	packetSize = 64 << 10 // messages are put together up to here
	ridesAlong = 2 << 10  // so much of the streams goes with acts: a packet of its own costs some 300 bytes
)

// kind says what a message is. The numbers in between are those of package shard.
type kind byte

const (
	kindBeat    kind = 1  // which members the sender hears
	kindStream  kind = 4  //
	kindRelay   kind = 5  // to be passed on
	kindRelayed kind = 6  // passed on
	kindAsk     kind = 7  // for a lease
	kindGrant   kind = 8  // a lease, and what goes with it
	kindMoved   kind = 9  // the request was sent to one who does not act; or not now
	kindPut     kind = 10 // something about a domain
	kindStored  kind = 11 // it counts
	kindReturn  kind = 12 // a lease
	kindTell    kind = 19 // something
)

// newMessage begins a message.
func newMessage(k kind) *codec.Writer { return &codec.Writer{B: []byte{byte(k)}} }

// forFetchers reports whether a message is one that a peer which keeps nothing may send: what a fetcher says to a
// leader, and the answers to what this node asked as one. All others are about shards: logs, marks, items.
func (k kind) forFetchers() bool {
	switch k {
	case kindAsk, kindGrant, kindMoved, kindPut, kindStored, kindReturn, kindTell:
		return true
	}
	return false
}
