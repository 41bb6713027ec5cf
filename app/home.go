package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// homecoming are outcomes that are where they belong, and not in the statistics yet.
type homecoming struct {
	node *Node
	mu   sync.Mutex
	list []crawl.Outcome
}

func (h *homecoming) add(outcomes []crawl.Outcome) {
	h.mu.Lock()
	h.list = append(h.list, outcomes...)
	h.mu.Unlock()
	h.node.driver.CommitSoon()
}

// commit writes what belongs into the transaction that makes them durable here.
func (h *homecoming) commit(tx *storage.Tx) error {
	n := h.node
	h.mu.Lock()
	list := slices.Clone(h.list)
	h.mu.Unlock()
	if err := n.archivist.commit(tx, list); err != nil {
		return err
	}
	if err := n.robots.commit(tx); err != nil {
		return err
	}
	if err := n.arbiter.commit(tx); err != nil {
		return err
	}
	if err := saveClock(tx, n.clock); err != nil {
		return err
	}
	tx.OnCommit(func() {
		h.mu.Lock()
		h.list = slices.Delete(h.list, 0, len(list))
		h.mu.Unlock()
		for _, o := range list {
			n.archivist.settled(o.Task.ID)
			n.owner.tell(o)
		}
		n.countPages(list)
	})
	found := n.member.swarm.TakeFound()
	return n.stats.count(tx, time.Now(), committed{Outcomes: list, Found: found.URLs, Domains: found.Domains})
}

// Settle implements worker.Owner.
func (w *owner) Settle(ctx context.Context, o crawl.Outcome) error {
	w.observe(&o)
	w.node.noteOwn(o.Domain, o.Received, o.Sent)
	return w.node.member.swarm.Settle(ctx, o)
}

// Release implements worker.Owner.
func (w *owner) Release(ctx context.Context, l crawl.Lease) error {
	return w.node.member.swarm.Release(ctx, l)
}
