package frontier

import (
	"hash/maphash"
	"sync/atomic"
)

// seenSlots is the size of the cache in hashes of 8 bytes: 1 MiB. A page
// repeats most links of the pages before it, so even a small cache keeps nine
// in ten of them from being encoded, logged and looked up.
const seenSlots = 1 << 17

// seen remembers hashes of URLs that are surely in the filters. A new one
// takes the place of an older one; forgetting costs only a look-up. It takes memory from the first
// URL on: who only keeps a copy of a log sees none.
type seen struct {
	seed  maphash.Seed
	slots atomic.Pointer[[seenSlots]atomic.Uint64]
}

func newSeen() *seen { return &seen{seed: maphash.MakeSeed()} }

func (s *seen) add(url string) {
	slots := s.slots.Load()
	if slots == nil {
		slots = new([seenSlots]atomic.Uint64)
		if !s.slots.CompareAndSwap(nil, slots) {
			return
		}
	}
	h := maphash.String(s.seed, url)
	slots[h%seenSlots].Store(h)
}

// clear forgets everything.
func (s *seen) clear() { s.slots.Store(nil) }

func (s *seen) has(url string) bool {
	slots := s.slots.Load()
	if slots == nil {
		return false
	}
	h := maphash.String(s.seed, url)
	return h != 0 && slots[h%seenSlots].Load() == h
}
