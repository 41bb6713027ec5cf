package membership

import (
	"math"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl/near"
)

// maxAway bounds the peers of which a place remembers where they are.
const maxAway = 1024

// Place is where this node is among others, by the round trips that its calls take anyway. It implements p2p.Places.
type Place struct {
	tells bool // others are told

	mu   sync.Mutex
	here *near.Here
	of   map[string]near.Coordinate // of peers, as they told last
}

// Told implements p2p.Places.
func (p *Place) Told() string {
	if !p.tells {
		return ""
	}
	return p.At().Text()
}

// Heard implements p2p.Places.
func (p *Place) Heard(peer, text string, took time.Duration) {
	if at, ok := near.Parse(text); ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.here.Heard(peer, at, took)
		if p.of == nil || len(p.of) >= maxAway {
			p.of = make(map[string]near.Coordinate) // those that are still there tell again
		}
		p.of[peer] = at
	}
}

// Away returns how far a peer is in milliseconds, as far as coordinates tell; -1 if they do not.
func (p *Place) Away(peer string) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ms, known := p.here.At().Ms(p.of[peer]); known {
		return math.Round(ms)
	}
	return -1
}

// At returns it.
func (p *Place) At() near.Coordinate {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.here.At()
}
