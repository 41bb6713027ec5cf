// Package p2p makes a node a member of its network: a [Node] joins, tells of itself by a signed record, and leaves.
// It has these parts:
//
//   - Members (p2p/members): who the members are, and whose a domain is
//   - Requests (p2p/requests): what members ask each other; what the requests say is the caller's business
//   - Vouches (p2p/vouches): members that confirm where this node is
//   - gossip.go spreads new records at once; compare.go exchanges with other members those that gossip missed
//   - beat.go: a few members watch each other; out.go: one that is silent for long is declared out by those that watch
//     it, with their signatures, until it comes back; dispute.go: it hears of that if it is there
//   - join.go: how it finds others; own.go: its own record; rest.go: how it rests; remember.go: what it keeps on disk
//
// From the records alone follows the ring (p2p/ring), so nodes that know the same members agree, without a message,
// whose every domain is.
package p2p
