// Package roster keeps the signed list of a network's members.
//
// Two kinds of items spread through the network, each signed and each
// understandable alone. A Record is what a member says of itself: where it can be
// reached, how many units of the ring it takes, whether it is about to leave. A
// member issues a new one when something changes and at least daily; the highest
// sequence number wins. An Out note is what others say of a member that
// vanished: it ends the records up to a sequence number, until the member comes
// back with a higher one. Items are worth nothing in a network of another name,
// and both expire 48 hours after they were issued.
//
// A Set holds the newest items of every member, and from them alone, with the
// time, it computes who owns places on the ring. Nodes that hold the same items
// therefore agree, in whatever order these came. Two nodes compare a Digest; where it
// differs, one sends its Summary in ranges and the other answers with the items
// that are Missing.
//
// Everything that reaches a Set may be hostile. Items are checked from the
// cheapest test to the dearest, so that stale ones and repeats cost no signature
// check, and the Set never holds more than a fixed number of members. What
// signatures cannot tell is whether a member tells the truth about itself:
// addresses are claims until someone has dialled them.
//
// The methods of a Set may be called from any number of goroutines. A Set starts
// no goroutines and stores nothing on disk: the caller keeps what Export returns.
package roster
