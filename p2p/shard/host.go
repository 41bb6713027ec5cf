package shard

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// Host is what a part in a shard needs of the member that keeps it.
type Host struct {
	Self      crawl.PeerID
	Times     Times
	Clock     Clock
	Directory Directory
	Chance    func() uint64                    // random bits
	Gap       func(crawl.Domain) time.Duration // what a domain is owed between two requests
	Note      func(Note)                       // may be nil
	Disk      stream.Disk
	Streams   *stream.Streams
	Leaving   bool // everything is handed over

	// Send queues a message. One to this member itself is handled later.
	Send func(to crawl.PeerID, lane stream.Lane, m *codec.Writer)
	// Up reports whether a member was heard lately, be it through a relay.
	Up func(crawl.PeerID) bool
	// ByID returns the peer of a raftlog.ID, "" if none is near.
	ByID func(uint64) crawl.PeerID
	// Replica returns the part in a shard that this member has, nil if it has none; Invite begins one if this
	// member is of the computed line.
	Replica, Invite func(stream.Shard) *Replica
	// Leader returns the member to ask for the leader of a shard, "" if the shard is nowhere. Hinted returns
	// its leader as somebody said, and Hint takes what a peer says.
	Leader, Hinted func(stream.Shard) crawl.PeerID
	Hint           func(s stream.Shard, by, says crawl.PeerID)
	// Fail is told of errors of the store. This member cannot go on.
	Fail func(error)
}

func (h *Host) now() time.Duration { return h.Clock.Awake() }

// Accepts implements stream.Group.
func (h *Host) Accepts(s stream.Shard, from crawl.PeerID, t stream.Term) bool {
	r := h.Replica(s)
	return r != nil && r.log != nil && r.term() == t && r.Leader() == from
}

// Current implements stream.Group.
func (h *Host) Current(s stream.Shard, t stream.Term) bool {
	r := h.Replica(s)
	return r == nil || r.log == nil || r.term().Compare(t) >= 0 // without a log it promised nothing
}

// Trusts implements stream.Group.
func (h *Host) Trusts(s stream.Shard) bool {
	r := h.Replica(s)
	return r == nil || r.trusted()
}

// Extra implements stream.Group: the leases that the record of the group in that term lacks. Those that it has
// its leader knows better: this store may have missed their end.
func (h *Host) Extra(s stream.Shard, t stream.Term) []byte {
	var live []record.Lease
	if r := h.Replica(s); r != nil {
		live = r.leases.Told(h.now(), unrecorded(t))
	}
	w := &codec.Writer{}
	record.WriteLeases(w, live)
	return w.B
}

// unrecorded reports whether the record of a group lacks a lease: it was granted carefully, or under another founding.
func unrecorded(t stream.Term) func(record.Lease) bool {
	return func(l record.Lease) bool { return l.Founding != t.Founding }
}

// Leases returns the leases of a domain that count in a shard, with what is left of them here.
func (h *Host) Leases(r *Replica, d crawl.Domain) []record.Lease { return r.leases.Live(h.now(), d) }

// AllLeases returns those of all domains of a shard, in the order of their numbers.
func (h *Host) AllLeases(r *Replica) []record.Lease { return r.leases.All(h.now()) }

// MayKeep implements stream.Group.
func (h *Host) MayKeep(p crawl.PeerID) bool { return h.Directory.Owner(p) }
