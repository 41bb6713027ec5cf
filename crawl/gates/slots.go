// Package gates lets requests go to an address, one at a time or as many as this node was granted there:
// thousands of hosts may share one server, which is not to pay for that. The slots of an address are shared out
// among all nodes; Slots is what a node asks for them.
package gates

import (
	"net/netip"
	"time"
)

const (
	// MaxSlots is how many requests at a time an address gets at most, of all nodes together.
	MaxSlots = 8
	// MaxNamed bounds the domains that an Ask names.
	MaxNamed = 32
)

// Slots are shared out among all nodes that visit an address: many sites share one server.
type Slots interface {
	// Ask tells what this node has and wants of an address. It must not block, and may be lost. Gates.Grant
	// takes the answer.
	Ask(at netip.AddrPort, a Ask)
}

// Ask is what a node has and wants of an address.
type Ask struct {
	Number uint64 // of this Ask: later ones have greater ones, also after a start
	// Has is how many slots the node keeps of those it was granted, Wants how many it could use: 0 to MaxSlots.
	Has, Wants int
	// Good counts answers since the last Ask that were neither refusals nor failures; Bad says that there was
	// one that was, or none at all.
	Good int
	Bad  bool
	// Domains are hashes of the domains that were to be visited since the last Ask, at most MaxNamed.
	Domains []uint32
}

// Grant says how many slots a node has.
type Grant struct {
	Number uint64        // of the Ask that it answers
	Slots  int           // 0 to MaxSlots
	For    time.Duration // counted from that Ask
	Wanted bool          // others wait: each slot goes back after the request under way
}
