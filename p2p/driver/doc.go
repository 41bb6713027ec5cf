// Package driver gives a group.Node what it needs to live: a clock, a store, ticks, and a way to its peers.
//
// How to read it:
//
//   - driver.go: Serve, which opens the node, lets it live, and opens it again after trouble or a rest
//   - life.go: the one goroutine that uses an open node; when it ticks, commits and sends
//   - jobs.go: what others have that goroutine do
//   - store.go: the transactions of the node, and what others do before and in them
//   - inbox.go and senders.go: packets from peers, and to them
//   - net.go: what carries them
//   - clock.go: time
//
// # Commits
//
// Items wait up to Config.CommitEvery for others, to be stored in one transaction and sent in one packet: syncing the
// disk costs more than all else. What others wait for and what hardly writes (heartbeats, Raft, answers to pulls) is
// committed at once, and leaves items waiting. Packets leave only when what they speak of is durable.
//
// # Trouble
//
// If the store fails, the node is closed and opened again from the store after a pause. That is the same as a restart:
// a member does not trust its memory until others have confirmed it. A rest ends in the same way.
//
// # Packets
//
// They travel as calls (p2p/calls) with empty replies. Streams of our own without replies would save some 60
// bytes a packet, most of which the transport spends on its own acknowledgement anyway, and would need again
// what calls has: kept streams, sizes checked before memory is taken, rates and bytes per peer, deadlines,
// compression, bans, counters, and a limiter for the user's limits. One call at a time for each peer and lane
// keeps packets in order. A lane then carries a packet, 64 KiB or a larger message, per round trip, which is
// more than volunteers' lines do. calls.Config.Limiter holds back acts, streams and pulls (class Work) on
// standby, and never heartbeats (class Control). Pulls are not of class Bulk: it does not run over relayed
// connections, and a leader must pull before it acts.
package driver
