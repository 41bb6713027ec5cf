package roster

import (
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// Add takes one signed item, a record or an out note, from a peer, and tells whether the Set now
// holds it and did not before. An item that it holds already is no error. Records of members that are not
// admitted are taken from these themselves only: from is then their ID.
//
// Errors are ErrInvalid, ErrForeign, ErrExpired, ErrFuture, ErrOld, ErrFull, ErrUnvouched, ErrBusy and
// ErrUnentitled; only the first two mean that whoever sent the item broke the rules.
// raw is copied.
func (s *Set) Add(from peer.ID, raw []byte) (changed bool, err error) {
	entitled := s.cfg.Entitled
	if entitled == nil {
		entitled = func(peer.ID, []peer.ID) bool { return false }
	}
	return s.take(from, raw, entitled, s.cfg.Pace)
}

// take checks an item from the cheapest test to the dearest: form, date, sequence,
// then signatures, without holding the lock, and room.
func (s *Set) take(
	from peer.ID, raw []byte, entitled func(peer.ID, []peer.ID) bool, pace func(peer.ID) bool,
) (bool, error) {
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
	if !s.mayBring(from, it, now) {
		return false, ErrUnvouched
	}
	if it.rec != nil && pace != nil && it.peer != s.cfg.Self && !pace(it.peer) {
		return false, ErrBusy
	}
	if err := it.verify(s.cfg.Network); err != nil {
		return false, err
	}
	return s.put(it, now)
}

// held is table.held for those that do not hold mu.
func (s *Set) held(id peer.ID, now time.Time) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries.held(id, now)
}

// put stores an item whose signatures are good, unless a newer one came meanwhile.
func (s *Set) put(it *item, now time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.entries.held(it.peer, now)
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

// mayBring tells whether a peer may bring an item: anybody one of an admitted member, others only their own. What
// notes may be brought is decided by who signed them.
func (s *Set) mayBring(from peer.ID, it *item, now time.Time) bool {
	if it.rec == nil || it.peer == from || it.peer == s.cfg.Self {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.admits(it, now)
}

// admits tells whether a record is one of an admitted member, by the last view if that says so already. The caller
// holds mu.
func (s *Set) admits(it *item, now time.Time) bool {
	if s.judged != nil && s.judged.admits(it, now) {
		return true
	}
	return s.viewAt(now).admission.admits(it, now)
}

// makeRoom drops a member if there is no room for a new one of its kind. It tells whether it did. The caller holds mu.
func (s *Set) makeRoom(next *entry, now time.Time) (evicted bool, err error) {
	if next.id == s.cfg.Self {
		return false, nil
	}
	if _, known := s.entries.byPeer[next.id]; known || len(s.entries.byPeer) < min(s.cfg.MaxMembers, MaxWaiting) {
		return false, nil
	}
	counts := next.rec != nil && s.admits(next.rec, now)
	if counts && len(s.entries.byPeer) < s.cfg.MaxMembers {
		return false, nil
	}
	v := s.viewAt(now)
	switch {
	case counts && v.admitted >= s.cfg.MaxMembers:
		return false, ErrFull
	case counts || len(v.byHash)-v.admitted < MaxWaiting:
		return false, nil
	}
	var oldest *placed
	for i := range v.byHash {
		p := &v.byHash[i]
		if p.id != s.cfg.Self && !v.admission.of[p.id] && (oldest == nil || p.issued() < oldest.issued()) {
			oldest = p
		}
	}
	s.entries.drop(oldest.id)
	return true, nil
}
