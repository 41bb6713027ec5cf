package frontier

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
)

// repeatLimit is how often a payload may come before it is taken for what the site says to everything it does not
// know: a soft 404.
const repeatLimit = 4

// isRepeat counts a duplicate and reports whether its links should not be followed: the same page under many
// addresses leads to as many addresses more. The rarest of the payloads remembered makes room for a new one.
// Those that came too often are remembered in the record.
func (w *work) isRepeat(o *crawl.Outcome) bool {
	if o.Result != crawl.Fetched || !o.Duplicate || o.Digest == [20]byte{} {
		return false
	}
	digest := [store.RepeatSize]byte(o.Digest[:store.RepeatSize])
	if w.rec.Repeated(digest) >= repeatLimit {
		return true
	}
	w.changed = true
	r := repeatOf(&w.place, digest)
	if r.Count++; r.Count < repeatLimit {
		return false
	}
	w.rec.AddRepeat(*r)
	return true
}

// repeatOf returns the place of a payload among those that a domain remembers.
func repeatOf(p *store.Place, digest [store.RepeatSize]byte) *store.Repeat {
	rarest := 0
	for i := range p.Repeats {
		if p.Repeats[i].Digest == digest {
			return &p.Repeats[i]
		}
		if p.Repeats[i].Count < p.Repeats[rarest].Count {
			rarest = i
		}
	}
	if len(p.Repeats) < store.MaxRepeats {
		p.Repeats = append(p.Repeats, store.Repeat{})
		rarest = len(p.Repeats) - 1
	}
	p.Repeats[rarest] = store.Repeat{Digest: digest} // a forgotten one may come back; its links were few
	return &p.Repeats[rarest]
}
