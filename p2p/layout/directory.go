package layout

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// Member is an admitted member, as a roster has it.
type Member struct {
	ID    crawl.PeerID
	Units int
	Net   string // as in ring.Member
	Out   bool   // it is out, or has left: it is not on the ring
}

// Directory is what a member's roster says now. It implements shard.Directory, and is safe for concurrent use.
type Directory struct {
	self crawl.PeerID
	now  atomic.Pointer[state]
}

// state is what follows from one state of the roster.
type state struct {
	*Layout
	members []Member // by ID
	out     map[crawl.PeerID]bool
	owners  map[crawl.PeerID]bool // those that have units, or had since this node's start
}

// NewDirectory returns the directory of a member whose roster is empty.
func NewDirectory(self crawl.PeerID) *Directory {
	d := &Directory{self: self}
	d.now.Store(&state{Layout: New(nil)})
	return d
}

// Set takes the members of the roster, in any order; each is there once. One goroutine at a time may call it. It
// computes nothing again if nothing has changed, and no lines and parts if only members that are not on the ring have.
func (d *Directory) Set(members []Member) {
	old, next := d.now.Load(), &state{members: slices.Clone(members), out: make(map[crawl.PeerID]bool)}
	slices.SortFunc(next.members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	if slices.Equal(old.members, next.members) {
		return
	}
	next.owners = make(map[crawl.PeerID]bool)
	for _, m := range next.members {
		if m.Out {
			next.out[m.ID] = true
		}
		if m.Units > 0 || m.Out || old.owners[m.ID] {
			next.owners[m.ID] = true
		}
	}
	if next.Layout = old.Layout; !slices.Equal(old.onRing(), next.onRing()) {
		next.Layout = New(next.onRing())
	}
	d.now.Store(next)
}

func (s *state) onRing() []ring.Member {
	var list []ring.Member
	for _, m := range s.members {
		if !m.Out && m.Units > 0 {
			list = append(list, ring.Member{ID: string(m.ID), Units: m.Units, Net: m.Net})
		}
	}
	return list
}

// Layout returns the present layout.
func (d *Directory) Layout() *Layout { return d.now.Load().Layout }

// Line implements shard.Directory.
func (d *Directory) Line(s stream.Shard) []crawl.PeerID { return d.Layout().Line(s) }

// Relays implements shard.Directory.
func (d *Directory) Relays(s stream.Shard) []crawl.PeerID { return d.Layout().Relays(s) }

// Own implements shard.Directory.
func (d *Directory) Own(s stream.Shard) []ring.Prefix { return d.Layout().Own(s) }

// Mine implements shard.Directory.
func (d *Directory) Mine() []stream.Shard { return d.Layout().Of(d.self) }

// Out implements shard.Directory. A member that the roster does not know is not out.
func (d *Directory) Out(p crawl.PeerID) bool { return d.now.Load().out[p] }

// Owner implements shard.Directory. A member that is out or has left may have been one.
func (d *Directory) Owner(p crawl.PeerID) bool { return d.now.Load().owners[p] }

// Parts implements shard.Directory.
func (d *Directory) Parts(p ring.Prefix) []shard.Part { return d.Layout().Parts(p) }

// Member reports whether a peer is in the roster, out or not.
func (d *Directory) Member(p crawl.PeerID) bool {
	_, is := slices.BinarySearchFunc(d.now.Load().members, p,
		func(m Member, p crawl.PeerID) int { return cmp.Compare(m.ID, p) })
	return is
}
