package app

import (
	"context"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
)

// Visits implements api.Node.
func (n *Node) Visits(_ context.Context, limit int) ([]api.Visit, error) {
	visits := n.pool.Visits(limit)
	list := make([]api.Visit, 0, len(visits))
	for _, v := range visits {
		a := api.Visit{Domain: string(v.Domain), URL: v.URL.String(), Busy: v.Busy, Left: int64(v.Left)}
		if v.Granter != "" {
			a.Owner = peer.ID(v.Granter).String()
		}
		if !v.Busy {
			next := n.clock.Wall(v.At)
			a.Next = &next
		}
		list = append(list, a)
	}
	return list, nil
}
