package stream

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

// Streams is the machine of one node: all its shards.
type Streams struct{ cfg Config }

// Open reads the marks that the store holds.
func Open(cfg Config, disk Disk) (*Streams, error) { return &Streams{cfg: cfg}, nil }

// Lead begins to lead a shard: it draws a run, whose generation is one above the highest known of the shard. The next
// Commit stores the mark (run, 0), and then the run has begun. A node that leads already begins another run.
func (s *Streams) Lead(shard Shard, term Term) {}

// Resign ends leading. Puts that wait are forgotten.
func (s *Streams) Resign(shard Shard) {}

// Followers sets whom the commits of a led shard go to: voters and learners without this node. Those that stay keep
// their sessions.
func (s *Streams) Followers(shard Shard, peers []crawl.PeerID) {}

// Put merges items into a led shard with the next Commit. stored may be nil; it is called from Committed with the number
// of the run that covers the items, also if nothing changed. It is never called if the node does not lead, or resigns
// first. Items that are not Valid are left out.
func (s *Streams) Put(shard Shard, items []Item, stored func(n uint64)) {}

// PutAlone merges items with the next Commit without leading: what changes is stamped in a run of this store's own.
func (s *Streams) PutAlone(shard Shard, items []Item) {}

// Number returns the last durable number of the run being led, and whether the run has begun.
func (s *Streams) Number(shard Shard) (n uint64, begun bool) { return 0, false }

// Acked returns what p has acknowledged of the run being led, false before its first acknowledgement. It goes down if p
// says that it has less than it had.
func (s *Streams) Acked(shard Shard, p crawl.PeerID) (n uint64, ok bool) { return 0, false }

// Pull asks another store until it has everything, or is cancelled. There is one pull per (Shard, From, Into): a second
// cancels the first.
func (s *Streams) Pull(p Pull) (cancel func()) { return func() {} }

// Offer tells the leader of a shard, to, that this node has a copy that it need not keep. The leader pulls what it lacks
// and answers when all its followers have it. Then this node drops what is covered. It may be repeated at will.
func (s *Streams) Offer(shard Shard, to crawl.PeerID) {}

// Drop deletes items of a shard in prefixes (nil: all) whose stamps marks have, in the next Commits, unless another shard
// of this store carried the domain.
func (s *Streams) Drop(shard Shard, prefixes []ring.Prefix, marks Marks) {}

// Beyond reports whether there are items of the shard in prefixes (nil: all) whose stamps marks lack.
func (s *Streams) Beyond(tx Tx, shard Shard, prefixes []ring.Prefix, marks Marks) (bool, error) {
	return false, nil
}

// Domains visits the domains that streams, pulls or puts of the shard carried here, in ascending order.
func (s *Streams) Domains(tx Tx, shard Shard, visit func(crawl.Domain) (more bool)) error { return nil }

// Receive takes a message of a peer. An error means that it is malformed, which is the peer's fault.
func (s *Streams) Receive(from crawl.PeerID, message []byte) error { return nil }

// Tick sends again what was not answered.
func (s *Streams) Tick() {}

// Waits reports whether there is work for Commit, and whether it needs a transaction that writes.
func (s *Streams) Waits() (reads, writes bool) { return false, false }

// Commit does everything that waits. After the transaction the caller calls Committed if it is durable, else Failed.
func (s *Streams) Commit(tx Tx) error { return nil }

// Committed makes known what the last Commit did, sends and calls back. Callbacks may call Streams.
func (s *Streams) Committed() {}

// Failed puts the work of the last Commit back.
func (s *Streams) Failed() {}

// Get returns the value of an item, nil if there is none. It is valid until the transaction ends.
func (s *Streams) Get(tx Tx, d crawl.Domain, key string) []byte { return nil }

// Items visits the items of a domain in ascending order of keys while visit returns true.
func (s *Streams) Items(tx Tx, d crawl.Domain, visit func(key string, value []byte) (more bool)) error {
	return nil
}

// Marks returns a copy of this store's marks of a shard.
func (s *Streams) Marks(shard Shard) Marks { return nil }

// Sizes returns the number of entries of every map and queue, for tests of bounds.
func (s *Streams) Sizes() map[string]int { return nil }
