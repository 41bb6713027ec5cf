//go:build !items

package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
)

// enqueue brings a URL into the frontier.
func (n *Node) enqueue(ctx context.Context, u crawl.URL, priority crawl.Priority) error {
	link := frontier.Link{URL: u.String(), Priority: priority}
	return n.proposeOnceLed(ctx, frontier.Entry{Enqueue: &frontier.Enqueue{Links: []frontier.Link{link}}})
}

// enqueueSeeds brings the seeds into the frontier; those it knows stay as they are.
func (n *Node) enqueueSeeds(ctx context.Context) error {
	var links []frontier.Link
	propose := func() error {
		err := n.proposeOnceLed(ctx, frontier.Entry{Enqueue: &frontier.Enqueue{Links: links}})
		links = links[:0]
		return err
	}
	for _, u := range n.opts.Seeds {
		u = n.opts.identity().Of(u)
		if !n.scope.Allows(u, 0) {
			continue
		}
		links = append(links, frontier.Link{URL: u.String(), Priority: crawl.PriorityHigh})
		if len(links) == seedBatch {
			if err := propose(); err != nil {
				return fmt.Errorf("enqueue seeds: %w", err)
			}
		}
	}
	if len(links) > 0 {
		if err := propose(); err != nil {
			return fmt.Errorf("enqueue seeds: %w", err)
		}
	}
	return nil
}

// proposeOnceLed proposes entries when this node leads its log, which may be soon:
// whoever acted for it while it was down gives way.
func (n *Node) proposeOnceLed(ctx context.Context, entries ...frontier.Entry) error {
	for {
		_, err := n.frontier.Propose(ctx, entries...)
		if !errors.Is(err, frontier.ErrNotLed) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(ledLook):
		}
	}
}

// ledLook is how often it is looked whether this node leads its log.
const ledLook = 200 * time.Millisecond
