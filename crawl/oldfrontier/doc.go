// Package frontier keeps what is to be fetched and what was: the queues of
// all hosts, the Bloom filter, politeness clock and lease of every domain.
//
// It is a state machine. Every change is an entry; Propose makes entries
// durable and Apply brings them into the store, many in one transaction.
// Apply is deterministic: it reads no clock but the one it is given, draws no
// random number, and times in entries are durations. So members that apply
// the same entries hold the same state, except for the buckets that are each
// member's own (storage/schema.go): when a domain is due is counted by each
// from its own clock.
//
// The frontier of a node is one of many: each member of a swarm owns some
// domains and keeps them in its log. Links to the domains of others wait in an
// outbox until their owners have them. Tasks may be leased to other fetchers,
// who alone report them as long as the lease is live. A domain whose owner changes
// moves: it is closed here, exported in chunks, opened there, and gone here; each
// step is an entry that may be repeated, and what is known of it is in one log or in
// the other whatever happens in between. A Frontier keeps the state of all this;
// who talks to the others is its caller.
//
// A Frontier is safe for concurrent use. Nothing in it grows in memory with
// the number of URLs or domains: queues, filters and the order of due times
// are in the store, and the one cache is of fixed size.
package frontier
