// Package p2p makes a node a member of its network. It knows who the other
// members are, whose a domain is, who of them can be reached, and carries
// requests to them; what the requests say is the caller's business.
//
// Members tell of themselves by signed records (p2p/roster). New ones spread
// at once by gossip, and what gossip missed by comparing rosters with others
// now and then. From the records alone follows the ring (p2p/ring), so nodes
// that know the same members agree, without a message, whose every domain is.
// A few members watch each other (beat.go): one that is not heard from for
// long is declared out by those that watch it, with their signatures, until it
// comes back.
package p2p
