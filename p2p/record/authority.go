package record

import (
	"cmp"
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// Authority says which shard's members may act for the domains of a prefix. A release raises Number. Of two
// authorities over one key the later number is right, and of equal numbers that of the greater shard.
type Authority struct {
	Prefix ring.Prefix
	Number uint64
	Shard  stream.Shard
}

// Later reports whether a overrules b.
func (a Authority) Later(b Authority) bool {
	if a.Number != b.Number {
		return a.Number > b.Number
	}
	return a.Shard > b.Shard
}

// Authorities is what a record knows, in the order of keys. Prefixes do not overlap; what is not there was
// never this shard's. A prefix without a shard was, and is no more: its copies are with others, and what
// was given here up to its number is an old story.
type Authorities []Authority

// maxAuthorities is from when on a record takes and gives no more. A unit holds some 50 prefixes, seldom 200, and
// what it does not hold falls into as many; those that are just being given to others come on top.
const maxAuthorities = 8192

func compareKeys(a, b ring.Prefix) int {
	return cmp.Or(cmp.Compare(a.Bits, b.Bits), cmp.Compare(a.Len, b.Len))
}

// Of returns who may act for a key.
func (l Authorities) Of(k crawl.Key) (Authority, bool) {
	return l.At(ring.Prefix{Bits: PrefixOf(k).Bits, Len: ring.MaxPrefix})
}

// At returns the authority over all of a prefix, if it is one.
func (l Authorities) At(p ring.Prefix) (Authority, bool) {
	lo, hi := l.overlapping(p)
	if lo == hi || !l[lo].Prefix.Covers(p) {
		return Authority{}, false
	}
	return l[lo], true
}

// overlapping returns where the authorities over p or parts of it are: from lo up to hi.
func (l Authorities) overlapping(p ring.Prefix) (lo, hi int) {
	lo, _ = slices.BinarySearchFunc(l, p, func(a Authority, p ring.Prefix) int { return compareKeys(a.Prefix, p) })
	if lo > 0 && l[lo-1].Prefix.Overlaps(p) {
		lo--
	}
	for hi = lo; hi < len(l) && l[hi].Prefix.Overlaps(p); {
		hi++
	}
	return lo, hi
}

// Has reports whether something of a prefix is known.
func (l Authorities) Has(p ring.Prefix) bool {
	lo, hi := l.overlapping(p)
	return lo < hi
}

// Within returns the authorities over p or parts of it, cut to p.
func (l Authorities) Within(p ring.Prefix) Authorities {
	lo, hi := l.overlapping(p)
	in := slices.Clone(l[lo:hi])
	if len(in) == 1 && in[0].Prefix.Covers(p) {
		in[0].Prefix = p
	}
	return in
}

// Lacking returns the parts of a prefix of which nothing is known under a number or a later one.
func (l Authorities) Lacking(p ring.Prefix, number uint64) []ring.Prefix {
	switch a, whole := l.At(p); {
	case whole && a.Number >= number:
		return nil
	case whole || !l.Has(p):
		return []ring.Prefix{p}
	}
	zero, one := p.Halves()
	return append(l.Lacking(zero, number), l.Lacking(one, number)...)
}

// Latest returns the latest number that is known over a prefix or parts of it, 0 if there is none.
func (l Authorities) Latest(p ring.Prefix) uint64 {
	n := uint64(0)
	for _, a := range l.Within(p) {
		n = max(n, a.Number)
	}
	return n
}

// Set makes a the authority over its prefix, whatever was known before. Neighbours of one shard become one; if
// raise is set, also those with different numbers, under the later one, unless fixed has something of them. The
// holder of a prefix may raise its number, and so may a shard that has it no more, as the one that asks for a
// release names the number that it has to be above. What was given to another shard keeps its number: the other
// may have given it on since.
func (l Authorities) Set(a Authority, raise bool, fixed Authorities) Authorities {
	l = l.without(a.Prefix)
	for a.Prefix.Len > 0 {
		parent, sibling := a.Prefix.Parent()
		i, _ := l.overlapping(sibling)
		if i == len(l) || l[i].Prefix != sibling || l[i].Shard != a.Shard {
			break
		}
		if l[i].Number != a.Number && (!raise || fixed.Has(parent)) {
			break
		}
		a = Authority{parent, max(a.Number, l[i].Number), a.Shard}
		l = slices.Delete(l, i, i+1)
	}
	i, _ := l.overlapping(a.Prefix)
	return slices.Insert(l, i, a)
}

// without forgets a prefix. What contains it is cut around it.
func (l Authorities) without(p ring.Prefix) Authorities {
	lo, hi := l.overlapping(p)
	var rest Authorities
	if hi > lo && l[lo].Prefix.Covers(p) {
		for _, q := range l[lo].Prefix.Without(p) {
			rest = append(rest, Authority{q, l[lo].Number, l[lo].Shard})
		}
		slices.SortFunc(rest, func(a, b Authority) int { return compareKeys(a.Prefix, b.Prefix) })
	}
	return slices.Replace(l, lo, hi, rest...)
}

// Held returns the prefixes that a shard holds.
func (l Authorities) Held(s stream.Shard) []ring.Prefix {
	var held []ring.Prefix
	for _, a := range l {
		if a.Shard == s {
			held = append(held, a.Prefix)
		}
	}
	return held
}

// PrefixOf returns the longest prefix of a domain's key.
func PrefixOf(k crawl.Key) ring.Prefix {
	var p ring.Prefix
	for _, b := range k[:8] {
		p.Bits = p.Bits<<8 | uint64(b)
	}
	p.Len = ring.MaxPrefix
	return p
}
