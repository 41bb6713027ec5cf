package roster

import (
	"errors"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// Add takes one signed item, a record or an out note, and tells whether the Set now
// holds it and did not before. An item that it holds already is no error.
//
// Errors are ErrInvalid, ErrForeign, ErrExpired, ErrFuture, ErrOld, ErrFull and
// ErrUnentitled; only the first two mean that whoever sent the item broke the rules.
// raw is copied.
func (s *Set) Add(raw []byte) (changed bool, err error) {
	entitled := s.cfg.Entitled
	if entitled == nil {
		entitled = func(peer.ID, []peer.ID) bool { return false }
	}
	return s.take(raw, entitled)
}

// take checks an item from the cheapest test to the dearest: form, date, sequence,
// then signatures, without holding the lock, and room.
func (s *Set) take(raw []byte, entitled func(peer.ID, []peer.ID) bool) (bool, error) {
	it, err := decode(s.tag, raw)
	if err != nil {
		return false, err
	}
	now := s.now()
	held := s.held(it.peer, now)
	if err := held.checkDates(it, now); err != nil {
		return false, err
	}
	if fresh, err := held.wants(it); !fresh {
		return false, err
	}
	if it.rec == nil && (!held.plausible(it) || !entitled(it.peer, it.signers)) {
		return false, ErrUnentitled
	}
	if err := it.verify(s.cfg.Network); err != nil {
		return false, err
	}
	return s.put(it, now)
}

// held returns what is held of a member and has not expired, if only an empty entry.
func (s *Set) held(id peer.ID, now time.Time) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heldLocked(id, now)
}

func (s *Set) heldLocked(id peer.ID, now time.Time) *entry {
	if e := s.entries.byPeer[id]; e != nil {
		if e = e.live(now); e != nil {
			return e
		}
	}
	return &entry{id: id, hash: hashOf(id)}
}

// put stores an item whose signatures are good, unless a newer one came meanwhile.
func (s *Set) put(it *item, now time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.heldLocked(it.peer, now)
	if fresh, err := held.wants(it); !fresh {
		return false, err
	}
	next := held.with(it, now)
	evicted, err := s.makeRoom(next, now)
	if err != nil {
		return false, err
	}
	s.entries.put(next)
	s.view = nil
	if evicted || held.standing(now).matters() || next.standing(now).matters() {
		s.toldValid = false
		s.wake()
	}
	return true, nil
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

// makeRoom drops a member if the Set is full and a new entry is worth more than
// the least of those held. It tells whether it did. The caller holds mu.
func (s *Set) makeRoom(next *entry, now time.Time) (evicted bool, err error) {
	full := func() bool { return len(s.entries.byPeer) >= s.cfg.MaxMembers }
	if _, known := s.entries.byPeer[next.id]; known || !full() || next.id == s.cfg.Self {
		return false, nil
	}
	s.purge(now)
	if !full() {
		return false, nil
	}
	v := s.viewAt(now)
	least := s.leastWorth(v)
	if least == nil || v.worth(*least) >= v.worth(placed{next, next.standing(now)}) {
		return false, ErrFull
	}
	s.entries.drop(least.id)
	return true, nil
}

// leastWorth returns the member to drop first: of those worth least the one that
// issued longest ago. The caller holds mu.
func (s *Set) leastWorth(v *view) *placed {
	var least *placed
	for i := range v.byHash {
		p := &v.byHash[i]
		if p.id == s.cfg.Self {
			continue
		}
		if least == nil || v.worth(*p) < v.worth(*least) ||
			(v.worth(*p) == v.worth(*least) && p.issued() < least.issued()) {
			least = p
		}
	}
	return least
}

// worth ranks members for when there is no room for all. A member beyond MaxPerNet
// is worth no more than a fetcher, so that one network cannot fill the Set; nor is
// one that leaves, since anyone may say so of any number of fresh IDs.
func (v *view) worth(p placed) int {
	switch p.standing {
	case unheard, gone:
		return 0
	case owning:
		if !v.crowded(p.entry) {
			return 2
		}
	}
	return 1
}
