package near

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
)

const (
	// Most is how many times its share by capacity a fetcher may keep. It gets more only up to getMost: others may
	// give it a site at the same time.
	Most, getMost = 1.25, 1.1
	// MaxLoads is how many fetchers a leader tells others of.
	MaxLoads = 32
	// Another leader's word counts for so many sites, and for so many times as many as this leader lends: who lies
	// about what it lends to whom takes little from whom it names.
	fewSites, timesOwn = 16, 4
)

// Load says how many sites a leader has lent to a fetcher.
type Load struct {
	Key   uint32 // KeyOf the fetcher
	Sites uint16
}

// KeyOf is what a Load calls a fetcher.
func KeyOf(p crawl.PeerID) uint32 { return hashOf(string(p)) }

func hashOf(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

// Shares counts which fetcher has which site, of those that this leader lends, and hears of what others lend. So
// nobody gains by saying that it is near.
type Shares struct {
	// Turn is another one when others have told again: what is decided by chance stays so for a turn.
	Turn uint32

	has    map[crawl.Domain]crawl.PeerID
	count  map[crawl.PeerID]int
	others map[uint32]int // sites lent by other leaders
	all    int            // of them
}

// Give notes who has a site.
func (s *Shares) Give(d crawl.Domain, p crawl.PeerID) {
	if s.has == nil {
		s.has, s.count = make(map[crawl.Domain]crawl.PeerID), make(map[crawl.PeerID]int)
	}
	s.Drop(d)
	s.has[d] = p
	s.count[p]++
}

// Drop notes that nobody has a site.
func (s *Shares) Drop(d crawl.Domain) {
	p, is := s.has[d]
	if !is {
		return
	}
	delete(s.has, d)
	if s.count[p]--; s.count[p] == 0 {
		delete(s.count, p)
	}
}

// Loads returns what to tell other leaders: the fetchers with the most sites, at most MaxLoads.
func (s *Shares) Loads() []Load {
	list := make([]Load, 0, len(s.count))
	for _, p := range slices.Sorted(maps.Keys(s.count)) {
		list = append(list, Load{KeyOf(p), uint16(min(s.count[p], 1<<16-1))})
	}
	slices.SortStableFunc(list, func(a, b Load) int { return cmp.Compare(b.Sites, a.Sites) })
	return list[:min(len(list), MaxLoads)]
}

// Heard takes what other leaders told last, in place of what was heard before.
func (s *Shares) Heard(told [][]Load) {
	s.others, s.all = make(map[uint32]int), 0
	for _, list := range told {
		left := fewSites + timesOwn*len(s.has)
		for _, l := range list[:min(len(list), MaxLoads)] {
			n := min(int(l.Sites), left)
			left -= n
			s.others[l.Key] += n
			s.all += n
		}
	}
}

// Count returns how many sites a fetcher has, of all that this leader knows of.
func (s *Shares) Count(p crawl.PeerID) int { return s.count[p] + s.others[KeyOf(p)] }

// May reports whether a fetcher may have a site, or keep it. Its share is its capacity in parts of everybody's, 0 to 1.
//
// If it has too many, as after leaders gave it some at the same time, each keeps a site with such a chance that the
// right number is left.
func (s *Shares) May(p crawl.PeerID, d crawl.Domain, share float64) bool {
	has, sites := s.Count(p), len(s.has)+s.all
	was, is := s.has[d]
	if !is {
		sites++
	}
	part := share * float64(sites)
	if was != p {
		return float64(has+1) <= max(getMost*part, 1)
	}
	most := max(Most*part, 1)
	return float64(has) <= most || float64(hashOf(fmt.Sprint(p, d, s.Turn)))/(1<<32)*float64(has) < most
}
