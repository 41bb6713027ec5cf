package swarm

import (
	"context"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/wire"
)

// handleLinks takes links to domains of this node in. It answers when they are
// durable.
func (s *Swarm) handleLinks(ctx context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Links](body)
	if err != nil {
		return nil, lie("links", 20)
	}
	lists, err := m.Parse()
	if err != nil {
		return nil, lie("links", 20)
	}
	if !s.open.Load() || s.leaving.Load() {
		return nil, busy(2 * time.Second)
	}
	now := time.Now()
	var taken []frontier.OutLink
	var domain crawl.Domain
	moved := make(map[crawl.Domain]string)
	outside := 0
	for i, g := range m.Groups {
		if g.From != "" && !s.mayOwn(from, g.From) {
			// Members may know of each other a moment sooner or later, and a link may
			// have waited there since its page's domain moved. It counts as a seed.
			s.net.Resync(from)
			g.From = ""
		}
		if g.From == "" && !s.seeds.take(from, len(lists[i]), s.now()) {
			return nil, busy(time.Minute)
		}
		date := min(g.Date, now.Unix())
		for _, l := range lists[i] {
			d := l.URL.Domain()
			if owner, ok := s.net.Owner(d); ok && owner != s.net.Self() {
				moved[d] = owner
			} else if !s.admits(l, now) {
				outside++
			} else {
				domain = d
				taken = append(taken, frontier.OutLink{Link: frontierLink(l), From: g.From, Date: date})
			}
		}
	}
	if outside > 0 {
		s.refuse(from, "links out of scope", 5)
	}
	if len(taken) > 0 {
		if _, err := s.cfg.Frontier.Propose(ctx, frontier.Received(taken)...); err != nil {
			return nil, busy(2 * time.Second)
		}
		s.tell(Event{Kind: LinksTaken, Peer: from, Domain: domain, Count: len(taken)})
	}
	return wire.Encode(&wire.Taken{Moved: movedList(moved)}), nil
}

func movedList(moved map[crawl.Domain]string) []wire.Moved {
	list := make([]wire.Moved, 0, len(moved))
	for d, to := range moved {
		list = append(list, wire.Moved{Domain: d, To: to})
	}
	return list
}

func frontierLink(l crawl.Outlink) frontier.Link {
	f := frontier.Link{URL: l.URL.String(), Depth: l.Depth, Redirects: l.Redirects, Priority: l.Priority, Source: l.Source}
	if !l.Modified.IsZero() {
		f.Modified = l.Modified.Unix()
	}
	return f
}

// mayOwn reports whether a peer may speak for a domain: it is the owner, or
// was until lately, or will be.
func (s *Swarm) mayOwn(peer string, d crawl.Domain) bool {
	if owner, ok := s.net.Owner(d); !ok || owner == peer {
		return true
	}
	return contains(s.net.Heirs(d, nearEnough), peer)
}

// nearEnough is how far from a domain a member may be and still speak for it.
const nearEnough = 4

// refuse counts what a peer should not have said.
func (s *Swarm) refuse(peer, what string, weight int) {
	s.net.Offend(peer, what, weight)
	s.tell(Event{Kind: LiesRefused, Peer: peer, Count: 1})
}
