package roster

import (
	"errors"

	"github.com/libp2p/go-libp2p/core/peer"
)

// Export returns what Import needs after a restart: whose vouches count, then every item that has not expired, records
// first. The items are shared: read them only.
func (s *Set) Export() [][]byte {
	v := s.current()
	s.mu.Lock()
	items := s.trusted.export(s.tag)
	s.mu.Unlock()
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

// Import takes the items of an earlier Export and returns how many were bad: damaged or without room. Members
// are admitted again by the vouches in their records; who is not is left out. Those whose time is over, or not
// yet come by this clock, and those replaced since are left out and not counted. Signatures are checked, some
// 50 µs each; whether the signers of out notes are entitled is not, as that was known when they were taken and
// the ring is not known yet.
func (s *Set) Import(items [][]byte) (bad int) {
	trust := func(peer.ID, []peer.ID) bool { return true }
	for _, raw := range items {
		if len(raw) > 0 && raw[0] == kindTrust {
			if s.importTrust(raw) != nil {
				bad++
			}
			continue
		}
		_, err := s.take("", raw, trust, nil)
		late := errors.Is(err, ErrUnvouched) || errors.Is(err, ErrExpired) || errors.Is(err, ErrFuture) ||
			errors.Is(err, ErrOld)
		if err != nil && !late {
			bad++
		}
	}
	return bad
}

// Recall takes from an earlier Export whose vouches count, and nothing else.
func (s *Set) Recall(items [][]byte) {
	for _, raw := range items {
		if len(raw) > 0 && raw[0] == kindTrust {
			_ = s.importTrust(raw) // Import counts it
		}
	}
}

func (s *Set) importTrust(raw []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.outdate()
	not := peer.ID("")
	if len(s.cfg.Founders) > 0 {
		not = s.cfg.Self // it founded a network and joined another
	}
	return s.trusted.take(s.tag, raw, not)
}
