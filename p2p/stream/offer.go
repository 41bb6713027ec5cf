package stream

import (
	"maps"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxClaims is how many former members of a shard a leader serves at a time. The others repeat their offers.
	maxClaims = 4
	// claimRetries is after how many times Retry a leader gives up a former member that does not repeat its offer.
	claimRetries = 32
)

// claim is a former member at the leader.
type claim struct {
	at    time.Duration // of the last offer
	marks Marks         // what this store has since it pulled; nil: it has not
	n     uint64        // the number of the run that covers it
}

// Offer tells the leader of a shard, to, that this node has a copy that it need not keep. The leader pulls what
// it lacks and answers an offer when all its followers have it. Then this node drops the copy, if nothing was
// added in the meantime. It is to be repeated until then. It ends when this node leads, follows or pulls the
// shard.
func (s *Streams) Offer(shard Shard, to crawl.PeerID) {
	if s.lead[shard] == nil {
		s.offers[shard] = to
		s.cfg.Send(to, LanePull, encode(&spare{shard: shard}))
	}
}

// heardSpare drops the copy that was offered, or, at the leader, pulls what a former member has, and tells it
// that all of the line have it. A follower's copy is none to give up.
func (s *Streams) heardSpare(from crawl.PeerID, m *spare) {
	shard, l, now := m.shard, s.lead[m.shard], s.cfg.Now()
	if s.offers[shard] == from {
		delete(s.offers, shard)
		s.Drop(shard, nil, m.marks)
	}
	if l == nil || !l.begun || l.to[from] != nil || !s.cfg.Group.MayKeep(from) {
		return
	}
	maps.DeleteFunc(l.claims, func(_ crawl.PeerID, c *claim) bool { return now-c.at > claimRetries*s.cfg.Retry })
	c := l.claims[from]
	if c == nil {
		if len(l.claims) == maxClaims {
			return
		}
		c = new(claim)
		l.claims[from] = c
	}
	switch c.at = now; {
	case c.marks == nil:
		s.startPull(Pull{Shard: shard, From: from, Done: func(p Pulled) {
			c.marks, c.n = s.Marks(shard), p.N
			c.marks.join(p.Marks)
		}}, func() bool { return s.lead[shard] == l && l.claims[from] == c })
	case l.lacks() > c.n:
		delete(l.claims, from)
		s.cfg.Send(from, LanePull, encode(&spare{shard, c.marks}))
	}
}

// member notes that this node's copy of a shard is to be kept.
func (s *Streams) member(shard Shard) {
	delete(s.offers, shard)
	s.drops = deleteDrops(s.drops, shard, nil)
}
