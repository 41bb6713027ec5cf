package app

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
)

// maxAway bounds the peers of which a place remembers where they are.
const maxAway = 1024

// place is where this node is among others, by the round trips that its calls take anyway. It implements p2p.Places.
type place struct {
	tells bool // others are told

	mu   sync.Mutex
	here *near.Here
	of   map[string]near.Coordinate // of peers, as they told last
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
		if p.of == nil || len(p.of) >= maxAway {
			p.of = make(map[string]near.Coordinate) // those that are still there tell again
		}
		p.of[peer] = at
	}
}

// away returns how far a peer is in milliseconds, as far as coordinates tell; -1 if they do not.
func (p *place) away(peer string) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ms, known := p.here.At().Ms(p.of[peer]); known {
		return math.Round(ms)
	}
	return -1
}

func (p *place) at() near.Coordinate {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.here.At()
}

// distances says of domains that this node leads who fetches them from how near.
func (n *Node) distances(ctx context.Context, domains []crawl.Domain) map[crawl.Domain]string {
	said := make(map[crawl.Domain]string)
	if n.member.swarm == nil || len(domains) == 0 {
		return said
	}
	within, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	far, err := n.member.swarm.Distances(within, domains)
	if err != nil {
		return said // it is said without
	}
	for d, x := range far {
		key, args := "domain.near.you", words.Args{"ms": int64(x.Ms), "here": int64(math.Round(x.HereMs))}
		if string(x.Nearest) != n.member.node.Self() {
			args["peer"] = "…" + shortPeer(string(x.Nearest))
			switch {
			case x.HereMs == 0:
				key = "domain.near"
			case x.Guess:
				key = "domain.near.guess"
			default:
				key = "domain.near.here"
			}
		}
		said[d] = words.Text(api.Lang(ctx), key, args)
	}
	return said
}

// Site implements api.SiteTeller.
func (n *Node) Site(ctx context.Context, name string) (api.SiteSummary, error) {
	s, err := n.Library.Site(ctx, name)
	if err == nil {
		d := crawl.Domain(s.Domain)
		s.Distance = n.distances(ctx, []crawl.Domain{d})[d]
	}
	return s, err
}
