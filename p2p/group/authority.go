package group

import (
	"cmp"
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// authority says which shard's members may act for the domains of a prefix. A release raises Number. Of two
// authorities over one key the later number is right, and of equal numbers that of the greater shard.
type authority struct {
	Prefix ring.Prefix
	Number uint64
	Shard  stream.Shard
}

// later reports whether a overrules b.
func (a authority) later(b authority) bool {
	if a.Number != b.Number {
		return a.Number > b.Number
	}
	return a.Shard > b.Shard
}

// authorities is what a record knows, in the order of keys. Prefixes do not overlap; what is not there was
// never this shard's. A prefix without a shard was, and is no more: its copies are with others, and what
// was given here up to its number is an old story.
type authorities []authority

// maxAuthorities is from when on a record takes and gives no more. A unit of a large network holds 30 to 100 prefixes, and
// what it does not hold falls into as many; those that are just being given to others come on top.
const maxAuthorities = 8192

func compareKeys(a, b ring.Prefix) int {
	return cmp.Or(cmp.Compare(a.Bits, b.Bits), cmp.Compare(a.Len, b.Len))
}

// of returns who may act for a key.
func (l authorities) of(k crawl.Key) (authority, bool) {
	return l.at(ring.Prefix{Bits: prefixOf(k).Bits, Len: ring.MaxPrefix})
}

// at returns the authority over all of a prefix, if it is one.
func (l authorities) at(p ring.Prefix) (authority, bool) {
	i, found := slices.BinarySearchFunc(l, p, func(a authority, p ring.Prefix) int { return compareKeys(a.Prefix, p) })
	if !found {
		i-- // the last that begins before p
	}
	if i < 0 || !l[i].Prefix.Covers(p) {
		return authority{}, false
	}
	return l[i], true
}

// within returns the authorities over p or parts of it, cut to p.
func (l authorities) within(p ring.Prefix) authorities {
	if a, ok := l.at(p); ok {
		a.Prefix = p
		return authorities{a}
	}
	var in authorities
	for _, a := range l {
		if p.Covers(a.Prefix) {
			in = append(in, a)
		}
	}
	return in
}

// latest returns the latest number that is known over a prefix or parts of it, 0 if there is none.
func (l authorities) latest(p ring.Prefix) uint64 {
	n := uint64(0)
	for _, a := range l.within(p) {
		n = max(n, a.Number)
	}
	return n
}

// set makes a the authority over its prefix, whatever was known before. Neighbours of one shard become one, under
// the later number. A number may rise: the holder of a prefix may raise it, and whoever asks for a release names the
// number that it has to be above.
func (l authorities) set(a authority) authorities {
	out := l.without(a.Prefix)
	for a.Prefix.Len > 0 {
		parent, sibling := a.Prefix.Parent()
		i := slices.IndexFunc(out, func(b authority) bool { return b.Prefix == sibling && a.Shard == b.Shard })
		if i < 0 {
			break
		}
		a = authority{parent, max(a.Number, out[i].Number), a.Shard}
		out = slices.Delete(out, i, i+1)
	}
	i, _ := slices.BinarySearchFunc(out, a.Prefix, func(b authority, p ring.Prefix) int { return compareKeys(b.Prefix, p) })
	return slices.Insert(out, i, a)
}

// without forgets a prefix. What contains it is cut around it.
func (l authorities) without(p ring.Prefix) authorities {
	var out authorities
	for _, a := range l {
		switch {
		case p.Covers(a.Prefix):
		case a.Prefix.Covers(p):
			for _, rest := range a.Prefix.Without(p) {
				out = append(out, authority{rest, a.Number, a.Shard})
			}
		default:
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b authority) int { return compareKeys(a.Prefix, b.Prefix) })
	return out
}

// held returns the prefixes that a shard holds.
func (l authorities) held(s stream.Shard) []ring.Prefix {
	var held []ring.Prefix
	for _, a := range l {
		if a.Shard == s {
			held = append(held, a.Prefix)
		}
	}
	return held
}

// prefixOf returns the longest prefix of a domain's key.
func prefixOf(k crawl.Key) ring.Prefix {
	var p ring.Prefix
	for _, b := range k[:8] {
		p.Bits = p.Bits<<8 | uint64(b)
	}
	p.Len = ring.MaxPrefix
	return p
}
