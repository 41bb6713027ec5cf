// Package group is a member's part in all shards that it keeps.
//
// A shard is the domains of one unit of a member. Its line, the member and the two next to it on the ring,
// keeps a small record together with Raft: who is in the line, which prefixes of keys the shard holds, which
// leases live. Only what needs an order is there. What is known of URLs needs none: it merges, and travels
// beside the log (package stream). Package shard is one shard on this member, package record what the line
// agrees on.
//
// How to read a [Node], from the outside in:
//
//   - node.go: packets in, one transaction, packets out
//   - packet.go: what packets look like; receive.go: what becomes of them
//   - peer.go: heartbeats and relays; routes.go: who leads a shard
//   - serve.go and calls.go: requests of fetchers and senders, and who makes them
//
// # Concurrency
//
// There is none. A Node is a state machine: the same calls in the same order give the same packets. It reads no
// clock but the one it is given, starts no goroutine, and blocks on its store alone. Nothing leaves it before
// the transaction that it speaks of is durable. A driver gives it packets and ticks, then calls Handle, Commit
// if Work is Urgent or items have waited long enough, and Take.
package group
