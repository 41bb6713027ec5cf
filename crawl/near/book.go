package near

import (
	"math"
	"slices"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxSites bounds the sites that a Book remembers. What it forgets costs a few robots.txt.
	maxSites = 8192
	// activeFor is how long after it was lent a site counts as one that its fetcher has.
	activeFor = 3 * time.Minute
	// sweepEvery is how often it is looked for sites that are active no more.
	sweepEvery = 10 * time.Second
	// turnFor is how long it takes leaders to tell each other of what they lend.
	turnFor = 15 * time.Second
)

// Fetcher is one that could get a site now.
type Fetcher struct {
	Candidate
	// Room is how many leases it would take, more than 0.
	Room int
	// Capacity is its part of all capacity, which is that of all fetchers that want work, 0 to 1.
	Capacity float64
}

// Book is what a leader remembers of the sites that it lends, as a hint: nobody else has it, and it ends with the
// process.
type Book struct {
	// Self is the leader: where nothing is known it fetches itself, if it has room.
	Self   crawl.PeerID
	sites  *simplelru.LRU[crawl.Domain, *site] // nil before the first
	shares Shares
	swept  time.Time
}

type site struct {
	record Record
	lent   time.Time
}

// Choose returns which of some fetchers a site is offered to, and notes that; -1 if there is none. So many pages of
// it wait.
//
// A site with few pages stays with the nearest of those that know its robots.txt. For one with many another is tried
// as long as Next wants to; then it stays with the nearest. None gets more than its share of these, unless nobody
// else is there.
func (b *Book) Choose(now time.Time, d crawl.Domain, queued uint64, list []Fetcher) int {
	if len(list) == 0 {
		return -1
	}
	s := b.site(d)
	s.lent = now
	b.sweep(now)
	b.shares.Turn = uint32(now.Unix() / int64(turnFor/time.Second))
	for _, f := range list {
		s.record.Moved(f.Peer, f.At)
	}
	if queued < MinQueued {
		b.shares.Drop(d)
		if i := known(&s.record, list); i >= 0 {
			return i
		}
		return b.first(list)
	}
	within := list
	if may := b.within(d, list); len(may) > 0 {
		within = may
	} else {
		within = []Fetcher{list[b.least(list)]}
	}
	f := b.pick(&s.record, within)
	b.shares.Give(d, f.Peer)
	return slices.IndexFunc(list, func(other Fetcher) bool { return other.Peer == f.Peer })
}

// Nearest returns which of some fetchers is the nearest to a site, or likely to be, for a lease that is not one of
// its share: its pages are looked at again. It is -1 if there is none.
func (b *Book) Nearest(d crawl.Domain, list []Fetcher) int {
	if len(list) == 0 {
		return -1
	}
	r := new(Record)
	if s := b.known(d); s != nil {
		r = &s.record
	}
	return b.nearest(r, list)
}

// nearest returns the fetcher that is nearest by what it measured, or what others make one guess; if nothing is
// known, the first.
func (b *Book) nearest(r *Record, list []Fetcher) (i int) {
	tried, least := r.Tried(), math.Inf(1)
	i = b.first(list)
	for j, f := range list {
		ms, ok := Guess(tried, f.At)
		if at := r.Of(f.Peer); at >= 0 {
			ms, ok = float64(tried[at].Ms), true
		}
		if ok && ms < least {
			i, least = j, ms
		}
	}
	return i
}

func candidatesOf(list []Fetcher) []Candidate {
	candidates := make([]Candidate, len(list))
	for i, f := range list {
		candidates[i] = f.Candidate
	}
	return candidates
}

// within returns those that may have a site by their share.
func (b *Book) within(d crawl.Domain, list []Fetcher) (may []Fetcher) {
	for _, f := range list {
		if b.shares.May(f.Peer, d, f.Capacity) {
			may = append(may, f)
		}
	}
	return may
}

// least returns the fetcher that has least for its capacity.
func (b *Book) least(list []Fetcher) (i int) {
	load := func(f Fetcher) float64 { return float64(b.shares.Count(f.Peer)+1) / max(f.Capacity, 1e-9) }
	for j := range list {
		if load(list[j]) < load(list[i]) {
			i = j
		}
	}
	return i
}

// pick returns the one to be tried next, or else the nearest.
func (b *Book) pick(r *Record, list []Fetcher) Fetcher {
	if tried := r.Tried(); len(tried) > 0 {
		if i, ok := Next(tried, candidatesOf(list)); ok {
			return list[i]
		}
	}
	return list[b.nearest(r, list)]
}

// known returns the nearest fetcher that has connected, -1 if it is none of these.
func known(r *Record, list []Fetcher) int {
	for _, s := range r.Seen() {
		if i := slices.IndexFunc(list, func(f Fetcher) bool { return f.Peer == s.Peer }); i >= 0 {
			return i
		}
	}
	return -1
}

// first returns the leader itself, or else the fetcher with the most room.
func (b *Book) first(list []Fetcher) (i int) {
	for j := range list {
		if list[j].Peer == b.Self {
			return j
		}
		if list[j].Room > list[i].Room {
			i = j
		}
	}
	return i
}

// Connected notes how long a fetcher took to connect to a site; 0: it could not.
func (b *Book) Connected(now time.Time, d crawl.Domain, by Candidate, took time.Duration) {
	s := b.known(d)
	if s == nil {
		return // it was lent by somebody else, or long ago
	}
	ms := uint16(LostMs)
	if took > 0 {
		ms = uint16(min(max(took.Milliseconds(), 1), LostMs))
	}
	s.record.Connected(Trial{by.Peer, by.At, ms}, uint32(max(now.Unix(), 0)/(24*60*60)))
}

// Loads returns what to tell other leaders of whom sites are lent to, Heard takes what they told.
func (b *Book) Loads() []Load { return b.shares.Loads() }

// Heard takes what other leaders told last.
func (b *Book) Heard(told [][]Load) { b.shares.Heard(told) }

// Of returns what is remembered of a site, the nearest fetcher first.
func (b *Book) Of(d crawl.Domain) []Seen {
	if s := b.known(d); s != nil {
		return s.record.Seen()
	}
	return nil
}

// known returns what is remembered of a site, nil if nothing is.
func (b *Book) known(d crawl.Domain) *site {
	if b.sites == nil {
		return nil
	}
	s, _ := b.sites.Peek(d)
	return s
}

// site returns what is remembered of a site that is lent, and makes room for it.
func (b *Book) site(d crawl.Domain) *site {
	if b.sites == nil {
		drop := func(d crawl.Domain, _ *site) { b.shares.Drop(d) }
		b.sites, _ = simplelru.NewLRU(maxSites, drop) // fails for no size only
	}
	s, ok := b.sites.Get(d)
	if !ok {
		s = new(site)
		b.sites.Add(d, s)
	}
	return s
}

// sweep counts sites no more that were not lent lately.
func (b *Book) sweep(now time.Time) {
	if now.Sub(b.swept) < sweepEvery {
		return
	}
	b.swept = now
	for _, d := range b.sites.Keys() {
		if now.Sub(b.known(d).lent) > activeFor {
			b.shares.Drop(d)
		}
	}
}
