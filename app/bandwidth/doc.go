// Package bandwidth holds everything a node sends and receives to two rates
// that its user allows, one up and one down, and counts it.
//
// A Budget has a token bucket for each direction. What can wait is admitted
// before it moves: pages by Conn, which reads and writes no more than the bucket
// gives, so that TCP slows the site; frames to and from peers by Peers. What
// cannot wait, or is seen only when it has come, is debited (Debit,
// Peers.Socket): the bucket goes into debt, and everything else waits until it
// is worked off. So the sum keeps to the rate, whatever it is made of.
//
// # Classes
//
// Control never waits, but where the rate is zero and nothing passes. The other
// classes share by weight what is left when they compete: Work gets half, and is served
// first while it takes less than that; Pages and Bulk get a quarter each. What a
// class does not use the others have. Within a class, who came first is served
// first; a frame of a peer, once begun, goes on before those begun later.
//
// # Peers
//
// Sockets to peers carry all classes together, encrypted, with what libp2p adds. Their
// bytes are counted at the sockets (Peers.Socket), which is exact; the class
// of a byte is known from the frames (Peers.Send, Peers.Received). What
// belongs to no frame of Work or Bulk is Control.
//
// # Promises
//
// Rates may be changed at any time, and what waits follows at once. A rate
// below zero is no limit: then nothing waits, and all that is left is counting.
// Bursts are of 100 ms, or two packets. Debts of more than ten seconds are
// forgiven. There is no goroutine for a connection or for a budget, and memory
// is that of those who wait.
//
// Everything may be used by any number of goroutines. Nothing is stored.
package bandwidth
