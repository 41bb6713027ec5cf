package near

import (
	"hash/fnv"
	"math"

	"github.com/forage-net/forage/crawl"
)

// Most is how many times its share by capacity a fetcher may have.
const Most = 1.25

// Shares counts which fetcher has which site, of those that one leader lends. Many leaders each lend few sites, and know nothing of each
// other's: a third of a site is not lent to anybody. So each rounds its part up for some fetchers and down for others, such that
// all of them together come out even. Then nobody gains by saying that it is near.
type Shares struct {
	has   map[crawl.Domain]crawl.PeerID
	count map[crawl.PeerID]int
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

// Has returns who has a site, "" if nobody.
func (s *Shares) Has(d crawl.Domain) crawl.PeerID { return s.has[d] }

// Sites returns how many sites somebody has.
func (s *Shares) Sites() int { return len(s.has) }

// Count returns how many sites a fetcher has.
func (s *Shares) Count(p crawl.PeerID) int { return s.count[p] }

// Of is one leader among all.
type Of struct{ Place, Leaders int }

// May reports whether a fetcher may have a site, or keep it. Its share is its capacity in parts of everybody's, 0 to 1.
func (s *Shares) May(p crawl.PeerID, d crawl.Domain, share float64, leader Of) bool {
	others, sites := s.count[p], len(s.has)
	if was, is := s.has[d]; !is {
		sites++
	} else if was == p {
		others--
	}
	return others < leader.most(p, share, sites)
}

// most returns how many of a leader's sites a fetcher may have. Each leader adds another fraction before it rounds down; the
// fractions of all are evenly spread.
func (l Of) most(p crawl.PeerID, share float64, sites int) int {
	h := fnv.New32a()
	h.Write([]byte(p))
	_, part := math.Modf(float64(h.Sum32())/(1<<32) + float64(l.Place)/float64(max(l.Leaders, 1)))
	return int(Most*share*float64(sites) + part)
}
