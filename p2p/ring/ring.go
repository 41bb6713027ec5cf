// Package ring decides who owns a key.
//
// Keys and points are 256-bit numbers. Unit u of a member owns the points 16u to
// 16u+15; point i of a member is the SHA-256 of its ID followed by i as four bytes,
// big-endian. A key belongs to the unit that owns the point closest to it, where
// the distance of two numbers is their XOR, read as a number. Keys that agree in their first bits, a few more than
// number the points, belong together (Ring.Grain): where a key is, the first key of those counts. These are the virtual
// points of consistent hashing seeded by identifiers (Boldi and others, "UbiCrawler: a scalable fully distributed web
// crawler", 2004) in the metric of Kademlia (Maymounkov and Mazières, 2002).
//
// What follows from it: a member that joins only takes keys, and one that leaves
// only gives up its own; nothing moves between two others. A unit more is a
// join of 16 points and a unit less a leave, so load follows capacity. Sixteen
// points keep 95 of 100 members of equal capacity under about 1.4 times the fair
// share: eight leave it near 1.5, 32 would bring 1.25 for twice the memory.
//
// A Ring is a pure function of its members: no clock, no chance, no messages.
// Nodes that know the same members give the same answers, whatever the order in
// which they learned of them. A Ring never changes and may be used by any
// number of goroutines.
package ring

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

const (
	// PointsPerUnit is part of the network's protocol: nodes that differ in it
	// disagree about every owner.
	PointsPerUnit = 16
	// MaxUnits is the capacity of the largest member.
	MaxUnits = 8
	// MaxMembers bounds memory: 20,000 members of 8 units take 44 MB, the
	// 5,000 of a full roster with 2 units each 2.7 MB.
	MaxMembers = 20_000
)

// Key is a place in the key space. A crawl.Key is one.
type Key = [32]byte

// Member is a peer that may own keys.
type Member struct {
	// ID holds the bytes of the peer ID. They need not be text.
	ID string
	// Units is its capacity, 1 to MaxUnits. Less owns nothing, more counts as MaxUnits.
	Units int
	// Net is the network its address is in (an IPv4 /16, an IPv6 /32). Members with
	// equal Nets may fail together. Empty means unknown and equals none.
	Net string
}

// Unit is one share of a member's capacity; it has its own log and group.
type Unit struct {
	Member string // ID
	Number int    // 0 to the Units of the member, exclusive
}

// Ring knows the owner of every key.
type Ring struct {
	members []Member // by ID
	points  points
	anchors points // of units: their points 16u
	nets    int    // that differ, each unknown one counted
}

// New returns the ring of the members, in any order. Those without units are not on
// it. Of several entries for one ID that with the most units stands, then that with
// the greatest Net. Of more than MaxMembers those with the lowest IDs are
// on the ring; then a newcomer may push out one other. New keeps nothing of the slice.
func New(members []Member) *Ring { return build(members, pointKey) }

// build is New with another function for the keys of points.
func build(members []Member, key keyFunc) *Ring {
	r := &Ring{members: canonical(members)}
	r.points = newPoints(r.members, key)
	r.anchors = r.points.anchors()
	r.nets = countNets(r.members)
	return r
}

// canonical returns the members that are on the ring, by ID.
func canonical(members []Member) []Member {
	out := make([]Member, 0, len(members))
	for _, m := range members {
		if m.Units = min(m.Units, MaxUnits); m.Units > 0 {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b Member) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), cmp.Compare(b.Units, a.Units), strings.Compare(b.Net, a.Net))
	})
	out = slices.CompactFunc(out, func(a, b Member) bool { return a.ID == b.ID })
	return slices.Clip(out[:min(len(out), MaxMembers)])
}

// Owner returns the unit that owns k, and false on an empty ring. It allocates nothing.
func (r *Ring) Owner(k Key) (Unit, bool) {
	if len(r.members) == 0 {
		return Unit{}, false
	}
	k = r.first(k)
	return r.unit(r.points.sorted[r.points.closest(&k)].slot), true
}

// first returns the first of the keys that belong together with k.
func (r *Ring) first(k Key) Key { return r.firstOf(binary.BigEndian.Uint64(k[:8])) }

// firstOf is first for the keys that begin with the given bits.
func (r *Ring) firstOf(bits uint64) (k Key) {
	binary.BigEndian.PutUint64(k[:], bits&^(1<<(64-r.Grain())-1))
	return k
}

// Near returns the IDs of n members, or of all if there are fewer, in the order of
// their points closest to k. The first is the owner.
func (r *Ring) Near(k Key, n int) []string {
	n = min(n, len(r.members))
	if n <= 0 {
		return nil
	}
	ids := make([]string, 0, n)
	seen := newSet(len(r.members))
	for s := range r.points.from(r.first(k)) {
		if !seen.add(s.member()) {
			continue
		}
		if ids = append(ids, r.members[s.member()].ID); len(ids) == n {
			break
		}
	}
	return ids
}

// Members returns the members on the ring by ID, with the units they have on it.
func (r *Ring) Members() []Member { return slices.Clone(r.members) }

// Len returns how many members are on the ring.
func (r *Ring) Len() int { return len(r.members) }

// Units returns how many units a member has on the ring: 0 if it is not on it.
func (r *Ring) Units(id string) int {
	if i, ok := r.index(id); ok {
		return r.members[i].Units
	}
	return 0
}

// index returns the place of a member in r.members.
func (r *Ring) index(id string) (int, bool) {
	return slices.BinarySearchFunc(r.members, id, func(m Member, id string) int {
		return strings.Compare(m.ID, id)
	})
}

// set is a set of small numbers.
type set []uint64

func newSet(size int) set { return make(set, (size+63)/64) }

// add puts i in the set and reports whether it was not there.
func (s set) add(i int) bool {
	bit := uint64(1) << (i % 64)
	was := s[i/64] & bit
	s[i/64] |= bit
	return was == 0
}
