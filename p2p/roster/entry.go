package roster

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// LeavingWindow is how long a member that said it leaves, or left, counts as one
// that may still hold domains.
const LeavingWindow = 24 * time.Hour

// standing is what a member is to the others at a moment.
type standing uint8

const (
	unheard  standing = iota // there is only an out note about it
	gone                     // left so long ago that nobody asks it for anything
	waiting                  // would be leaving or owning, but is not admitted
	fetching                 // active without capacity
	leaving                  // may still hold domains: leaving, just left, resting without capacity, or out
	owning                   // active or resting with capacity; the rules for owners may still say no
)

// matters tells whether others need to know the member, and not only those that
// hold an older record of it.
func (s standing) matters() bool { return s == owning || s == leaving }

// entry is what a Set holds of one member. It never changes; a newer item makes a
// new entry.
type entry struct {
	id    peer.ID
	hash  uint64 // hashOf(id)
	rec   *item  // nil if only a note was heard of
	note  *item  // nil, or its seq is not below that of rec
	since time.Time
}

// hashOf places a member in summaries: the first 8 bytes of the SHA-256 of its ID.
func hashOf(id peer.ID) uint64 {
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint64(sum[:8])
}

// out tells whether the record has been ended.
func (e *entry) out() bool { return e.rec != nil && e.note != nil }

// with returns the entry after a newer item of its member.
func (e *entry) with(it *item, now time.Time) *entry {
	next := *e
	if it.rec == nil {
		next.note = it
		return &next
	}
	if next.rec == nil {
		next.since = now
		if issued := time.Unix(it.issued, 0); issued.Before(now) {
			next.since = issued
		}
	}
	next.rec = it
	if next.note != nil && next.note.seq < it.seq {
		next.note = nil
	}
	return &next
}

// checkDates tells whether an item counts now. A note counts as long as the record
// it ends, so that nodes that heard of it in time and others agree.
func (e *entry) checkDates(it *item, now time.Time) error {
	err := checkDates(it.issued, now)
	if errors.Is(err, ErrExpired) && it.rec == nil && e.rec != nil &&
		it.seq >= e.rec.seq && !expired(e.rec.issued, now) {
		return nil
	}
	return err
}

// wants tells whether an item is news; if it is not, the error is nil for a repeat.
func (e *entry) wants(it *item) (fresh bool, err error) {
	same := e.rec
	if it.rec == nil {
		same = e.note
		if e.rec != nil && it.seq < e.rec.seq {
			return false, ErrOld
		}
	}
	if it.newer(same) {
		return true, nil
	}
	if it.hash == same.hash {
		return false, nil
	}
	return false, ErrOld
}

// plausible tells whether the sequence number a note ends can have been issued:
// it is a held record's or not beyond the clock. Otherwise a note could keep its
// victim out for good.
func (e *entry) plausible(note *item) bool {
	if e.rec != nil && note.seq <= e.rec.seq {
		return true
	}
	latest := time.Unix(note.issued, 0).Add(MaxSkew).UnixMilli()
	return note.seq <= uint64(latest)
}

// live returns what of the entry has not expired, or nil. A note lives on with
// the record it ends, so that this record does not count again for its last minutes.
func (e *entry) live(now time.Time) *entry {
	if e.rec != nil && !expired(e.rec.issued, now) {
		return e
	}
	if e.note == nil || expired(e.note.issued, now) {
		return nil
	}
	if e.rec == nil {
		return e
	}
	next := *e
	next.rec = nil
	return &next
}

// standing judges an entry that is live. What an out member is does not depend on
// the date of its note, of which there may be several versions: as members issue
// daily, one that vanished within LeavingWindow has a record that has not expired.
func (e *entry) standing(now time.Time) standing {
	switch {
	case e.rec == nil:
		return unheard
	case e.out():
		return leaving
	case e.rec.rec.fetcher():
		return fetching
	case e.rec.rec.owns():
		return owning
	case now.Before(time.Unix(e.rec.issued, 0).Add(LeavingWindow)):
		return leaving
	default:
		return gone
	}
}

// turns returns when the standing of a live entry changes by the passing of time.
func (e *entry) turns(now time.Time) time.Time {
	if e.rec == nil {
		return time.Unix(e.note.issued, 0).Add(Lifetime)
	}
	issued := time.Unix(e.rec.issued, 0)
	if !e.rec.rec.owns() && !e.rec.rec.fetcher() && now.Before(issued.Add(LeavingWindow)) {
		return issued.Add(LeavingWindow)
	}
	return issued.Add(Lifetime)
}

// member returns the entry as others see it. There must be a record.
func (e *entry) member() Member {
	m := Member{Record: *e.rec.rec, Raw: e.rec.raw, Out: e.out(), Since: e.since}
	if e.note != nil {
		m.Note = e.note.raw
	}
	return m
}
