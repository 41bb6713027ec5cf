package swarm

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
)

// arrived knows links between domains that have arrived lately, as hashes, and how far from the seeds they were. Of the others, one in
// 2^47 is taken for one of them.
type arrived struct {
	seed   maphash.Seed
	now    map[uint64]uint8
	before map[uint64]uint8 // of the time before that
	since  time.Time
}

func newArrived() arrived { return arrived{seed: maphash.MakeSeed(), now: make(map[uint64]uint8)} }

func (a *arrived) hash(from crawl.Domain, url string) uint64 {
	var h maphash.Hash
	h.SetSeed(a.seed)
	_, _ = h.WriteString(string(from))
	_ = h.WriteByte(0)
	_, _ = h.WriteString(url)
	return h.Sum64()
}

// add notes that links of pages of a domain have arrived.
func (a *arrived) add(now time.Time, from crawl.Domain, list []wire.Link) {
	if now.Sub(a.since) >= knownFor || len(a.now) >= maxKnown {
		a.before, a.now, a.since = a.now, make(map[uint64]uint8), now
	}
	for _, l := range list {
		h := a.hash(from, l.URL)
		if depth, known := a.now[h]; !known || l.Depth < depth {
			a.now[h] = l.Depth
		}
	}
}

// news returns, in the same array, the links of a page but those to other domains that have arrived: it says nothing new to bring them again.
func (a *arrived) news(from crawl.Domain, list []crawl.Outlink) []crawl.Outlink {
	return slices.DeleteFunc(list, func(l crawl.Outlink) bool {
		if l.URL.Domain() == from || l.Source > 0 || l.Priority != crawl.PriorityNormal || !l.Modified.IsZero() {
			return false
		}
		h := a.hash(from, l.URL.String())
		return isNear(a.now, h, l.Depth) || isNear(a.before, h, l.Depth)
	})
}

func isNear(known map[uint64]uint8, h uint64, depth uint8) bool {
	d, is := known[h]
	return is && d <= depth
}
