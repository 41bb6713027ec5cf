package swarm

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// toldFor is how long, at least, a link is not stored again for its way to another domain, and maxTold how
	// many are known. Pages of a site have many links in common.
	toldFor = 5 * time.Minute
	maxTold = 1 << 16
)

// told knows links between domains that were stored lately to be brought there, as hashes, and how far from the
// seeds they are. Of the others, one in 2^47 is taken for one of them.
type told struct {
	seed   maphash.Seed
	now    map[uint64]uint8
	before map[uint64]uint8 // of the time before that
	since  time.Time
	list   []crawl.Outlink // what news returned last
}

func newTold() told { return told{seed: maphash.MakeSeed(), now: make(map[uint64]uint8)} }

func (t *told) hash(from crawl.Domain, l crawl.Outlink) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	_, _ = h.WriteString(string(from))
	_ = h.WriteByte(0)
	_, _ = h.WriteString(l.URL.String())
	return h.Sum64()
}

// isPlain reports whether a link to another domain says nothing but that the address is there.
func isPlain(from crawl.Domain, l crawl.Outlink) bool {
	return l.URL.Domain() != from && l.Source == 0 && l.Redirects == 0 && l.Priority == crawl.PriorityNormal &&
		l.Modified.IsZero()
}

// add notes that the links of a page are stored.
func (t *told) add(now time.Time, from crawl.Domain, list []crawl.Outlink) {
	if now.Sub(t.since) >= toldFor || len(t.now) >= maxTold {
		t.before, t.now, t.since = t.now, make(map[uint64]uint8), now
	}
	for _, l := range list {
		if isPlain(from, l) && !isNear(t.now, t.hash(from, l), l.Depth) {
			t.now[t.hash(from, l)] = l.Depth
		}
	}
}

// news returns the links of a page without those to other domains that are known. They are good until the next call.
func (t *told) news(from crawl.Domain, list []crawl.Outlink) []crawl.Outlink {
	t.list = slices.DeleteFunc(append(t.list[:0], list...), func(l crawl.Outlink) bool {
		if !isPlain(from, l) {
			return false
		}
		h := t.hash(from, l)
		return isNear(t.now, h, l.Depth) || isNear(t.before, h, l.Depth)
	})
	return t.list
}

func isNear(known map[uint64]uint8, h uint64, depth uint8) bool {
	d, is := known[h]
	return is && d <= depth
}

// forget is called when a store may have lost what was to be written.
func (t *told) forget() { clear(t.now); t.before = nil }
