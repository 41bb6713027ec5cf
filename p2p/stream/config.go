package stream

import (
	"bytes"
	"errors"
	"time"

	"github.com/forage-net/forage/crawl"
)

var (
	// errMalformed is what a peer is told to be at fault for.
	errMalformed = errors.New("malformed message")
	// errStored is a record of the store that this package did not write.
	errStored = errors.New("malformed record in the store")
)

// DefaultKept is what a leader keeps of its recent commits per shard, in bytes. A follower that lags further pulls.
const DefaultKept = 64 << 20

// Config is what Streams are made of.
type Config struct {
	// Merge returns what two values of an item make together. It must be pure, commutative, associative and
	// idempotent. Neither is nil. If the result has more than MaxValue bytes, the later of the two in the order of
	// bytes is taken in its place. Merge must not change or keep a and b; it may return one of them.
	Merge func(d crawl.Domain, key string, a, b []byte) []byte
	// Chance returns random bits.
	Chance func() uint64
	// Now returns the time on a clock that only goes forward.
	Now func() time.Duration
	// Retry is how long an unanswered chunk, head or commit waits before it is sent again. Halved, slow disks and links
	// cause needless repeats; doubled, a lost message is noticed later.
	Retry time.Duration
	// Send keeps the message, which nobody may change. It must not call Streams.
	Send  func(to crawl.PeerID, lane Lane, message []byte)
	Group Group
	// Changed is told, within the transaction and before Make is called again, what is another now of the items of a
	// domain. It may write to buckets of others, and keeps nothing of the list. It may be nil.
	Changed func(tx Tx, d crawl.Domain, list []Change) error
	// Stale reports whether an item means nothing any more: pulls leave it out, and Forget may delete it. It
	// may be nil.
	Stale func(Item) bool
	// Note may be nil. It is called from Committed and Tick.
	Note func(Note)
	// Kept is how many bytes of recent commits a leader keeps per shard for followers that lag. 0 means DefaultKept.
	Kept int
}

// merge returns what two values of an item make together.
func (c *Config) merge(d crawl.Domain, key string, a, b []byte) []byte {
	if bytes.Equal(a, b) {
		return a
	}
	m := c.Merge(d, key, a, b)
	if len(m) <= MaxValue {
		return m
	}
	if bytes.Compare(a, b) > 0 {
		return a
	}
	return b
}

// Group is what streams ask of the record of a shard. All its methods are cheap and must not call Streams.
type Group interface {
	// Accepts reports whether from leads s in t as far as this node knows, and t is not older than what this node
	// promised.
	Accepts(s Shard, from crawl.PeerID, t Term) bool
	// Current reports whether this node knows of t or a later term of s: the answer to a leader's pull waits for that.
	Current(s Shard, t Term) bool
	// MayKeep reports whether a peer may have a copy that it need not keep.
	MayKeep(crawl.PeerID) bool
	// Trusts reports whether this node's memory may acknowledge.
	Trusts(s Shard) bool
	// Extra goes with the last chunk of an answer to a pull of a member that is in t. It has at most MaxExtra
	// bytes; a longer one is left out.
	Extra(s Shard, t Term) []byte
	// Merged is called from Committed when a pull changed an item of d in s, which this node leads.
	Merged(s Shard, d crawl.Domain)
}

// NoteKind says what happened.
type NoteKind uint8

const (
	Stamped NoteKind = 1 // this store gave (Run, N) to Item, the content after merging
	Acked   NoteKind = 2 // this node told Peer that it has everything up to (Run, N)
	Marked  NoteKind = 3 // this store adopted the mark (Run, N) from Peer at the end of a pull
	Dropped NoteKind = 4 // this store deleted Item, which had the stamp (Run, N)
)

// Note tells what happened, for traces and checks. Notes of a transaction come after it is durable.
type Note struct {
	Kind  NoteKind
	Shard Shard
	Run   Run
	N     uint64
	Item  Item
	Peer  crawl.PeerID
}
