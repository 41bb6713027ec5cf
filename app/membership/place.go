package membership

import (
	"math"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl/near"
)

// maxAway bounds the peers of which a place remembers where they are.
const maxAway = 1024

// Place is where this node is among others, by the round trips that its calls take anyway. It
// implements requests.Places.
type Place struct {
	tells bool // others are told

	mu   sync.Mutex
	here *near.Here
	of   map[string]near.Coordinate // of peers, as they told last
	seen near.Plane
}

// Told implements requests.Places.
func (p *Place) Told() string {
	if !p.tells {
		return ""
	}
	return p.At().Text()
}

// Heard implements requests.Places.
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

// Around returns how far peers are in milliseconds, and in which direction they lie: see near.Plane. It is -1 as far
// as coordinates do not tell.
func (p *Place) Around(peers []string) (away, bearings []float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	here, others := p.here.At(), make([]near.Coordinate, len(peers))
	away = make([]float64, len(peers))
	for i, peer := range peers {
		others[i], away[i] = p.of[peer], -1
		if ms, known := here.Ms(others[i]); known {
			away[i] = math.Round(ms)
		}
	}
	return away, p.seen.Bearings(here, others)
}

// At returns it.
func (p *Place) At() near.Coordinate {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.here.At()
}
