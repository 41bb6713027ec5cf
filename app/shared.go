package app

import (
	"context"
	"maps"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

func (n *Node) received() int64 { return n.swarm.Taken() }

func (n *Node) returning() int { return n.swarm.Waiting() }

// waiting counts what is on its way to other members: outcomes, and pages with links.
func (n *Node) waiting() int64 {
	const enough = 10_000
	links, _ := view(n.frontier, func(tx *storage.Tx) (int, error) { return n.keeper.Undelivered(tx, enough), nil })
	return int64(n.returning() + links)
}

// sharedCounts counts what went between members.
func (n *Node) sharedCounts() map[string]int64 {
	counts := make(map[string]int64)
	for kind, c := range n.swarm.Counts() {
		counts[string(kind)] = c
	}
	return counts
}

// lent counts the leases that others have of this node.
func (n *Node) lent() map[string]int {
	lent := make(map[string]int)
	for _, by := range n.leased() {
		lent[string(by)]++
	}
	return lent
}

// helping returns the domains that are fetched for others.
func (n *Node) helping() map[crawl.Domain]string {
	others := n.pool.Domains()
	maps.DeleteFunc(others, func(_ crawl.Domain, granter string) bool { return granter == "" })
	return others
}

// leased returns who fetches the domains that this node keeps, as far as anybody does.
func (n *Node) leased() map[crawl.Domain]crawl.PeerID {
	if !n.joined.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	by, err := n.swarm.Leased(ctx)
	if err != nil {
		return nil // it rests, or ends
	}
	return by
}
