//go:build !items

package app

import (
	"cmp"
	"context"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	group "github.com/forage-net/forage/p2p/oldgroup"
)

// isOver reports whether a log is not needed any more: its owner is gone for good,
// and its domains have moved.
func (l *logs) isOver(g *group.Group) bool {
	log := g.Log()
	if log == l.self || l.n.member.node.Holds(log) {
		return false
	}
	l.mu.Lock()
	c := l.copies[log]
	l.mu.Unlock()
	if c == nil {
		return false
	}
	t, err := c.log.Totals()
	return err == nil && t.Domains == 0 && t.Arriving == 0 && t.Outbox == 0
}

// dissolve ends a log: the others give up their copies, and then this node its own.
func (l *logs) dissolve(ctx context.Context, g *group.Group) {
	if err := l.release(ctx, g); err != nil {
		l.n.log.Debug("Member of an ended log not released", "owner", peer.ID(g.Log()).String(), "error", err)
		return
	}
	l.n.log.Info("The log of a member that is gone has ended: its domains have moved", "member", peer.ID(g.Log()).String())
	l.dropped(g)
}

// release removes all other members from a log that ends, those first that do not follow: without their votes the others
// can be removed after them.
func (l *logs) release(ctx context.Context, g *group.Group) error {
	members := g.Status().Members
	slices.SortStableFunc(members, func(a, b group.Member) int {
		switch {
		case a.Active == b.Active:
			return cmp.Compare(a.Matched, b.Matched)
		case b.Active:
			return -1
		}
		return 1
	})
	for _, m := range members {
		if m.Peer == l.self {
			continue
		}
		if err := g.Remove(ctx, m.Peer); err != nil {
			return err
		}
	}
	return nil
}
