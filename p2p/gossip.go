package p2p

import (
	"sync"

	"golang.org/x/time/rate"

	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// gossipRate is how many items a second are taken from gossip, with bursts of
	// gossipBurst: a member that signs new records without end must not keep
	// the network busy. What is passed over comes by comparison.
	gossipRate  = 10
	gossipBurst = 2000
	// What one peer passes on may be half as much more: beyond that it did not
	// keep to the limits itself.
	peerGossipRate  = gossipRate * 3 / 2
	peerGossipBurst = gossipBurst * 3 / 2
	// maxGossips bounds the peers that are remembered.
	maxGossips = 1024
)

// gossipGate bounds the items that come by gossip.
type gossipGate struct {
	all *rate.Limiter

	mu     sync.Mutex
	byPeer map[peer.ID]*rate.Limiter
}

func newGossipGate() *gossipGate {
	return &gossipGate{all: rate.NewLimiter(gossipRate, gossipBurst), byPeer: make(map[peer.ID]*rate.Limiter)}
}

// admit reports whether an item of those that all bounds may be looked at, and if not, whether
// its sender has sent too many.
func (g *gossipGate) admit(from peer.ID, all *rate.Limiter) (ok, flood bool) {
	g.mu.Lock()
	l := g.byPeer[from]
	if l == nil {
		for other := range g.byPeer {
			if len(g.byPeer) < maxGossips {
				break
			}
			delete(g.byPeer, other)
		}
		l = rate.NewLimiter(peerGossipRate, peerGossipBurst)
		g.byPeer[from] = l
	}
	g.mu.Unlock()
	if !l.Allow() {
		return false, true
	}
	return all.Allow(), false
}
