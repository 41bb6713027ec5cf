package near

import (
	"cmp"
	"math"
	"slices"

	"github.com/forage-net/forage/crawl"
)

const (
	// LostMs stands for a connection that did not come about.
	LostMs = math.MaxUint16
	// MaxSeen is how many fetchers are remembered of a site.
	MaxSeen = 4
	// staleDays is after how many days without a connection a fetcher is forgotten: another may be near by then.
	staleDays = 7
	// badTimes and badMs are what a connection may take more than is remembered: twice that, and some for what a small
	// time differs by itself.
	badTimes, badMs = 2, 10
	// badRow is after how many bad connections in a row of the nearest another is looked for.
	badRow = 2
)

// Seen is a fetcher that has connected to a site.
type Seen struct {
	Trial
	Day uint32 // of the last connection, in days since 1970
	bad int    // connections in a row that took far longer than Ms
}

// Connected reports whether the fetcher got there at all.
func (s Seen) Connected() bool { return s.Ms < LostMs }

// Record is what is remembered of a site. The zero value is one of which nothing is.
type Record struct {
	seen []Seen // the nearest first
}

// Seen returns who has connected, the nearest first. The slice is the record's: read it only, until it changes.
func (r *Record) Seen() []Seen { return r.seen }

// Tried returns who has connected, as Next wants it, the nearest first.
func (r *Record) Tried() []Trial {
	list := make([]Trial, len(r.seen))
	for i, s := range r.seen {
		list[i] = s.Trial
	}
	return list
}

// Of returns the place of a fetcher among those seen, -1 if it is none.
func (r *Record) Of(p crawl.PeerID) int {
	return slices.IndexFunc(r.seen, func(s Seen) bool { return s.Peer == p })
}

// Connected notes how long a fetcher took to connect. Two bad times in a row of the nearest one end what was known:
// the others are forgotten, so that they may be tried again.
func (r *Record) Connected(t Trial, day uint32) {
	t.Ms = max(t.Ms, 1)
	r.seen = slices.DeleteFunc(r.seen, func(s Seen) bool { return s.Peer != t.Peer && s.Day+staleDays < day })
	i := r.Of(t.Peer)
	if i < 0 {
		r.seen = append(r.seen, Seen{Trial: t, Day: day})
		r.sort()
		return
	}
	s := &r.seen[i]
	if s.Day = day; t.At.Known() {
		s.At = t.At
	}
	switch {
	case uint32(t.Ms) <= badTimes*uint32(s.Ms)+badMs:
		s.Ms, s.bad = uint16((uint32(s.Ms)+uint32(t.Ms)+1)/2), 0
	case s.bad+1 < badRow:
		s.bad++
		return
	default:
		s.Ms, s.bad = t.Ms, 0
		if i == 0 {
			r.seen = []Seen{*s}
		}
	}
	r.sort()
}

// Moved notes where a fetcher is now.
func (r *Record) Moved(p crawl.PeerID, at Coordinate) {
	if i := r.Of(p); i >= 0 && at.Known() {
		r.seen[i].At = at
	}
}

func (r *Record) sort() {
	slices.SortStableFunc(r.seen, func(a, b Seen) int { return cmp.Compare(a.Ms, b.Ms) })
	r.seen = r.seen[:min(len(r.seen), MaxSeen)]
}
