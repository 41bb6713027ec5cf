package shard

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// Times are the waits of the protocol. All members of a network have the same.
type Times struct {
	// Beat is how often two members hear from each other. One that is not heard for three beats is down.
	Beat time.Duration
	// Lease is how long a fetcher may work for a domain at most, counted from its request.
	Lease time.Duration
	// Out is how long a member is down before its shards move on. The roster judges that.
	Out time.Duration
	// Careful is how long a member waits for a majority before it goes on alone, carefully.
	Careful time.Duration
	// Day is how long voters must be out before those that remain found their group again.
	Day time.Duration
}

// RealTimes are those of the public network, LabTimes those of a network of a test.
var (
	RealTimes = Times{Beat: 4 * time.Second, Lease: 2 * time.Minute, Out: time.Hour, Careful: 5 * time.Minute,
		Day: 24 * time.Hour}
	LabTimes = Times{Beat: time.Second, Lease: 10 * time.Second, Out: 20 * time.Second, Careful: 20 * time.Second,
		Day: 40 * time.Second}
)

// Clock gives time. Nothing here reads another clock.
type Clock interface {
	// Awake is the time since the start, without the time in which the machine slept. Members count leases by it.
	Awake() time.Duration
	// Wall is the calendar, which somebody may set. Fetchers distrust a lease by whichever clock ran further.
	Wall() time.Time
}

// Part is a prefix of which one shard should hold every key.
type Part struct {
	Prefix ring.Prefix
	Shard  stream.Shard
}

// Directory says what this member's roster says now. It is asked often and may change at any time.
// It says where things should be. Who may act is in the records of the shards.
type Directory interface {
	// Line returns the computed line of a shard, its home first, three at most; nil if the shard is not on the ring.
	Line(stream.Shard) []crawl.PeerID
	// Relays returns the members that come after the line, two at most. They pass on what two of the line cannot send
	// each other.
	Relays(stream.Shard) []crawl.PeerID
	// Parts cuts a prefix by home.
	Parts(ring.Prefix) []Part
	// Own returns the prefixes of which a shard should hold every key, those that Parts would give to it.
	Own(stream.Shard) []ring.Prefix
	// Mine returns the shards that this member is the home of.
	Mine() []stream.Shard
	// Out reports whether a member is out or has left.
	Out(crawl.PeerID) bool
	// Owner reports whether a member has units, or had: it may keep what shards that are not on the ring any more knew.
	Owner(crawl.PeerID) bool
}

// Kind says what a Note is about.
type Kind uint8

const (
	Elected     Kind = iota + 1 // Raft made this member leader in Term
	Acts                        // it begins to act; Peers are those it pulled from
	Resigned                    // it acts no more
	Careful                     // it begins to act carefully, without a majority
	CarefulEnds                 //
	Founded                     // it founded the group, or founded it again, under Term.Founding
	Line                        // the leader applied a change of voters; Peers are the voters
	Gave                        // a member applied a release of Prefix to another shard, under Number
	Took                        // a member applied that Prefix is the shard's, under Number
	Received                    // the leader may act for Prefix, which Peer released
	Granted                     // a lease of Domain under authority Number is answered
	Stored                      // a put for Domain is acknowledged; Number is its commit
	Voted                       // this member gave its vote to Peer in Term
	SetBack                     // this member found that its store is older than what it acknowledged
	Streamed                    // Stream says what happened to items
)

// Note is one thing that happened. Which fields are set depends on Kind.
type Note struct {
	Kind   Kind
	Shard  stream.Shard
	Term   stream.Term
	Peer   crawl.PeerID
	Peers  []crawl.PeerID
	Domain crawl.Domain
	Prefix ring.Prefix
	Number uint64
	Lease  crawl.LeaseID
	Stream *stream.Note
	Text   string
}
