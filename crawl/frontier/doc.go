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
// A Frontier is safe for concurrent use. Nothing in it grows in memory with
// the number of URLs or domains: queues, filters and the order of due times
// are in the store, and the one cache is of fixed size.
package frontier
