package ring

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
)

// weakKey is pointKey with so little chance in it that many points agree in their
// first word, some in three, and a few altogether.
func weakKey(id string, i uint32) Key {
	k := pointKey(id, i)
	clear(k[1:24])
	clear(k[25:31])
	k[0] &= 0xc1
	k[24] &= 0x0f
	k[31] &= 0x03
	return k
}

// definition answers as the package comment defines it, by looking at every point.
type definition struct {
	members []Member
	keys    map[string][]Key // of the points of each
}

// define repeats what New promises about its argument.
func define(members []Member, key keyFunc) definition {
	best := map[string]Member{}
	for _, m := range members {
		m.Units = min(m.Units, 8)
		old, ok := best[m.ID]
		if m.Units >= 1 && (!ok || m.Units > old.Units || m.Units == old.Units && m.Net > old.Net) {
			best[m.ID] = m
		}
	}
	d := definition{keys: map[string][]Key{}}
	for _, m := range best {
		d.members = append(d.members, m)
		for i := range uint32(16 * m.Units) {
			d.keys[m.ID] = append(d.keys[m.ID], key(m.ID, i))
		}
	}
	slices.SortFunc(d.members, func(a, b Member) int { return strings.Compare(a.ID, b.ID) })
	return d
}

func distance(a, b Key) (d Key) {
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
	return d
}

// nearest returns the distance of the closest of a member's points with a number
// that step divides, and the number. Of equal ones the first counts.
func (d definition) nearest(m Member, k Key, step int) (best Key, number int) {
	for i := 0; i < 16*m.Units; i += step {
		if away := distance(d.keys[m.ID][i], k); i == 0 || bytes.Compare(away[:], best[:]) < 0 {
			best, number = away, i
		}
	}
	return best, number
}

// byDistance returns the members by the distance of their nearest points.
func (d definition) byDistance(k Key, step int) []Member {
	away := map[string]Key{}
	for _, m := range d.members {
		away[m.ID], _ = d.nearest(m, k, step)
	}
	out := slices.Clone(d.members)
	slices.SortStableFunc(out, func(a, b Member) int {
		x, y := away[a.ID], away[b.ID]
		return bytes.Compare(x[:], y[:])
	})
	return out
}

// grainOf keeps the first bits, five more than it takes to number the points.
func (d definition) grainOf(k Key) (first Key) {
	points := 0
	for _, keys := range d.keys {
		points += len(keys)
	}
	for i := range bits.Len(uint(points)) + 5 {
		first[i/8] |= k[i/8] & (0x80 >> (i % 8))
	}
	return first
}

func (d definition) owner(k Key) (Unit, bool) {
	if len(d.members) == 0 {
		return Unit{}, false
	}
	k = d.grainOf(k)
	m := d.byDistance(k, 1)[0]
	_, number := d.nearest(m, k, 1)
	return Unit{m.ID, number / 16}, true
}

func (d definition) near(k Key, n int) (ids []string) {
	for _, m := range d.byDistance(d.grainOf(k), 1) {
		if len(ids) < n {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// group chooses one after the other, each from all that remain.
func (d definition) group(u Unit, n int) (ids []string) {
	if u.Number < 0 || 16*u.Number >= len(d.keys[u.Member]) {
		return nil
	}
	rest := d.byDistance(d.keys[u.Member][16*u.Number], 16)
	at := slices.IndexFunc(rest, func(m Member) bool { return m.ID == u.Member })
	nets := map[string]bool{}
	for len(ids) < n && len(rest) > 0 {
		m := rest[at]
		ids = append(ids, m.ID)
		nets[m.Net] = m.Net != ""
		rest = slices.Delete(rest, at, at+1)
		at = max(0, slices.IndexFunc(rest, func(m Member) bool { return !nets[m.Net] }))
	}
	return ids
}
