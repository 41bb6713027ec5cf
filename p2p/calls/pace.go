package calls

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/libp2p/go-libp2p/core/peer"
	"golang.org/x/time/rate"
)

// paces keep this node within what peers allow it (Spec.Rate): it may speak to one for many logs, each of which has its
// own reasons to ask and knows nothing of the others.
type paces struct {
	mu    sync.Mutex
	peers *simplelru.LRU[peer.ID, map[Kind]*rate.Limiter]
}

func newPaces() *paces {
	return &paces{peers: newRecent[map[Kind]*rate.Limiter]()}
}

// maxPace is how long a caller waits for its turn at most. It may hold one of the few handlers that another peer waits
// for.
const maxPace = time.Second

// wait waits until one more request of a kind may be sent to a peer. If that is more than maxPace, or half the time
// that ctx has left, it returns at once, a *Busy.
func (p *paces) wait(ctx context.Context, to peer.ID, kind Kind, spec *Spec) error {
	now := time.Now()
	turn := p.reserve(now, to, kind, spec)
	wait := turn.DelayFrom(now)
	if wait <= 0 {
		return nil
	}
	most := maxPace
	if end, is := ctx.Deadline(); is {
		most = min(most, end.Sub(now)/2) // the rest is for the answer
	}
	if wait > most {
		turn.CancelAt(now)
		return &Busy{After: wait}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		turn.Cancel()
		return ctx.Err()
	}
}

func (p *paces) reserve(now time.Time, to peer.ID, kind Kind, spec *Spec) *rate.Reservation {
	p.mu.Lock()
	defer p.mu.Unlock()
	kinds, is := p.peers.Get(to)
	if !is {
		kinds = make(map[Kind]*rate.Limiter)
		p.peers.Add(to, kinds)
	}
	l := kinds[kind]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(spec.Rate), spec.Burst)
		kinds[kind] = l
	}
	return l.ReserveN(now, 1)
}
