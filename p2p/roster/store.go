package roster

import (
	"errors"

	"github.com/libp2p/go-libp2p/core/peer"
)

// Export returns every item that has not expired, records first, for Import after a
// restart. The items are shared: read them only.
func (s *Set) Export() [][]byte {
	v := s.current()
	items := make([][]byte, 0, len(v.byHash))
	for _, p := range v.byHash {
		if p.rec != nil {
			items = append(items, p.rec.raw)
		}
	}
	for _, p := range v.byHash {
		if p.note != nil {
			items = append(items, p.note.raw)
		}
	}
	return items
}

// Import takes the items of an earlier Export and returns how many were bad: damaged
// or without room. Those whose time is over, or not yet come by this clock, and those
// replaced since are left out and not counted. Signatures are checked, some 50 µs
// each; whether the signers of out notes are entitled is not, as that was known
// when they were taken and the ring is not known yet.
func (s *Set) Import(items [][]byte) (bad int) {
	trust := func(peer.ID, []peer.ID) bool { return true }
	for _, raw := range items {
		_, err := s.take(raw, trust)
		late := errors.Is(err, ErrExpired) || errors.Is(err, ErrFuture) || errors.Is(err, ErrOld)
		if err != nil && !late {
			bad++
		}
	}
	return bad
}
