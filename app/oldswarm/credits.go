package swarm

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
)

const (
	// firstCredit is how many leases a fetcher may hold that has not brought any
	// home yet, maxCredit how many at most.
	firstCredit = 16
	maxCredit   = 512
	// maxFetchers bounds those that are remembered.
	maxFetchers = 4096
	// idleLimit is how many leases in a row may come to nothing before a fetcher
	// has to wait; each one more doubles the wait, up to idleMost.
	idleLimit = 2 * firstCredit
	idleFirst = time.Second
	idleMost  = 10 * time.Minute
)

// credits remembers how many leases each fetcher may hold. Who takes leases and
// brings nothing home gets fewer, and later: the sites would wait for nothing.
type credits struct {
	now func() time.Time

	mu     sync.Mutex
	byPeer map[string]*credit
}

type credit struct {
	limit    int
	held     map[crawl.LeaseID]struct{}
	reserved int // for leases that are being granted
	idle     int // leases in a row that came to nothing
	notYet   time.Time
}

func newCredits(now func() time.Time) *credits {
	return &credits{now: now, byPeer: make(map[string]*credit)}
}

// of returns what is known of a fetcher, nil if there is no room to remember it.
func (c *credits) of(peer string) *credit {
	x := c.byPeer[peer]
	if x != nil {
		return x
	}
	for other, y := range c.byPeer {
		if len(c.byPeer) < maxFetchers {
			break
		}
		if len(y.held)+y.reserved == 0 && y.limit >= firstCredit && !c.now().Before(y.notYet) {
			delete(c.byPeer, other)
		}
	}
	if len(c.byPeer) >= maxFetchers {
		return nil
	}
	x = &credit{limit: firstCredit, held: make(map[crawl.LeaseID]struct{})}
	c.byPeer[peer] = x
	return x
}

// left returns how many more leases a fetcher may be granted now.
func (c *credits) left(peer string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.of(peer)
	if x == nil || c.now().Before(x.notYet) {
		return 0
	}
	return max(x.limit-len(x.held)-x.reserved, 0)
}

// reserve returns how many leases, of those it would take, a fetcher may be
// granted now. The reservation lasts until lent.
func (c *credits) reserve(peer string, want int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.of(peer)
	if x == nil || c.now().Before(x.notYet) {
		return 0
	}
	n := min(want, max(x.limit-len(x.held)-x.reserved, 0))
	x.reserved += n
	return n
}

// lent notes the leases that a fetcher was granted, and ends the reservation.
func (c *credits) lent(peer string, reserved int, leases []crawl.Lease) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.of(peer)
	if x == nil {
		return
	}
	x.reserved -= reserved
	for _, l := range leases {
		x.held[l.ID] = struct{}{}
	}
}

// back counts a lease that came home, with outcomes or without. One that the
// fetcher does not hold, or not any more, counts for nothing, and back returns false.
func (c *credits) back(peer string, id crawl.LeaseID, worked bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.returned(peer, id)
	switch {
	case x == nil:
	case worked:
		x.limit, x.idle = min(x.limit+1, maxCredit), 0
	default:
		x.idled(c.now())
	}
	return x != nil
}

// lapsed counts a lease that did not come home in time.
func (c *credits) lapsed(peer string, id crawl.LeaseID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x := c.returned(peer, id); x != nil {
		x.limit = max(x.limit/2, 1)
		x.idled(c.now())
	}
}

// forget drops a lease that came home elsewhere.
func (c *credits) forget(peer string, id crawl.LeaseID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returned(peer, id)
}

// keep drops the leases below a number that are not live: they came home, or lapsed, while another member led the log.
func (c *credits) keep(live []crawl.LeaseID, next crawl.LeaseID) {
	is := make(map[crawl.LeaseID]bool, len(live))
	for _, id := range live {
		is[id] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.byPeer {
		for id := range x.held {
			if id < next && !is[id] {
				delete(x.held, id)
			}
		}
	}
}

// returned takes a lease off those a fetcher holds; nil if it does not.
func (c *credits) returned(peer string, id crawl.LeaseID) *credit {
	x := c.byPeer[peer]
	if x == nil {
		return nil
	}
	if _, is := x.held[id]; !is {
		return nil
	}
	delete(x.held, id)
	return x
}

// idled counts a lease that came to nothing.
func (x *credit) idled(now time.Time) {
	if x.idle++; x.idle > idleLimit {
		x.notYet = now.Add(min(idleFirst<<min(x.idle-idleLimit-1, 16), idleMost))
	}
}

// Lapsed implements route.Others.
func (s *Swarm) Lapsed(l frontier.Release) {
	fetcher := l.By
	if fetcher == "" {
		fetcher = s.net.Self()
	} else {
		s.credits.lapsed(fetcher, l.Lease)
	}
	s.log.Debug("Lease was not brought home in time", "domain", l.Domain, "fetcher", peerName(fetcher))
}

// recount counts anew which leases others hold, once this node leads the log again.
func (s *Swarm) recount() {
	live, next, err := s.cfg.Frontier.LeaseNumbers()
	if err != nil {
		s.log.Warn("Leases that others hold are not counted anew", "error", err)
		return
	}
	s.credits.keep(live, next)
}
