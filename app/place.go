package app

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl/near"
)

// place is where this node is among others, by the round trips that its calls take anyway. It implements p2p.Places.
type place struct {
	tells bool // others are told

	mu   sync.Mutex
	here *near.Here
}

// Told implements p2p.Places.
func (p *place) Told() string {
	if !p.tells {
		return ""
	}
	return p.at().Text()
}

// Heard implements p2p.Places.
func (p *place) Heard(peer, text string, took time.Duration) {
	if at, ok := near.Parse(text); ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.here.Heard(peer, at, took)
	}
}

func (p *place) at() near.Coordinate {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.here.At()
}
