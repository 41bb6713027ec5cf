package swarm

import (
	"sync"
	"time"
)

const (
	// seedBurst is how many seeds a peer may bring at once, seedEvery how long it
	// takes until it may bring one more: links that no page had.
	seedBurst = 5000
	seedEvery = time.Second
	// beginBurst and beginEvery bound the domains never heard of that a peer's links
	// may begin: each takes room here for good. Where gaps are short, hurriedBurst is
	// what they may be in a burst, and per beginEvery.
	beginBurst   = 5000
	beginEvery   = time.Second
	hurriedBurst = 50_000
	// movedBurst and movedEvery bound the URLs of moves of members that are not believed to have had their domains: a
	// whole domain comes at once, but from the beginning again after an interruption.
	movedBurst = 50_000
	movedEvery = 10 * time.Millisecond
	movedWait  = 5 * time.Second
	// maxRated bounds the peers that are remembered.
	maxRated = 1024
)

// rates bounds something that peers may do, each by itself.
type rates struct {
	burst int
	every time.Duration // until it may be done once more

	mu     sync.Mutex
	byPeer map[string]*budget
}

type budget struct {
	left int
	at   time.Time
}

func newRates(burst int, every time.Duration) *rates {
	return &rates{burst: burst, every: every, byPeer: make(map[string]*budget)}
}

// take takes n off a peer's budget; false if it has not so many left.
func (r *rates) take(peer string, n int, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.byPeer[peer]
	if b == nil {
		for other := range r.byPeer {
			if len(r.byPeer) < maxRated {
				break
			}
			delete(r.byPeer, other)
		}
		b = &budget{left: r.burst, at: now}
		r.byPeer[peer] = b
	}
	if more := int(now.Sub(b.at) / r.every); more > 0 {
		b.left, b.at = min(b.left+more, r.burst), b.at.Add(time.Duration(more)*r.every)
	}
	if n > b.left {
		return false
	}
	b.left -= n
	return true
}
