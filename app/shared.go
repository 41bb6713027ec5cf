package app

import (
	"context"
	"maps"
	"time"

	"github.com/forage-net/forage/crawl"
)

func (n *Node) received() int64 { return n.member.swarm.Taken() }

func (n *Node) returning() int { return n.member.swarm.Waiting() }

// sharedCounts counts what went between members.
func (n *Node) sharedCounts() map[string]int64 {
	counts := make(map[string]int64)
	for kind, c := range n.member.swarm.Counts() {
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

func (n *Node) lookForWork() { n.member.swarm.Look() }

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
	by, err := n.member.swarm.Leased(ctx)
	if err != nil {
		return nil // it rests, or ends
	}
	return by
}
