package p2p

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/p2p/roster"
)

// maxNews is how many members are told directly that this node rests, or is back;
// gossip reaches the others.
const maxNews = 12

// askFirst is how long a node that is back asks others before it says so: some that it
// asks may rest by now.
const askFirst = 1500 * time.Millisecond

// Rest has the record of this node say that it rests: it is not expected to answer any
// more. It keeps its domains, unless away is set: then it owns none until it is back. The
// record is in the roster on return and goes to who is told of it, as Tell does. A node
// that owns nothing has nothing to say.
func (n *Node) Rest(ctx context.Context, away bool) error {
	n.mu.Lock()
	own := n.own.Load()
	owns := own != nil && own.Capacity > 0
	if owns {
		n.leaving, n.away = roster.StateResting, away
	}
	n.mu.Unlock()
	if !owns {
		return nil
	}
	return n.issue(ctx)
}

// Back has the record of this node say that it is active again, after it has asked
// others what has changed meanwhile. It returns when those nearest have been told, or ctx is done.
func (n *Node) Back(ctx context.Context) error {
	n.mu.Lock()
	n.leaving, n.away = 0, false
	n.mu.Unlock()
	first, cancel := context.WithTimeout(ctx, askFirst)
	n.Tell(first) // what the others know decides about the number of the record, and who is nearest
	cancel()
	select {
	case <-n.joined:
	default:
		return nil // the record comes when it is known who the others are
	}
	if err := n.issue(ctx); err != nil {
		return err
	}
	n.Tell(ctx)
	return ctx.Err()
}

// Tell compares rosters with partners and the nearest members, all at once, until ctx
// is done.
func (n *Node) Tell(ctx context.Context) {
	var list []string
	partners, _ := n.Members.Partners()
	for _, p := range partners {
		list = append(list, string(p))
	}
	for _, p := range n.Members.Neighbours(maxNews) {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	var all sync.WaitGroup
	for _, p := range list[:min(len(list), maxNews)] {
		if !n.Members.Rests(p) {
			all.Go(func() { n.exchange.syncWith(ctx, p) })
		}
	}
	all.Wait()
}

// Record returns this node's sealed record, nil if it has none yet.
func (n *Node) Record() []byte {
	m, ok := n.Members.Roster.Get(n.self)
	if !ok {
		return nil
	}
	return m.Raw
}

// SetSilent makes all calls fail, those under way too, and keeps this node from judging
// others by that; false ends it. What else a host sends is its own affair.
func (n *Node) SetSilent(silent bool) {
	if !silent {
		n.beats.forget()
	}
	n.Requests.SetSilent(silent)
}
