package members

import (
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/ring"
)

// supposed is a ring with a member that is not there.
type supposed struct {
	of     *view
	ring   *ring.Ring
	member string
	units  int
}

// ringWith returns the ring with a member on it, which may not be there. The last one is kept: questions about one
// member come in a row.
func (m *Members) ringWith(p string) *ring.Ring {
	v := m.view.Load()
	if v.ring.Units(p) > 0 {
		return v.ring
	}
	units := 1
	if r, ok := m.Roster.Get(peer.ID(p)); ok {
		units = max(int(r.Capacity), 1)
	}
	if last := m.supposed.Load(); last != nil && last.of == v && last.member == p && last.units == units {
		return last.ring
	}
	with := ring.New(append(slices.Clone(v.ring.Members()), ring.Member{ID: p, Units: units}))
	m.supposed.Store(&supposed{of: v, ring: with, member: p, units: units})
	return with
}

// Signers returns the members that may sign that another is out, and how many must. That one may not be on the ring
// as this node knows it: it may be on that of others, and has the watchers it would have there.
func (m *Members) Signers(victim string) (may []string, need int) {
	return m.ringWith(victim).Watchers(victim, watchers), m.SignersNeeded()
}

// SignersNeeded is how many must sign that a member is out: a majority of a group, or the only other member there is.
func (m *Members) SignersNeeded() int { return min(groupSize/2+1, max(m.Count()-1, 1)) }

// mayDeclareOut reports whether peers may together declare a member out.
func (m *Members) mayDeclareOut(victim peer.ID, signers []peer.ID) bool {
	if m.view.Load() == nil {
		return false
	}
	may, need := m.Signers(string(victim))
	count := 0
	for _, s := range signers {
		if slices.Contains(may, string(s)) {
			count++
		}
	}
	return count >= need
}
