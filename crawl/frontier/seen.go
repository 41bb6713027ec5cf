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
// takes the place of an older one; forgetting costs only a look-up.
type seen struct {
	seed  maphash.Seed
	slots []atomic.Uint64
}

func newSeen() *seen {
	return &seen{seed: maphash.MakeSeed(), slots: make([]atomic.Uint64, seenSlots)}
}

func (s *seen) add(url string) {
	h := maphash.String(s.seed, url)
	s.slots[h%seenSlots].Store(h)
}

// clear forgets everything.
func (s *seen) clear() {
	for i := range s.slots {
		s.slots[i].Store(0)
	}
}

func (s *seen) has(url string) bool {
	h := maphash.String(s.seed, url)
	return h != 0 && s.slots[h%seenSlots].Load() == h
}
