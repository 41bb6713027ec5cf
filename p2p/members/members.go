// Package members is what a node knows of the members of its network: who they are, who of them owns which domain,
// and who is near whom. All of it follows from the signed records of the roster. The ring and what it says are
// computed again whenever the owners change, so questions are answered without a lock.
package members

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/roster"
)

const (
	// groupSize is how many members keep a shard.
	groupSize = 3
	// watchers is how many members may sign that another is out: two more than must, since nodes may differ a little
	// about who is nearest.
	watchers = 4
	// MaxNear is how many neighbours are known by their nearness.
	MaxNear = 32
	// partnerTag is what connections to partners are protected with: strangers that connect must not push them out.
	partnerTag = "partner"
)

// Config says what Members work with.
type Config struct {
	// Roster is that of the records; Members say who is entitled to declare a member out.
	Roster roster.Config
	// Conns keeps the connections to members that share a group with this one.
	Conns connmgr.ConnManager
	// Own is called with what the roster knows of this node.
	Own func(roster.Member)
}

// Members are the members of a network as this node knows them. Methods are safe for concurrent use.
type Members struct {
	// Roster has the records. After a change of it Refresh is to be called.
	Roster *roster.Set

	cfg      Config
	self     peer.ID
	view     atomic.Pointer[view]
	supposed atomic.Pointer[supposed]
	changed  chan struct{}

	refreshing sync.Mutex // one view after the other; guards the next
	unsaid     bool       // a change of the view was told to nobody
}

// New returns members of which none is known yet.
func New(cfg Config) *Members {
	m := &Members{cfg: cfg, self: cfg.Roster.Self, changed: make(chan struct{}, 1)}
	m.cfg.Roster.Entitled = m.mayDeclareOut
	m.Roster = roster.New(m.cfg.Roster)
	return m
}

// view is who the members are at one moment.
type view struct {
	ring   *ring.Ring
	digest [16]byte
	owners [16]byte
	// partners are the members that this one shares a group with, here being
	// those whose group this one is in. It watches them, and at leisure distant, those that
	// it may have to declare out when nobody of their groups is left.
	partners, distant []peer.ID
	near              []string // the other members, the nearest first
	out               []string // members that are out
}

// Refresh computes from the roster again who the members are. Changed is told if domains may have got another owner.
func (m *Members) Refresh() {
	m.refreshing.Lock()
	defer m.refreshing.Unlock()
	now := m.Roster.Moment()
	v := &view{digest: now.Digest, owners: now.OwnersDigest}
	old := m.view.Load()
	if old != nil && old.owners == v.owners {
		v.ring, v.near, v.partners, v.distant = old.ring, old.near, old.partners, old.distant
	} else {
		v.ring = ringOf(now.Owners)
		v.near = v.ring.Neighbours(string(m.self), MaxNear)
		partners, distant := v.ring.WatchedBy(string(m.self), groupSize, watchers)
		v.partners, v.distant = peersOf(partners), peersOf(distant)
	}
	for _, leaving := range now.Leaving {
		if leaving.Out {
			v.out = append(v.out, string(leaving.Peer))
		}
	}
	m.view.Store(v)
	protect(m.cfg.Conns, old, v)
	if own, ok := m.Roster.Get(m.self); ok {
		if m.cfg.Own(own); own.Out {
			m.unsaid = true // until that is undone no domain need move
			return
		}
	}
	if m.unsaid || old == nil || old.owners != v.owners || !slices.Equal(old.out, v.out) {
		m.unsaid = false
		select {
		case m.changed <- struct{}{}:
		default:
		}
	}
}

func protect(conns connmgr.ConnManager, old, now *view) {
	for _, p := range now.partners {
		conns.Protect(p, partnerTag)
	}
	if old != nil {
		for _, p := range old.partners {
			if !slices.Contains(now.partners, p) {
				conns.Unprotect(p, partnerTag)
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

func peersOf(members []string) (list []peer.ID) {
	for _, m := range members {
		list = append(list, peer.ID(m))
	}
	return list
}

// Changed receives when domains may have got another owner. It holds one
// signal, so it is for one reader.
func (m *Members) Changed() <-chan struct{} { return m.changed }

// Ring returns the ring as it is now.
func (m *Members) Ring() *ring.Ring { return m.view.Load().ring }

// Owner returns whose a domain is; ok is false while nobody owns anything.
func (m *Members) Owner(d crawl.Domain) (string, bool) {
	u, ok := m.Ring().Owner(crawl.KeyOf(d))
	return u.Member, ok
}

// Share returns this node's share of the ring, 0 to 1.
func (m *Members) Share() float64 { return m.Ring().Share(string(m.self)) }

// Count returns how many members own domains.
func (m *Members) Count() int { return m.Ring().Len() }

// Digest stands for who the members are.
func (m *Members) Digest() [16]byte { return m.view.Load().digest }

// Owners stands for who owns domains, and how much of the ring.
func (m *Members) Owners() [16]byte { return m.view.Load().owners }

// Neighbours returns at most k other members, the nearest first.
func (m *Members) Neighbours(k int) []string {
	near := m.view.Load().near
	return near[:min(len(near), k)]
}

// Partners returns the members that this one shares groups with, or is to; distant are others
// that it watches at leisure.
func (m *Members) Partners() (list, distant []peer.ID) {
	v := m.view.Load()
	return v.partners, v.distant
}

// Own returns what this node said last, in this run or the one before, and whether it owns domains by it: others have
// not taken them over since.
func (m *Members) Own() (own roster.Member, owns bool) {
	own, is := m.Roster.Get(m.self)
	return own, is && !own.Out && own.Capacity > 0 &&
		(own.State == roster.StateActive || own.State == roster.StateResting)
}

// OthersOwn reports whether other members own domains.
func (m *Members) OthersOwn() bool {
	return slices.ContainsFunc(m.Roster.Owners(), func(o roster.Member) bool { return o.Peer != m.self })
}

// IsMember reports whether the roster has a record of a peer.
func (m *Members) IsMember(p string) bool {
	_, ok := m.Roster.Get(peer.ID(p))
	return ok
}

// Known returns since when a member is known here, and the network that its addresses are in, "" if it has
// none; zero for one that is no member, or out.
func (m *Members) Known(p string) (since time.Time, net string) {
	if r, ok := m.Roster.Get(peer.ID(p)); ok && !r.Out {
		return r.Since, r.Net()
	}
	return time.Time{}, ""
}

// Rests reports whether a member said that it does not answer for now.
func (m *Members) Rests(p string) bool {
	r, ok := m.Roster.Get(peer.ID(p))
	return ok && r.State == roster.StateResting
}

// RestedFor returns for how long a member has said that it rests, by its own word.
func (m *Members) RestedFor(p peer.ID) time.Duration {
	r, ok := m.Roster.Get(p)
	if !ok || r.State != roster.StateResting {
		return 0
	}
	return m.cfg.Roster.Now().Sub(time.Unix(r.Issued, 0))
}
