package swarm

import (
	"encoding/binary"
	"sync"

	"crypto/sha256"

	"github.com/forage-net/forage/crawl"
)

// ackedLinks is how many links a generation of the cache holds; there are two.
// With 8 bytes of hash each they take some 3 MB in all.
const ackedLinks = 1 << 16

// acked remembers the links that their receiver has for good, so that a
// site's menu goes over the wire once and not with every page. A forgotten one
// costs its bytes again, nothing else.
type acked struct {
	mu         sync.Mutex
	young, old map[uint64]struct{}
}

func newAcked() *acked { return &acked{young: make(map[uint64]struct{})} }

// linkHash stands for a link from a domain to a page.
func linkHash(from crawl.Domain, url string) uint64 {
	h := sha256.New()
	h.Write([]byte(from))
	h.Write([]byte{0})
	h.Write([]byte(url))
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// reset forgets all: who had the links may be gone.
func (a *acked) reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.young, a.old = make(map[uint64]struct{}), nil
}

func (a *acked) has(hash uint64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.young[hash]; ok {
		return true
	}
	_, ok := a.old[hash]
	if ok {
		a.put(hash) // in use
	}
	return ok
}

func (a *acked) add(hashes ...uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range hashes {
		a.put(h)
	}
}

func (a *acked) put(hash uint64) {
	if len(a.young) >= ackedLinks {
		a.old, a.young = a.young, make(map[uint64]struct{})
	}
	a.young[hash] = struct{}{}
}
