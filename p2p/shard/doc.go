// Package shard is one shard on one member: it brings the members of the shard's line to agree on a record, and
// acts on it.
//
// How to read a [Replica]:
//
//   - replica.go: what it is, and Raft beneath (package raftlog); commit.go: what it writes, and what follows from that
//   - beat.go: what it does once a beat; election.go: when it stands; message.go: what members tell each other
//   - lead.go: from election to acting; line.go: who is in the line; moves.go and inbound.go: keys that change shards
//   - careful.go: without a majority; trust.go: a store that may be older than what it acknowledged
//   - grant.go: what fetchers and senders want; host.go: what it needs of its member
//
// # What holds
//
// A member leads in a term of Raft (Ongaro and Ousterhout 2014), and acts after it pulled what the reachable
// members of the line have beyond its own. Every grant and every release is an entry: a leader that slept or
// was cut off can do nothing, as nothing it proposes is committed. An item is acknowledged when the leader and
// a follower have stored it. A prefix of keys changes its shard by two entries, one that gives and one that
// takes; its number grows by each, and the later number is right.
//
// # Concurrency
//
// There is none, as in package group: whoever has the [Host] calls its parts one at a time.
package shard
