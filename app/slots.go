//go:build !items

package app

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/oldswarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/worker"
)

// slots asks the swarm for slots of addresses: it is made after the fetchers.
type slots struct{ node *Node }

// slots returns what asks for slots.
func (n *Node) slots() worker.Slots {
	if n.opts.hurried() && !n.opts.Lab.Slots {
		return nil
	}
	return slots{n}
}

// Take implements worker.Slots.
func (x slots) Take(ctx context.Context, l crawl.Lease, address string) (bool, time.Duration, error) {
	return x.node.member.swarm.TakeSlot(ctx, l, address)
}

// Free implements worker.Slots.
func (x slots) Free(l crawl.Lease, address string, u worker.Use) {
	x.node.member.swarm.FreeSlot(l, address, swarm.SlotUse(u))
}
