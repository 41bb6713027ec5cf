package group

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/shard"
)

// Config is what a Node is made of. Everything is required unless it says otherwise.
type Config struct {
	Self      crawl.PeerID
	Times     Times
	Clock     Clock
	Directory Directory
	// Merge joins two versions of an item, as in stream.Config.
	Merge func(d crawl.Domain, key string, a, b []byte) []byte
	// Chance gives random bits: of run and lease numbers, which must not be guessed.
	Chance func() uint64
	// Gap is the time between two requests that a domain is owed.
	Gap func(crawl.Domain) time.Duration
	// Founder is set at the first start of a network's first node alone: its first shard begins with
	// authority over everything.
	Founder bool
	// Offend is told of packets that cannot be read, which is the fault of their sender. It may be nil.
	Offend func(from crawl.PeerID, err error)
	// Note is told what happened, for traces and checks. It may be nil, and must return at once.
	Note func(Note)
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
