// Package group keeps the record of who may act for a shard.
//
// A shard is the domains of one unit of a member. Its line, the member and the two next to it
// on the ring, keeps a small record together with Raft: who is in the line, which
// prefixes of keys the shard holds, which leases live. Only what needs an order is there. What is known of URLs
// needs none: it merges, and travels beside the log (package stream).
//
// A [Node] is a member's part in all shards that it keeps. How to read it, from the outside in:
//
//   - node.go: packets in, one transaction, packets out
//   - replica.go: one shard here, and Raft beneath (raftlog.go); what members agree on is package record
//   - lead.go: from election to acting; line.go: who is in the line; moves.go and inbound.go: keys that change shards
//   - careful.go: without a majority; trust.go: a store that may be older than what it acknowledged
//   - serve.go and calls.go: requests of fetchers and senders, and who makes them; peer.go: heartbeats and relays
//
// # What holds
//
// A member leads in a term of Raft (Ongaro and Ousterhout 2014), and acts after it pulled what the reachable members of the line
// have beyond its own. Every grant and every release is an entry: a leader that slept or was cut off can do
// nothing, as nothing it proposes is committed. An item is acknowledged when the leader and a follower have stored it.
// A prefix of keys changes its shard by two entries, one that gives and one that takes; its number
// grows by each, and the later number is right.
//
// # Concurrency
//
// There is none. A Node is a state machine: the same calls in the same order give the same packets. It
// reads no clock but the one it is given, starts no goroutine, and blocks on its store alone. Nothing leaves it before
// the transaction that it speaks of is durable.
package group
