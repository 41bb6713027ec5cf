// Package flood bounds what a node takes in of members that sign records, or pass them on, without end.
package flood

import (
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// allRate is how many new records a second are looked at, with bursts of allBurst, whether they come by gossip or
	// by comparison: members that sign new records without end must not keep the network busy. A newcomer hears
	// of all members at once. What is passed over comes by a later comparison.
	allRate  = 10
	allBurst = 6000
	// memberRate and MemberBurst bound the records of one member.
	memberRate  = 0.1
	MemberBurst = 30
	// peerRate and PeerBurst bound the items that a peer passes on; beyond that it did not keep to the limits itself.
	peerRate  = allRate * 3 / 2
	PeerBurst = allBurst / 2
	// maxPaced bounds the peers that are remembered.
	maxPaced = 8192
)

// Bounds bound the records that are looked at. Methods are safe for concurrent use.
type Bounds struct {
	all       *rate.Limiter
	of        *lru.Cache[peer.ID, *rate.Limiter] // by whom they are about
	gossipers *lru.Cache[peer.ID, *rate.Limiter] // by whom they come from
}

// New returns bounds of a node that has heard nothing yet.
func New() *Bounds {
	of, _ := lru.New[peer.ID, *rate.Limiter](maxPaced) // fails for no size only
	gossipers, _ := lru.New[peer.ID, *rate.Limiter](maxPaced)
	return &Bounds{all: rate.NewLimiter(allRate, allBurst), of: of, gossipers: gossipers}
}

// May reports whether a new record of a member may be looked at.
func (g *Bounds) May(member peer.ID) bool {
	return allows(g.of, member, memberRate, MemberBurst) && g.all.Allow()
}

// Floods reports whether a peer has passed on more by gossip than it may.
func (g *Bounds) Floods(from peer.ID) bool {
	return !allows(g.gossipers, from, peerRate, PeerBurst)
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
