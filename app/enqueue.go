package app

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
)

// enqueue brings a URL to the leader of its domain. Where that is this node, it waits for no company.
func (n *Node) enqueue(ctx context.Context, u crawl.URL, priority crawl.Priority) error {
	for {
		stored := make(chan bool, 1)
		err := n.driver.Do(ctx, func(g *group.Node) error {
			n.swarm.Seed(g, crawl.Outlink{URL: u, Priority: priority}, func(ok bool) { stored <- ok })
			return nil
		})
		if err == nil && n.driver.Commit(ctx) == nil {
			select {
			case ok := <-stored:
				if ok {
					return nil
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(seedLook):
		}
	}
}

const (
	// seedLook is how long a seed waits that nobody takes.
	seedLook = 200 * time.Millisecond
	// seedsAtOnce is how many seeds are under way.
	seedsAtOnce = 64
)

// enqueueSeeds brings the seeds into the frontier; those it knows stay as they are.
func (n *Node) enqueueSeeds(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	room := make(chan struct{}, seedsAtOnce)
	for _, u := range n.opts.Seeds {
		if u = n.opts.identity().Of(u); !n.scope.Allows(u, 0) {
			continue
		}
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		all.Go(func() {
			_ = n.enqueue(ctx, u, crawl.PriorityHigh)
			<-room
		})
	}
	return nil
}
