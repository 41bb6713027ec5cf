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

// ackedTitles bounds the domains whose title is remembered to be known.
const ackedTitles = 4096

// acked remembers the links that their receiver has for good, so that a
// site's menu goes over the wire once and not with every page. A forgotten one
// costs its bytes again, nothing else.
type acked struct {
	mu         sync.Mutex
	young, old map[uint64]struct{}
	// titles are the depths of the pages whose titles the domains' owners have:
	// they keep that of the page nearest to the seeds.
	titles map[crawl.Domain]uint8
}

func newAcked() *acked {
	return &acked{young: make(map[uint64]struct{}), titles: make(map[crawl.Domain]uint8)}
}

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
	clear(a.titles)
}

// hasTitle reports whether the owner of a domain has the title of a page as near
// to the seeds.
func (a *acked) hasTitle(d crawl.Domain, depth uint8) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	has, ok := a.titles[d]
	return ok && has <= depth
}

func (a *acked) addTitle(d crawl.Domain, depth uint8) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if has, ok := a.titles[d]; ok && has <= depth {
		return
	}
	if len(a.titles) >= ackedTitles {
		clear(a.titles)
	}
	a.titles[d] = depth
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
