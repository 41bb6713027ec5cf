package p2p

import (
	lru "github.com/hashicorp/golang-lru/v2"
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
	all       *rate.Limiter
	of        *lru.Cache[peer.ID, *rate.Limiter] // by whom they are about
	gossipers *lru.Cache[peer.ID, *rate.Limiter] // by whom they come from
}

func newNews() *news {
	of, _ := lru.New[peer.ID, *rate.Limiter](maxPaced) // fails for no size only
	gossipers, _ := lru.New[peer.ID, *rate.Limiter](maxPaced)
	return &news{all: rate.NewLimiter(newsRate, newsBurst), of: of, gossipers: gossipers}
}

// may reports whether a new record of a member may be looked at.
func (g *news) may(member peer.ID) bool {
	return allows(g.of, member, memberRate, memberBurst) && g.all.Allow()
}

// floods reports whether a peer has passed on more by gossip than it may.
func (g *news) floods(from peer.ID) bool {
	return !allows(g.gossipers, from, peerGossipRate, peerGossipBurst)
}

func allows(by *lru.Cache[peer.ID, *rate.Limiter], id peer.ID, each rate.Limit, burst int) bool {
	l, ok := by.Get(id)
	if !ok {
		l = rate.NewLimiter(each, burst)
		if was, ok, _ := by.PeekOrAdd(id, l); ok { // another call was first
			l = was
		}
	}
	return l.Allow()
}
