package stream

import (
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxClaims is how many former members of a shard a leader serves at a time. The others repeat their offers.
	maxClaims = 4
	// claimRetries is after how many times Retry a leader gives up a former member that does not answer.
	claimRetries = 300
)

// offering is a copy that this node, a former member, need not keep.
type offering struct {
	to  crawl.PeerID
	id  uint64
	due bool
}

// claim is an offer at the leader.
type claim struct {
	id    uint64
	at    time.Duration
	ready bool   // everything was pulled
	n     uint64 // the number of the run that covers it
	marks Marks  // what the line then has
}

// Offer tells the leader of a shard, to, that this node has a copy that it need not keep. The leader pulls what it lacks
// and answers when all its followers have it. Then this node drops the copy, if nothing was added in the meantime. It may
// be repeated at will. It ends when this node leads, follows or pulls the shard.
func (s *Streams) Offer(shard Shard, to crawl.PeerID) {
	if s.lead[shard] != nil {
		return
	}
	o := s.offers[shard]
	if o == nil || o.to != to {
		o = &offering{to: to, id: s.cfg.Chance()}
		s.offers[shard] = o
	}
	o.due, s.due = true, true
}

// heardOffer begins to pull what a former member has. A follower's copy is none to give up.
func (s *Streams) heardOffer(from crawl.PeerID, o *offer) {
	l := s.lead[o.shard]
	if l == nil || !l.begun || l.to[from] != nil || from == s.cfg.Self {
		return
	}
	c := l.claims[from]
	if c != nil && c.id == o.id {
		c.at = s.cfg.Now()
		return
	}
	if c == nil && len(l.claims) >= maxClaims {
		return
	}
	c = &claim{id: o.id, at: s.cfg.Now()}
	l.claims[from] = c
	s.startPull(Pull{Shard: o.shard, From: from, Done: func(p Pulled) {
		c.ready, c.n = true, p.N
		c.marks = s.Marks(o.shard)
		c.marks.join(p.Marks)
	}}).internal = true
}

// answerClaims tells former members what all of the line have.
func (s *Streams) answerClaims(l *leading) {
	for _, p := range slices.Sorted(maps.Keys(l.claims)) {
		c := l.claims[p]
		if !c.ready || !l.allHave(c.n) {
			continue
		}
		delete(l.claims, p)
		s.cfg.Send(p, LanePull, encode(&covered{l.shard, c.id, c.marks}))
	}
}

// allHave reports whether all followers acknowledged n.
func (l *leading) allHave(n uint64) bool {
	for _, se := range l.to {
		if !se.ok || se.acked < n {
			return false
		}
	}
	return true
}

// heardCovered drops the copy that was offered.
func (s *Streams) heardCovered(from crawl.PeerID, c *covered) {
	o := s.offers[c.shard]
	if o == nil || o.to != from || o.id != c.id {
		return
	}
	delete(s.offers, c.shard)
	s.Drop(c.shard, nil, c.marks)
}

// sendOffers sends the offers that are due.
func (s *Streams) sendOffers() {
	for _, shard := range slices.Sorted(maps.Keys(s.offers)) {
		if o := s.offers[shard]; o.due {
			o.due = false
			s.cfg.Send(o.to, LanePull, encode(&offer{shard, o.id}))
		}
	}
}
