package roster

import (
	"cmp"
	"crypto/sha256"
	"net/netip"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// newcomerFor is how long a member counts as a newcomer. Newcomers own a unit each, and together at most half as
	// much as all others, or newcomerUnits if that is more: a third of the ring.
	newcomerFor   = 30 * 24 * time.Hour
	newcomerUnits = 10

	week = 7 * 24 * time.Hour
)

// ages are when a member may own more than before: two units, four and eight.
var ages = [...]time.Duration{newcomerFor, newcomerFor + week, newcomerFor + 2*week}

// chooseOwners applies the rules of Set.Owners to the admitted members that would own, ordered
// by ID. They depend on the records alone, so that nodes that admit the same members choose the same.
//
// Outside a lab a network holds MaxPerNet of them, its first members; newcomers own a unit each and together a third of
// the ring, the first of them first; and what one owns afterwards doubles weekly up to what it claims.
func (t *trust) chooseOwners(a *admission, candidates []placed, now time.Time) []Member {
	candidates = onlyPublic(candidates, t.cfg.Lab)
	units := make(map[peer.ID]uint8, len(candidates))
	if t.cfg.Lab {
		for _, p := range candidates {
			units[p.id] = p.rec.rec.Capacity
		}
	} else {
		units = t.share(a, t.crowdOut(candidates, now), now)
	}
	owners := make([]Member, 0, len(candidates))
	for _, p := range candidates {
		if units[p.id] > 0 {
			m := p.member()
			m.Units = units[p.id]
			owners = append(owners, m)
		}
	}
	return owners
}

func digestOwners(owners []Member) (d [16]byte) {
	h := sha256.New()
	var b []byte
	for i := range owners {
		b = append(append(b[:0], owners[i].Peer...), owners[i].Units)
		b = append(append(b, owners[i].Net()...), 0)
		h.Write(b)
	}
	copy(d[:], h.Sum(nil))
	return d
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

// crowdOut returns the candidates by age, without those beyond what one of their networks may have.
func (t *trust) crowdOut(candidates []placed, now time.Time) []placed {
	oldest, perNet := slices.Clone(candidates), t.cfg.MaxPerNet
	slices.SortFunc(oldest, func(a, b placed) int {
		return cmp.Or(cmp.Compare(t.since(a.rec, now), t.since(b.rec, now)), cmp.Compare(a.id, b.id))
	})
	if perNet == 0 {
		return oldest
	}
	inNet := make(map[netip.Prefix]int)
	return slices.DeleteFunc(oldest, func(p placed) bool {
		if slices.ContainsFunc(p.rec.where.nets, func(n netip.Prefix) bool { return inNet[n] >= mostIn(n, perNet) }) {
			return true
		}
		for _, n := range p.rec.where.nets {
			inNet[n]++
		}
		return false
	})
}

// mostIn returns how many owners a network may have.
func mostIn(n netip.Prefix, perNet int) int {
	if n.Bits() == 16 || n.Bits() == 32 {
		return 4 * perNet
	}
	return perNet
}

// Crowded tells whether a network of a record's addresses has all the owners it may have, without its member.
func (s *Set) Crowded(r *Record) bool {
	if s.cfg.Lab || s.cfg.MaxPerNet == 0 {
		return false
	}
	inNet := make(map[netip.Prefix]int)
	for _, m := range s.Owners() {
		if m.Peer != r.Peer {
			for _, n := range placesOf(m.Addrs).nets {
				inNet[n]++
			}
		}
	}
	nets := placesOf(r.Addrs).nets
	return slices.ContainsFunc(nets, func(n netip.Prefix) bool { return inNet[n] >= mostIn(n, s.cfg.MaxPerNet) })
}

// share returns how many units each member owns, given all by age. Newcomers own a unit each. Each is charged to those
// who vouch for it: nobody brings more than it owns, or newcomerUnits if that is more.
func (t *trust) share(a *admission, oldest []placed, now time.Time) map[peer.ID]uint8 {
	units := make(map[peer.ID]uint8, len(oldest))
	brought := make(map[peer.ID]int)
	old, young := 0, 0
	for _, p := range oldest {
		most := uint8(1)
		for _, age := range ages {
			if now.Unix()-t.since(p.rec, now) >= int64(age/time.Second) {
				most *= 2
			}
		}
		if most > 1 {
			units[p.id] = min(p.rec.rec.Capacity, most)
			old += int(units[p.id])
			continue
		}
		may := func(signer peer.ID) bool {
			return brought[signer] < max(int(units[signer]), newcomerUnits)
		}
		by := a.vouchers(p.rec, now, may)
		if young >= max(old/2, newcomerUnits) || len(by) < a.need && !slices.Contains(a.roots, p.id) {
			continue
		}
		young++
		units[p.id] = 1
		for _, signer := range by[:min(len(by), a.need)] {
			brought[signer]++
		}
	}
	return units
}
