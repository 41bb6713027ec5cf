package swarm

import (
	"context"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/crawl/route"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// offerWithin is how long an offer may take to arrive.
const offerWithin = 5 * time.Second

// handleAsk grants leases to a fetcher, and remembers what it would take beside.
func (s *Swarm) handleAsk(ctx context.Context, from string, body []byte) ([]byte, error) {
	ask, err := wire.Decode[wire.Ask](body)
	if err != nil {
		return nil, lie("ask", 20)
	}
	if !s.open.Load() || s.leaving.Load() {
		return nil, busy(5 * time.Second)
	}
	if from != s.net.Self() {
		s.lone.lend(2 * s.cfg.LeaseFor)
	}
	slots := s.credits.reserve(from, int(ask.Slots))
	grants, err := s.grant(ctx, from, slots)
	if err != nil {
		return nil, err
	}
	if leases := grants.Leases; len(leases) > 0 {
		calls.IfLost(ctx, func() { s.takeBack(from, leases) })
	}
	// What its credit does not allow now it may be offered later.
	s.wants.set(from, int(ask.Slots)-len(grants.Leases), ask.Place)
	return wire.Encode(grants), nil
}

// maxGrantBytes bounds the leases of one answer; one alone takes less than half.
const maxGrantBytes = 960 << 10

// grant grants at most slots leases that were reserved for a fetcher. Those that do
// not fit into a message are free again at once.
func (s *Swarm) grant(ctx context.Context, to string, slots int) (*wire.Grants, error) {
	grants := new(wire.Grants)
	var leases []crawl.Lease
	defer func() { s.credits.lent(to, slots, leases) }()
	if slots == 0 {
		return grants, nil
	}
	granted, due, err := s.cfg.Router.GrantTo(ctx, s.holder(to), min(slots, wire.MaxLeases))
	if err != nil {
		return nil, err
	}
	grants.Due = uint32(due)
	var over []frontier.Entry
	room := maxGrantBytes
	for _, l := range granted {
		w := wire.LeaseOf(l)
		if size := len(wire.Encode(&wire.Grants{Leases: []wire.Lease{w}})); size <= room {
			room -= size
			grants.Leases, leases = append(grants.Leases, w), append(leases, l)
		} else {
			over = append(over, frontier.Entry{Release: &frontier.Release{Lease: l.ID, Domain: l.Domain, By: s.holder(to)}})
		}
	}
	if len(over) > 0 {
		grants.Due += uint32(len(over))
		if _, err := s.cfg.Frontier.Propose(ctx, over...); err != nil {
			s.log.Debug("Leases that do not fit into a message will lapse", "leases", len(over), "error", err)
		}
	}
	if len(leases) > 0 {
		s.tell(Event{Kind: LeasesLent, Peer: to, Domain: leases[0].Domain, Domains: len(leases), Count: taskCount(leases)})
	}
	return grants, nil
}

// takeBack ends leases that their fetcher was not told of: it has left before the answer.
func (s *Swarm) takeBack(from string, leases []wire.Lease) {
	over := make([]frontier.Release, len(leases))
	for i, l := range leases {
		over[i] = frontier.Release{Lease: l.ID, Domain: l.Domain, By: s.holder(from)}
		s.credits.back(from, l.ID, false)
	}
	s.cfg.Router.TakeBack(over...)
}

func taskCount(leases []crawl.Lease) (n int) {
	for _, l := range leases {
		n += len(l.Tasks)
	}
	return n
}

// beckonEvery is how often who acts for an owner looks whether fetchers know.
const beckonEvery = 2 * time.Second

// beckon offers work to the nearest members while nobody asks for it: fetchers have
// asked the owner, and left their wishes with it.
func (s *Swarm) beckon(ctx context.Context) error {
	for wait := time.Duration(0); sleep(ctx, wait); wait = beckonEvery {
		if !s.open.Load() || !s.leads() || s.wants.total() > 0 {
			continue
		}
		t, err := s.cfg.Frontier.Totals()
		if err != nil || t.Queued == 0 {
			continue
		}
		for _, peer := range append(s.net.Neighbours(askOwners), s.net.Here()) {
			s.offer(peer, 1)
		}
	}
	return ctx.Err()
}

// Offer implements route.Others.
func (s *Swarm) Offer(due []route.Due) {
	for peer, n := range s.wants.offer(due) {
		s.offer(peer, n)
	}
}

// offer tells a fetcher that it would be granted leases.
func (s *Swarm) offer(peer string, n int) {
	s.wg.Go(func() {
		ctx, cancel := context.WithTimeout(s.life, offerWithin)
		defer cancel()
		if _, err := call[wire.Done](ctx, s, peer, wire.KindOffer, &wire.Offer{Count: uint16(min(n, 1<<15))}); err != nil {
			s.wants.drop(peer)
		}
	})
}
