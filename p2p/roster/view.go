package roster

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"
)

// placed is an entry with its standing at the time of a view.
type placed struct {
	*entry
	standing standing
}

// issued returns the date of the entry's record, or else of its note.
func (p placed) issued() int64 {
	if p.rec != nil {
		return p.rec.issued
	}
	return p.note.issued
}

// view is everything that follows from the entries at a time. It never changes. It
// holds from a time until another, exclusive, if no entry changes.
type view struct {
	from, until time.Time

	members, owners, leaving []Member
	digest, ownersDigest     [16]byte

	byHash []placed // all that is live, each hash once

	admission *admission
	admitted  int // how many of byHash
}

// current returns the view of this moment.
func (s *Set) current() *view {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewAt(now)
}

// viewAt returns the view of a time, computing it if need be, and wakes
// subscribers if time has changed it. The caller holds mu.
func (s *Set) viewAt(now time.Time) *view {
	if v := s.view; v != nil && !now.Before(v.from) && now.Before(v.until) {
		return v
	}
	v := s.look(now)
	s.view = v
	if s.toldValid && v.digest != s.told {
		s.wake()
	}
	s.told, s.toldValid = v.digest, true
	return v
}

// look computes a view. The caller holds mu.
func (s *Set) look(now time.Time) *view {
	v := &view{from: now, until: now.Add(Lifetime)}
	all := place(s.entries.byID, now)
	v.admission = s.trusted.admit(all, &s.entries, now)
	s.judged = v.admission
	v.admission.judge(all)
	candidates := make([]placed, 0, len(all))
	v.members = make([]Member, 0, len(all))
	for _, p := range all {
		if t := p.turns(now); t.Before(v.until) {
			v.until = t
		}
		if p.rec != nil {
			if t := s.trusted.turns(p.rec, now); t.Before(v.until) {
				v.until = t
			}
		}
		if p.rec == nil {
			continue
		}
		v.members = append(v.members, p.member())
		switch p.standing {
		case owning:
			candidates = append(candidates, p)
		case leaving:
			v.leaving = append(v.leaving, p.member())
		}
	}
	v.digest = digestOf(all)
	v.owners = s.trusted.chooseOwners(v.admission, candidates, now)
	v.ownersDigest = digestOwners(v.owners)

	// Of members with one hash, which only someone who looked for them has, only
	// the first takes part in summaries.
	v.byHash = slices.CompactFunc(place(s.entries.byHash, now), func(a, b placed) bool { return a.hash == b.hash })
	v.admission.judge(v.byHash)
	for _, p := range v.byHash {
		if v.admission.of[p.id] {
			v.admitted++
		}
	}
	return v
}

// place judges the entries that have not expired, in order.
func place(entries []*entry, now time.Time) []placed {
	all := make([]placed, 0, len(entries))
	for _, e := range entries {
		if e = e.live(now); e != nil {
			all = append(all, placed{e, e.standing(now)})
		}
	}
	return all
}

// digestOf hashes the members that matter, ordered by ID.
func digestOf(all []placed) (d [16]byte) {
	h := sha256.New()
	var b []byte
	for _, p := range all {
		if !p.standing.matters() {
			continue
		}
		b = append(b[:0], p.id...)
		b = binary.BigEndian.AppendUint64(b, p.rec.seq)
		b = append(b, p.rec.hash[:8]...)
		if p.out() {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
		h.Write(b)
	}
	copy(d[:], h.Sum(nil))
	return d
}
