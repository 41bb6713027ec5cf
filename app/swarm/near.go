package swarm

import (
	"context"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p/group"
)

// connected notes what an outcome says of how far its fetcher is from the site. No request is made for that. A
// failure without a connection counts as one, so that others are tried.
func (o *offers) connected(by crawl.PeerID, d crawl.Domain, x *crawl.Outcome) {
	if x.Connect == 0 && x.Result != crawl.Failed && x.Result != crawl.Deferred && x.Result != crawl.Blocked {
		return // over a connection that was told of before
	}
	at := o.s.cfg.Here()
	if by != o.s.cfg.Self {
		at = near.Coordinate{}
		if w := o.wants[by]; w != nil {
			at = w.at
		}
	}
	o.near.Connected(o.s.cfg.Now(), d, near.Candidate{Peer: by, At: at}, x.Connect)
}

// Distance is how far a domain is, as far as its leader remembers.
type Distance struct {
	Nearest crawl.PeerID
	Ms      uint16
	// HereMs is how far it is from this node, measured or guessed; 0 if unknown.
	HereMs float64
	Guess  bool
}

// Distances returns what is remembered of some domains.
func (s *Swarm) Distances(ctx context.Context, domains []crawl.Domain) (map[crawl.Domain]Distance, error) {
	found := make(map[crawl.Domain]Distance)
	err := s.cfg.Loop.Do(ctx, func(*group.Node) error {
		for _, d := range domains {
			if x, ok := s.offers.distance(d); ok {
				found[d] = x
			}
		}
		return nil
	})
	return found, err
}

func (o *offers) distance(d crawl.Domain) (x Distance, ok bool) {
	var tried []near.Trial
	for _, s := range o.near.Of(d) {
		if !s.Connected() {
			continue
		}
		tried = append(tried, s.Trial)
		if s.Peer == o.s.cfg.Self {
			x.HereMs = float64(s.Ms)
		}
	}
	if len(tried) == 0 {
		return x, false
	}
	x.Nearest, x.Ms = tried[0].Peer, tried[0].Ms
	if x.HereMs == 0 {
		x.HereMs, x.Guess = near.Guess(tried, o.s.cfg.Here())
	}
	return x, true
}
