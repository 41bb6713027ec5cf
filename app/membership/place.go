package membership

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl/near"
)

// Place is where this node is among others, by the round trips that its calls take anyway. It implements p2p.Places.
type Place struct {
	tells bool // others are told

	mu   sync.Mutex
	here *near.Here
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
	}
}

// At returns it.
func (p *Place) At() near.Coordinate {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.here.At()
}
