// Package peerhost is a node's presence on the network: the libp2p host and its
// identity, who it may connect to, and how it finds other peers. It knows
// nothing of rosters, ownership or messages.
//
// A node lives in one of two worlds, and never in both. In the Public world
// its host connects to globally routable addresses and announces no others;
// what mDNS finds on the local network is the one exception, and only within
// the subnets of this computer's own interfaces. In the Lab world it connects to
// loopback and private addresses only, and maps no ports, probes nothing and uses
// no relays. The Gater enforces both on every connection, in and out.
//
// Options gives the libp2p options of a Config, so that simulated networks
// build the same host; New builds it. Package identity keeps key, port and
// secret between runs.
//
// A Finder looks for peers: it dials the bootstrap list and the peers
// remembered from earlier runs until one answers, keeps a private Kademlia DHT
// fresh, watches the local network if it may, and can say in plain words
// whether other computers can reach this one. All methods of Gater and Finder
// may be called at any time from any goroutine.
//
// The package stores nothing; remembered peers go to the caller's Book.
package peerhost
