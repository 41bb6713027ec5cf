package frontier

import (
	"hash/maphash"

	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// maxSeen is half of how many URLs are remembered as known, of some 20 bytes each.
const maxSeen = 1 << 14

// seen remembers URLs that are known, as hashes, and how far from the seeds they are at most: pages of a site have
// most links in common. The one writer of the store uses it.
type seen struct {
	seed   maphash.Seed
	now    map[uint64]uint8
	before map[uint64]uint8 // of the time before that
	tx     *storage.Tx      // what it made known is not durable yet
}

// begin says which transaction uses it from now on. If the one before failed, all is forgotten.
func (s *seen) begin(tx *storage.Tx) {
	if s.tx == tx {
		return
	}
	if s.tx != nil || s.now == nil {
		*s = seen{seed: maphash.MakeSeed(), now: make(map[uint64]uint8)}
	}
	s.tx = tx
	tx.OnCommit(func() { s.tx = nil })
}

func (s *seen) hash(l Link) uint64 { return maphash.String(s.seed, l.URL.String()) }

// has reports whether a link says nothing new: its URL is known to be as near to the seeds.
func (s *seen) has(hash uint64, l store.Link) bool {
	depth, ok := s.now[hash]
	if !ok {
		depth, ok = s.before[hash]
	}
	return ok && depth <= l.Depth && l.Modified == 0
}

// add notes a URL that is known now.
func (s *seen) add(hash uint64, depth uint8) {
	if len(s.now) >= maxSeen {
		s.before, s.now = s.now, make(map[uint64]uint8)
	}
	s.now[hash] = depth
}
