package p2p

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/roster"
)

// wasOutFor is how long it is remembered that a member was out: as long as domains that it got in a part of the network
// that this node was cut off from may be on their way.
const wasOutFor = 6 * time.Hour

// returned are the members that were out, and since when they are no more.
type returned struct {
	mu    sync.Mutex
	since map[string]time.Time
}

// noteBack notes which members that were out are there again. old may be nil.
func (n *Node) noteBack(old, now *view) {
	if old == nil || len(old.out) == 0 {
		return
	}
	b := &n.back
	b.mu.Lock()
	defer b.mu.Unlock()
	for p, at := range b.since {
		if time.Since(at) >= wasOutFor {
			delete(b.since, p)
		}
	}
	for _, p := range old.out {
		if !slices.Contains(now.out, p) && n.Member(p) {
			b.since[p] = time.Now()
		}
	}
}

// bare returns the members that are active and own nothing, and of late might have held domains: their logs may still.
// n.refreshing is held.
func (n *Node) bare(old, now *view) (list []string) {
	if old == nil {
		return nil
	}
	for _, m := range old.heirs.Members() {
		if now.ring.Units(m.ID) == 0 {
			n.shed[m.ID] = cmp.Or(n.shed[m.ID], time.Now().UnixNano())
		}
	}
	for p, at := range n.shed {
		m, ok := n.roster.Get(peer.ID(p))
		switch {
		case now.ring.Units(p) > 0 || !ok || time.Since(time.Unix(0, at)) >= wasOutFor:
			delete(n.shed, p)
		case !m.Out && m.State == roster.StateActive:
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

// WasOut reports whether a member was out of late: others had the domains it owned, or it had theirs among those that
// it was cut off with.
func (n *Node) WasOut(p string) bool {
	n.back.mu.Lock()
	defer n.back.mu.Unlock()
	at, is := n.back.since[p]
	return is && time.Since(at) < wasOutFor
}
