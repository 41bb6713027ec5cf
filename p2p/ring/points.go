package ring

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
	"sort"
)

// keyFunc returns the key of point i of a member.
type keyFunc func(id string, i uint32) Key

func pointKey(id string, i uint32) Key {
	var buf [64]byte // enough for the IDs of libp2p
	b := append(buf[:0], id...)
	return sha256.Sum256(binary.BigEndian.AppendUint32(b, i))
}

// slot names a point: the place of its member, and its number below 128.
type slot uint32

const slotBits = 7

func newSlot(member, number int) slot { return slot(member<<slotBits | number) }

func (s slot) member() int { return int(s >> slotBits) }
func (s slot) number() int { return int(s & (1<<slotBits - 1)) }

// point is the first 64 bits of a point's key, and what it takes to
// compute the others. Among a million points two hardly ever agree in 64 bits.
type point struct {
	prefix uint64
	slot   slot
}

// points is a set of points in the order of their keys. It is read as a binary trie
// without nodes: a range whose first and last key differ first in some bit
// is an inner node, and where that bit becomes 1 it parts into its children.
type points struct {
	sorted  []point
	members []Member
	key     keyFunc
}

// words is how many 64-bit words a key has.
const words = len(Key{}) / 8

func newPoints(members []Member, key keyFunc) points {
	n := 0
	for _, m := range members {
		n += m.Units * PointsPerUnit
	}
	p := points{sorted: make([]point, 0, n), members: members, key: key}
	for i, m := range members {
		for number := range m.Units * PointsPerUnit {
			k := key(m.ID, uint32(number))
			p.sorted = append(p.sorted, point{wordOf(&k, 0), newSlot(i, number)})
		}
	}
	slices.SortFunc(p.sorted, p.compare)
	return p
}

// compare orders points by key. Slots follow the order of IDs, so even equal keys
// have the same order on every node.
func (p *points) compare(a, b point) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	for w := 1; w < words; w++ {
		if c := cmp.Compare(p.deepWord(a, w), p.deepWord(b, w)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.slot, b.slot)
}

// anchors returns the first point of every unit.
func (p *points) anchors() points {
	a := points{sorted: make([]point, 0, len(p.sorted)/PointsPerUnit), members: p.members, key: p.key}
	for _, pt := range p.sorted {
		if pt.slot.number()%PointsPerUnit == 0 {
			a.sorted = append(a.sorted, pt)
		}
	}
	return a
}

func wordOf(k *Key, w int) uint64 { return binary.BigEndian.Uint64(k[8*w:]) }

// word returns word w of the key of the i-th point.
func (p *points) word(i, w int) uint64 {
	if w == 0 {
		return p.sorted[i].prefix
	}
	return p.deepWord(p.sorted[i], w)
}

func (p *points) deepWord(pt point, w int) uint64 {
	k := p.key(p.members[pt.slot.member()].ID, uint32(pt.slot.number()))
	return wordOf(&k, w)
}

// part is a range [lo, hi) of points whose keys agree in all words before w.
type part struct{ lo, hi, w int }

func (p *points) all() part { return part{0, len(p.sorted), 0} }

// split parts a range in two where its keys first differ, a bit of word w of
// both; none is empty. It returns false if the range holds one key.
func (p *points) split(r part) (zeros, ones part, bit uint64, ok bool) {
	for ; r.hi-r.lo > 1 && r.w < words; r.w++ {
		if diff := p.word(r.lo, r.w) ^ p.word(r.hi-1, r.w); diff != 0 {
			bit = 1 << (bits.Len64(diff) - 1)
			mid := p.firstWith(r, bit)
			return part{r.lo, mid, r.w}, part{mid, r.hi, r.w}, bit, true
		}
	}
	return part{}, part{}, 0, false
}

// firstWith returns the first place in r at which a bit of word r.w is set, or
// r.hi. The keys in r must agree in the bits before it.
func (p *points) firstWith(r part, bit uint64) int {
	return r.lo + sort.Search(r.hi-r.lo, func(i int) bool { return p.word(r.lo+i, r.w)&bit != 0 })
}

// closest returns the place of the point closest to k. There must be one.
func (p *points) closest(k *Key) int {
	for r := p.all(); ; {
		zeros, ones, bit, ok := p.split(r)
		if !ok {
			return r.lo
		}
		if r = zeros; wordOf(k, r.w)&bit != 0 {
			r = ones
		}
	}
}

// from yields all points from the closest to k to the most distant.
func (p *points) from(k Key) iter.Seq[slot] {
	return func(yield func(slot) bool) { p.visit(p.all(), &k, yield) }
}

// visit yields a range as from does, and returns false once yield did.
// It is at most as deep as keys have bits.
func (p *points) visit(r part, k *Key, yield func(slot) bool) bool {
	for {
		near, far, bit, ok := p.split(r)
		if !ok {
			break
		}
		if wordOf(k, near.w)&bit != 0 {
			near, far = far, near
		}
		if !p.visit(near, k, yield) {
			return false
		}
		r = far
	}
	for _, pt := range p.sorted[r.lo:r.hi] {
		if !yield(pt.slot) {
			return false
		}
	}
	return true
}
