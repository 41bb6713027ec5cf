package app

import (
	"maps"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

func (n *Node) returning() int { return n.swarm.Waiting() }

// waiting counts what is on its way to other members: outcomes, and pages with links.
func (n *Node) waiting() int64 {
	const enough = 10_000
	links, _ := view(n.frontier, func(tx *storage.Tx) (int, error) { return n.keeper.Undelivered(tx, enough), nil })
	return int64(n.returning() + links)
}

// helping returns the domains that are fetched for others.
func (n *Node) helping() map[crawl.Domain]string {
	others := n.pool.Domains()
	maps.DeleteFunc(others, func(_ crawl.Domain, granter string) bool { return granter == "" })
	return others
}
