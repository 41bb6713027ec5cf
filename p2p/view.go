package p2p

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/roster"
)

// groupSize is how many members keep a shard.
const groupSize = 3

// view is who the members are at one moment.
type view struct {
	ring   *ring.Ring
	digest [16]byte
	owners [16]byte
	// partners are the members that this one shares a group with, here being
	// those whose group this one is in. It watches them, and at leisure distant, those that
	// it may have to declare out when nobody of their groups is left.
	partners, distant []peer.ID
	near              []string  // the other members, the nearest first
	since             time.Time // when owners changed last
	out               []string  // members that are out
}

// refresh computes the view again. changed is told if domains may have got
// another owner.
func (n *Node) refresh() {
	n.refreshing.Lock()
	defer n.refreshing.Unlock()
	now := n.roster.Moment()
	v := &view{digest: now.Digest, owners: now.OwnersDigest, since: time.Now()}
	old := n.view.Load()
	if old != nil && old.owners == v.owners {
		v.ring, v.near, v.partners, v.distant, v.since = old.ring, old.near, old.partners, old.distant, old.since
	} else {
		v.ring = ringOf(now.Owners)
		v.near = v.ring.Neighbours(string(n.self), maxNear)
		partners, distant := v.ring.WatchedBy(string(n.self), groupSize, watchers)
		v.partners, v.distant = peersOf(partners), peersOf(distant)
	}
	for _, m := range now.Leaving {
		if m.Out {
			v.out = append(v.out, string(m.Peer))
		}
	}
	n.view.Store(v)
	protect(n.cfg.Host.ConnManager(), old, v)
	if own, ok := n.roster.Get(n.self); ok && own.Out {
		n.unsaid = true
		n.reissue() // that undoes it; until then no domain need move
		return
	}
	if n.unsaid || old == nil || old.owners != v.owners || !slices.Equal(old.out, v.out) {
		n.unsaid = false
		select {
		case n.changed <- struct{}{}:
		default:
		}
	}
}

// partnerTag is what connections to partners are protected with: strangers that connect must not push them out.
const partnerTag = "partner"

func protect(m connmgr.ConnManager, old, now *view) {
	for _, p := range now.partners {
		m.Protect(p, partnerTag)
	}
	if old != nil {
		for _, p := range old.partners {
			if !slices.Contains(now.partners, p) {
				m.Unprotect(p, partnerTag)
			}
		}
	}
}

func ringOf(owners []roster.Member) *ring.Ring {
	members := make([]ring.Member, 0, len(owners))
	for i := range owners {
		m := &owners[i]
		members = append(members, ring.Member{ID: string(m.Peer), Units: int(m.Units), Net: m.Net()})
	}
	return ring.New(members)
}

// maxNear is how many neighbours are known by their nearness.
const maxNear = 32

// supposed is a view with a member on the ring that is not there.
type supposed struct {
	of, view *view
	member   string
	units    int
}

// withMember returns the view with a member on the ring, which may not be there. The
// last one is kept: questions about one member come in a row.
func (n *Node) withMember(p string) *view {
	v := n.view.Load()
	if v.ring.Units(p) > 0 {
		return v
	}
	units := 1
	if m, ok := n.roster.Get(peer.ID(p)); ok {
		units = max(int(m.Capacity), 1)
	}
	if last := n.supposed.Load(); last != nil && last.of == v && last.member == p && last.units == units {
		return last.view
	}
	with := &view{ring: ring.New(append(slices.Clone(v.ring.Members()), ring.Member{ID: p, Units: units}))}
	n.supposed.Store(&supposed{of: v, view: with, member: p, units: units})
	return with
}

// Owner returns whose a domain is; ok is false while nobody owns anything.
func (n *Node) Owner(d crawl.Domain) (string, bool) {
	u, ok := n.view.Load().ring.Owner(crawl.KeyOf(d))
	return u.Member, ok
}

// Near returns the k members nearest to another one, which keep its log with
// it. That one may be out or have left.
func (n *Node) Near(member string, k int) []string {
	return n.withMember(member).ring.Watchers(member, k)
}

// Down reports whether a member that this node watches does not answer, or any says
// that it rests.
func (n *Node) Down(p string) bool { return n.beats.Down(peer.ID(p)) || n.Rests(p) }

// Heard reports whether a member that this node watches has been heard of and does not rest. Of one that it does
// not watch, nothing is known.
func (n *Node) Heard(p string) bool { return n.beats.Heard(peer.ID(p)) && !n.Rests(p) }

// partners are the members that this one shares groups with, or is to; distant are others
// that it watches at leisure.
func (n *Node) partners() (list, distant []peer.ID) {
	v := n.view.Load()
	return v.partners, v.distant
}

// Member reports whether a peer has a record.
func (n *Node) Member(p string) bool {
	_, ok := n.roster.Get(peer.ID(p))
	return ok
}

// Neighbours returns at most k other members, the nearest first.
func (n *Node) Neighbours(k int) []string {
	near := n.view.Load().near
	return near[:min(len(near), k)]
}

// Others returns at most k other members that own domains, taken by chance.
func (n *Node) Others(k int) []string {
	members := n.view.Load().ring.Members()
	list := make([]string, 0, k)
	for _, i := range rand.Perm(len(members)) {
		if len(list) == k {
			break
		}
		if members[i].ID != string(n.self) {
			list = append(list, members[i].ID)
		}
	}
	return list
}

// Digest stands for who the members are.
func (n *Node) Digest() [16]byte { return n.view.Load().digest }

// Owners stands for who owns domains, and how much of the ring.
func (n *Node) Owners() [16]byte { return n.view.Load().owners }

// Ring returns the ring as it is now.
func (n *Node) Ring() *ring.Ring { return n.view.Load().ring }

// Changed receives when domains may have got another owner. It holds one
// signal, so it is for one reader.
func (n *Node) Changed() <-chan struct{} { return n.changed }

func peersOf(members []string) (list []peer.ID) {
	for _, m := range members {
		list = append(list, peer.ID(m))
	}
	return list
}
