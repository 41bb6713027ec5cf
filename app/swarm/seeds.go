package swarm

import (
	"sync"
	"time"
)

const (
	// seedBurst is how many seeds a peer may bring at once, seedEvery how long it
	// takes until it may bring one more.
	seedBurst = 5000
	seedEvery = time.Second
	// maxSeeders bounds the peers that are remembered.
	maxSeeders = 1024
)

// seedRate bounds the seeds of each peer: links that no page had.
type seedRate struct {
	mu     sync.Mutex
	byPeer map[string]*seedBudget
}

type seedBudget struct {
	left int
	at   time.Time
}

func newSeedRate() *seedRate { return &seedRate{byPeer: make(map[string]*seedBudget)} }

// take takes n seeds of a peer's budget; false if it has not so many left.
func (r *seedRate) take(peer string, n int, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.byPeer[peer]
	if b == nil {
		for other := range r.byPeer {
			if len(r.byPeer) < maxSeeders {
				break
			}
			delete(r.byPeer, other)
		}
		b = &seedBudget{left: seedBurst, at: now}
		r.byPeer[peer] = b
	}
	if more := int(now.Sub(b.at) / seedEvery); more > 0 {
		b.left, b.at = min(b.left+more, seedBurst), b.at.Add(time.Duration(more)*seedEvery)
	}
	if n > b.left {
		return false
	}
	b.left -= n
	return true
}
