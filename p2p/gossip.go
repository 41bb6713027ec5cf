package p2p

import (
	"sync"

	"golang.org/x/time/rate"

	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// newsRate is how many new records a second are looked at, with bursts of newsBurst, whether they come by gossip or
	// by comparison: members that sign new records without end must not keep the network busy. A newcomer hears
	// of all members at once. What is passed over comes by a later comparison.
	newsRate  = 10
	newsBurst = 6000
	// memberRate and memberBurst bound the records of one member.
	memberRate  = 0.1
	memberBurst = 30
	// One peer may pass on so many items by gossip; beyond that it did not keep to the limits itself.
	peerGossipRate  = newsRate * 3 / 2
	peerGossipBurst = newsBurst / 2
	// maxPaced bounds the peers that are remembered.
	maxPaced = 8192
)

// news bounds the records that are looked at.
type news struct {
	all *rate.Limiter

	mu        sync.Mutex
	of        map[peer.ID]*rate.Limiter // by whom they are about
	gossipers map[peer.ID]*rate.Limiter // by whom they come from
}

func newNews() *news {
	return &news{
		all: rate.NewLimiter(newsRate, newsBurst), of: make(map[peer.ID]*rate.Limiter), gossipers: make(map[peer.ID]*rate.Limiter),
	}
}

// may reports whether a new record of a member may be looked at.
func (g *news) may(member peer.ID) bool {
	return g.limiter(g.of, member, memberRate, memberBurst).Allow() && g.all.Allow()
}

// floods reports whether a peer has passed on more by gossip than it may.
func (g *news) floods(from peer.ID) bool {
	return !g.limiter(g.gossipers, from, peerGossipRate, peerGossipBurst).Allow()
}

func (g *news) limiter(by map[peer.ID]*rate.Limiter, id peer.ID, each rate.Limit, burst int) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := by[id]
	if l == nil {
		for other := range by {
			if len(by) < maxPaced {
				break
			}
			delete(by, other)
		}
		l = rate.NewLimiter(each, burst)
		by[id] = l
	}
	return l
}
