package swarm

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/route"
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
	slots := min(int(ask.Slots), s.credits.left(from))
	var grants wire.Grants
	if slots > 0 {
		leases, due, err := s.cfg.Router.GrantTo(ctx, from, min(slots, wire.MaxLeases))
		if err != nil {
			return nil, err
		}
		s.credits.lent(from, len(leases))
		grants.Due = uint32(due)
		for _, l := range leases {
			grants.Leases = append(grants.Leases, wire.LeaseOf(l))
		}
		if len(leases) > 0 {
			s.tell(Event{Kind: LeasesLent, Peer: from, Domain: leases[0].Domain, Domains: len(leases), Count: taskCount(leases)})
		}
	}
	s.wants.set(from, slots-len(grants.Leases), ask.Place)
	return wire.Encode(&grants), nil
}

func taskCount(leases []crawl.Lease) (n int) {
	for _, l := range leases {
		n += len(l.Tasks)
	}
	return n
}

// Offer implements route.Others.
func (s *Swarm) Offer(due []route.Due) {
	for peer, n := range s.wants.offer(due) {
		s.wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), offerWithin)
			defer cancel()
			if _, err := call[wire.Done](ctx, s, peer, wire.KindOffer, &wire.Offer{Count: uint16(min(n, 1<<15))}); err != nil {
				s.wants.drop(peer)
			}
		})
	}
}

const (
	// firstCredit is how many leases a fetcher may hold that has not brought any
	// home yet, maxCredit how many at most.
	firstCredit = 16
	maxCredit   = 512
	// maxFetchers bounds those that are remembered.
	maxFetchers = 4096
)

// credits remembers how many leases each fetcher may hold. Who takes leases and
// brings nothing home gets fewer: the site would wait for nothing.
type credits struct {
	mu     sync.Mutex
	byPeer map[string]*credit
}

type credit struct{ limit, held int }

func newCredits() *credits { return &credits{byPeer: make(map[string]*credit)} }

func (c *credits) of(peer string) *credit {
	x := c.byPeer[peer]
	if x == nil {
		for other, y := range c.byPeer {
			if len(c.byPeer) < maxFetchers {
				break
			}
			if y.held <= 0 {
				delete(c.byPeer, other)
			}
		}
		x = &credit{limit: firstCredit}
		c.byPeer[peer] = x
	}
	return x
}

// left returns how many more leases a fetcher may be granted.
func (c *credits) left(peer string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.of(peer)
	return max(x.limit-x.held, 0)
}

func (c *credits) lent(peer string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(peer).held += n
}

// back counts a lease that came home, with outcomes or without.
func (c *credits) back(peer string, worked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.of(peer)
	x.held = max(x.held-1, 0)
	if worked {
		x.limit = min(x.limit+1, maxCredit)
	}
}

// Lapsed counts a lease that did not come home in time.
func (s *Swarm) Lapsed(fetcher string) { s.credits.lapsed(fetcher) }

func (c *credits) lapsed(peer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.of(peer)
	x.held = max(x.held-1, 0)
	x.limit = max(x.limit/2, 1)
}
