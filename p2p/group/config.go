package group

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// Config is what a Node is made of. Everything is required unless it says otherwise.
type Config struct {
	Self      crawl.PeerID
	Times     Times
	Clock     Clock
	Directory Directory
	// Merge joins two versions of an item, as in stream.Config.
	Merge func(d crawl.Domain, key string, a, b []byte) []byte
	// Changed and Stale are as in stream.Config. They may be nil.
	Changed func(tx stream.Tx, d crawl.Domain, list []stream.Change) error
	Stale   func(stream.Item) bool
	// Take makes items of what somebody puts, on a member that acts for the domain. Nothing in body is checked.
	// When that counts, the sender's lease ends that is named, 0 for none. false: not now.
	Take func(from Sender, d crawl.Domain, body []byte) (items []stream.Make, ends crawl.LeaseID, ok bool)
	// Lend returns what makes the body of a lease that a peer asks for, of at most MaxBody bytes; nil if it may get
	// none of that domain now. Lend may be nil.
	Lend func(to crawl.PeerID, d crawl.Domain) (body func(record.Lease) []byte)
	// Told is told what a peer says with Tell. Nothing in body is checked. It may be nil.
	Told func(from crawl.PeerID, body []byte)
	// Chance gives random bits: of run and lease numbers, which must not be guessed.
	Chance func() uint64
	// Gap is the time between two requests that a domain is owed.
	Gap func(crawl.Domain) time.Duration
	// Founder is set at the first start of a network's first node alone: its first shard begins with
	// authority over everything.
	Founder bool
	// Stranger reports whether others tell this node of few members: it cannot know lines, and takes leases of any
	// member that it knows. It may be nil.
	Stranger func() bool
	// Busy reports whether a packet is on its way to a peer in a lane: what comes meanwhile waits, and goes in
	// one packet behind it: else packets would queue where one takes longer than the next comes, and a heartbeat
	// that is a minute old tells nothing. It may be nil: never.
	Busy func(to crawl.PeerID, lane stream.Lane) bool
	// Offend is told of packets that cannot be read, which is the fault of their sender. It may be nil.
	Offend func(from crawl.PeerID, err error)
	// Turned is told when this member begins or ends to act: of shard.Acts, Resigned, Gave and Received. It may
	// be nil, and must return at once.
	Turned func(Note)
	// Note is told what happened, for traces and checks. It may be nil, and must return at once.
	Note func(Note)
}

// Sender is a peer, or this node, that puts something about a domain.
type Sender struct {
	ID    crawl.PeerID
	Holds bool // it has a live lease of the domain
	Other bool // another one has
}

// What a Config is made of, and what a Node tells, is for its shards, too.
type (
	Times     = shard.Times
	Clock     = shard.Clock
	Directory = shard.Directory
	Part      = shard.Part
	Note      = shard.Note
	View      = shard.View
)

// note tells what happened to those who want to know.
func (c *Config) note(x Note) {
	if c.Note != nil {
		c.Note(x)
	}
	switch x.Kind {
	case shard.Acts, shard.Resigned, shard.Gave, shard.Received:
		if c.Turned != nil {
			c.Turned(x)
		}
	}
}

func (c *Config) streamNote() func(stream.Note) {
	if c.Note == nil {
		return nil
	}
	return func(x stream.Note) { c.Note(Note{Kind: shard.Streamed, Shard: x.Shard, Stream: &x}) }
}
