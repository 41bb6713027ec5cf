package swarm

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/route"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// maxWants bounds the fetchers that are remembered.
	maxWants = 1024
	// offerFor is how long an offer stands: who has not asked by then is not
	// there, or has found other work.
	offerFor = 5 * time.Second
	// declinedFor is how long a fetcher is not granted a domain that its user
	// does not want visited, maxDeclined bounds how many such are remembered, and
	// a quarter of them those of one fetcher.
	declinedFor = 24 * time.Hour
	maxDeclined = 4096
)

// Want is what a fetcher would take.
type Want struct {
	Peer  string // peer ID bytes
	Slots int    // leases, less those it was offered
	Place string
}

// Choose returns which of the wants, of which there is at least one, gets a
// domain.
type Choose func(d route.Due, wants []Want) int

// ChooseKnown is the Choose of all networks so far: who knows a domain keeps
// it, since it has its robots.txt and connections; else whoever has most room.
func ChooseKnown(d route.Due, wants []Want) int {
	best := 0
	for i, w := range wants {
		if w.Peer == d.Last && d.Last != "" {
			return i
		}
		if w.Slots > wants[best].Slots {
			best = i
		}
	}
	return best
}

// wants remembers which fetchers would take leases.
type wants struct {
	mu     sync.Mutex
	now    func() time.Time
	choose Choose
	// left returns how many leases a fetcher may be granted now, whatever it
	// would take: when some come home, it may be offered more.
	left     func(peer string) int
	byPeer   map[string]*want
	declined map[refusal]time.Time
}

type want struct {
	Want
	until   time.Time
	offered int
	since   time.Time // of the offer
}

// refusal says that a fetcher will not visit a domain.
type refusal struct {
	peer   string
	domain crawl.Domain
}

func newWants(now func() time.Time, choose Choose, left func(peer string) int) *wants {
	return &wants{now: now, choose: choose, left: left, byPeer: make(map[string]*want), declined: make(map[refusal]time.Time)}
}

// set remembers what a fetcher would still take after it asked.
func (w *wants) set(peer string, slots int, place string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slots <= 0 {
		delete(w.byPeer, peer)
		return
	}
	w.expire()
	if len(w.byPeer) < maxWants || w.byPeer[peer] != nil {
		w.byPeer[peer] = &want{Want: Want{Peer: peer, Slots: slots, Place: place}, until: w.now().Add(wire.WantFor)}
	}
}

// has reports whether a fetcher would take leases.
func (w *wants) has(peer string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := w.byPeer[peer]
	return x != nil && w.now().Before(x.until) && x.Slots > x.offered
}

// drop forgets a fetcher that is gone.
func (w *wants) drop(peer string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.byPeer, peer)
}

// total returns how many leases are wanted and not offered.
func (w *wants) total() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expire()
	for _, x := range w.byPeer {
		n += w.room(x)
	}
	return n
}

// room returns how many more leases a fetcher can be offered.
func (w *wants) room(x *want) int { return max(min(x.Slots, w.left(x.Peer))-x.offered, 0) }

// offer divides domains among the fetchers and returns how many each is to be
// offered.
func (w *wants) offer(list []route.Due) map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expire()
	offers := make(map[string]int)
	for _, d := range list {
		free := make([]Want, 0, len(w.byPeer))
		for _, x := range w.byPeer {
			if d.Only && x.Peer != d.Last {
				continue
			}
			if room := w.room(x); room > 0 && !w.declines(x.Peer, d.Domain) {
				free = append(free, Want{Peer: x.Peer, Slots: room, Place: x.Place})
			}
		}
		if len(free) == 0 {
			continue
		}
		peer := free[w.choose(d, free)].Peer
		x := w.byPeer[peer]
		x.offered++
		x.since = w.now()
		offers[peer]++
	}
	return offers
}

// decline remembers that a fetcher will not, or shall not, visit a domain for a
// while.
func (w *wants) decline(peer string, d crawl.Domain, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, own := w.now(), 0
	for other, until := range w.declined {
		if len(w.declined) >= maxDeclined || !now.Before(until) {
			delete(w.declined, other)
		} else if other.peer == peer {
			own++
		}
	}
	if own < maxDeclined/4 {
		w.declined[refusal{peer, d}] = now.Add(wait)
	}
}

// refuses reports whether a fetcher will not visit a domain.
func (w *wants) refuses(peer string, d crawl.Domain) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.declines(peer, d)
}

func (w *wants) declines(peer string, d crawl.Domain) bool {
	until, ok := w.declined[refusal{peer, d}]
	return ok && w.now().Before(until)
}

// expire forgets wants that are over and offers that nobody took up.
func (w *wants) expire() {
	now := w.now()
	for peer, x := range w.byPeer {
		if !now.Before(x.until) {
			delete(w.byPeer, peer)
		} else if x.offered > 0 && now.Sub(x.since) > offerFor {
			x.offered = 0
		}
	}
}
