package swarm

import (
	"context"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
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
	in := incoming{from: from, now: now, moved: make(map[crawl.Domain]string)}
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
		s.sort(&in, &g, lists[i])
	}
	if in.lies > 0 {
		s.refuse(from, "links out of scope", 5)
	}
	if err := s.takeIn(ctx, from, in.taken); err != nil {
		return nil, err
	}
	return wire.Encode(&wire.Taken{Moved: movedList(in.moved)}), nil
}

// incoming are the links of one message.
type incoming struct {
	from  string
	now   time.Time
	taken []frontier.OutLink
	moved map[crawl.Domain]string // domains of others, and whose they are
	lies  int                     // links that no honest member sends
}

// sort sorts the links of a group into those taken and others.
func (s *Swarm) sort(in *incoming, g *wire.LinkGroup, links []crawl.Outlink) {
	date := min(g.Date, in.now.Unix())
	for _, l := range links {
		d := l.URL.Domain()
		if owner, ok := s.net.Owner(d); ok && owner != s.net.Self() {
			in.moved[d] = owner
		} else if s.lies(l.URL) {
			in.lies++
		} else if s.admits(l, in.now) {
			in.taken = append(in.taken, frontier.OutLink{Link: frontierLink(l), From: g.From, Date: date})
		}
	}
}

// takeIn takes links of a peer into the frontier, unless they begin more domains
// than it may.
func (s *Swarm) takeIn(ctx context.Context, from string, links []frontier.OutLink) error {
	if len(links) == 0 {
		return nil
	}
	var domains []crawl.Domain
	seen := make(map[crawl.Domain]bool)
	for i := range links {
		if d := domainOf(links[i].Link.URL); !seen[d] {
			seen[d] = true
			domains = append(domains, d)
		}
	}
	places, err := s.cfg.Frontier.WhereAll(domains)
	if err != nil {
		return err
	}
	begun := 0
	for _, p := range places {
		if p.State == frontier.StateNone {
			begun++
		}
	}
	if begun > 0 && !s.begun.take(ownerOf(from), begun, s.now()) {
		return busy(time.Minute)
	}
	if _, err := s.cfg.Frontier.ProposeSoon(ctx, frontier.Received(links)...); err != nil {
		return busy(2 * time.Second)
	}
	s.tell(Event{Kind: LinksTaken, Peer: from, Domain: domainOf(links[len(links)-1].Link.URL), Count: len(links)})
	return nil
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
	return s.net.InLine(peer, d, s.lineFor(peer))
}

const (
	// nearEnough is how far from a domain a member may be and still speak for it.
	nearEnough = 4
	// nearAmongSome is the same for a member that was out. In a part of the network with a third of the members, one of
	// 650 domains has its owner farther down the line of all; what such a one says of visits is not believed.
	nearAmongSome = 16
)

// refuse counts what a peer should not have said.
func (s *Swarm) refuse(peer, what string, weight int) {
	s.net.Offend(peer, what, weight)
	s.tell(Event{Kind: LiesRefused, Peer: peer, Count: 1})
}
