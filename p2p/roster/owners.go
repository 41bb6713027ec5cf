package roster

import (
	"cmp"
	"crypto/sha256"
	"net/netip"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"
)

// chooseOwners applies the rules of Set.Owners to the members that would own, ordered
// by ID. They depend on the records alone, so that nodes with the same records
// choose the same.
func (v *view) chooseOwners(candidates []placed, lab bool) {
	candidates = onlyPublic(candidates, lab)
	if v.perNet > 0 {
		v.crowdOut(candidates)
	}
	v.owners = make([]Member, 0, len(candidates))
	h := sha256.New()
	var b []byte
	for _, p := range candidates {
		if v.excluded[p.id] {
			continue
		}
		v.owners = append(v.owners, p.member())
		b = append(append(b[:0], p.id...), p.rec.rec.Capacity)
		h.Write(b)
	}
	copy(v.ownersDigest[:], h.Sum(nil))
}

// onlyPublic returns the candidates dialable from anywhere, or all if none is: a LAN
// without a way in from outside is a network of its own.
func onlyPublic(candidates []placed, lab bool) []placed {
	public := make([]placed, 0, len(candidates))
	for _, p := range candidates {
		if p.rec.public(lab) {
			public = append(public, p)
		}
	}
	if len(public) == 0 {
		return candidates
	}
	return public
}

// public tells whether the record says that its member can be dialled from anywhere.
func (it *item) public(lab bool) bool {
	if lab && it.where.loopback && it.rec.Reach != ReachRelayed {
		return true
	}
	return it.rec.Reach == ReachPublic && it.where.public
}

// crowdOut excludes the candidates beyond perNet in any of their networks. Those with
// the smallest IDs stay: any order that does not depend on the observer can be
// played by who makes many keys, and this one at least costs them.
func (v *view) crowdOut(candidates []placed) {
	v.inNet = make(map[netip.Prefix]int)
	v.excluded = make(map[peer.ID]bool)
	for _, p := range candidates {
		if v.netFull(p.entry) {
			v.excluded[p.id] = true
			continue
		}
		for _, n := range p.rec.where.nets {
			v.inNet[n]++
		}
	}
}

// crowded tells whether a member, held or new, is one too many in its networks.
func (v *view) crowded(e *entry) bool {
	return v.excluded[e.id] || (v.inNet != nil && !v.has(e.id) && v.netFull(e))
}

// netFull tells whether any network of a member has all the owners it may have.
func (v *view) netFull(e *entry) bool {
	return slices.ContainsFunc(e.rec.where.nets, func(n netip.Prefix) bool { return v.inNet[n] >= v.perNet })
}

// has tells whether the view holds a member of that ID.
func (v *view) has(id peer.ID) bool {
	hash := hashOf(id)
	i, found := slices.BinarySearchFunc(v.byHash, hash, func(p placed, h uint64) int { return cmp.Compare(p.hash, h) })
	return found && v.byHash[i].id == id
}
