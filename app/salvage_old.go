//go:build !items

package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/storage/warc"
)

// recover settles what an earlier run fetched and could not settle: it reads
// the archive from the checkpoint on and takes outcomes and outlinks from the
// records, so that nothing is requested a second time. Then it gives back the
// leases that run held, those that others granted too.
func (n *Node) recover(ctx context.Context) error {
	leases, err := n.frontier.Leases()
	if err != nil {
		return fmt.Errorf("read leases: %w", err)
	}
	leases = slices.DeleteFunc(leases, func(l frontier.LiveLease) bool { return l.Holder != "" }) // others work on
	held, err := n.heldLeases()
	if err != nil {
		return fmt.Errorf("read leases of others: %w", err)
	}
	if err := n.tidyAtStart(held); err != nil {
		return fmt.Errorf("forget what is counted: %w", err)
	}
	if len(leases)+len(held) == 0 {
		return nil
	}
	open := make(map[string]crawl.Outcome)
	if n.frontier.Shared() {
		if held, err = n.asHeld(leases, held); err != nil {
			return fmt.Errorf("read leases: %w", err)
		}
		leases = nil
	}
	for _, l := range held {
		for i, t := range l.Tasks {
			if !t.URL.IsZero() {
				open[t.URL.String()] = crawl.Outcome{Lease: l.ID, Domain: l.Domain, Granter: l.Granter, Index: i, Task: t}
			}
		}
	}
	for _, l := range leases {
		for _, t := range l.Tasks {
			open[t.URL.String()] = crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: t}
		}
	}
	found, err := n.settleFromArchive(ctx, open)
	if err != nil {
		return err
	}
	for _, l := range held {
		for _, t := range l.Tasks {
			if !t.URL.IsZero() {
				_, rules, _ := n.rules.Get(n.clock.Latest(), t.URL.Origin())
				l.CrawlDelay = rules.CrawlDelay()
				break
			}
		}
		n.member.swarm.Release(l)
	}
	entries := make([]frontier.Entry, len(leases))
	for i, l := range leases {
		entries[i].Release = &frontier.Release{Lease: l.ID, Domain: l.Domain}
		if len(l.Tasks) > 0 { // a request may have been under way
			_, rules, _ := n.rules.Get(n.clock.Latest(), l.Tasks[0].URL.Origin())
			entries[i].Release.CrawlDelay = rules.CrawlDelay()
		}
	}
	if len(entries) > 0 {
		if _, err := n.frontier.Propose(ctx, entries...); err != nil {
			return fmt.Errorf("give leases back: %w", err)
		}
	}
	n.log.Info("Recovered from an interrupted run", "leases", len(leases)+len(held), "pages_from_archive", found)
	return nil
}

// asHeld adds this node's own leases to those of others: its log is kept by others
// too, and whoever leads it now is to be told. Tasks that are settled have no URL.
func (n *Node) asHeld(own []frontier.LiveLease, held []crawl.Lease) ([]crawl.Lease, error) {
	for _, l := range own {
		granted, ok, err := n.frontier.Leased(l.ID, l.Domain)
		if err != nil {
			return nil, err
		}
		if ok {
			held = append(held, crawl.Lease{ID: l.ID, Domain: l.Domain, Granter: n.member.node.Self(), Tasks: granted.Tasks})
		}
	}
	return held, nil
}

func (n *Node) settleFromArchive(ctx context.Context, open map[string]crawl.Outcome) (found int, err error) {
	from, err := n.archivist.start()
	if err != nil {
		return 0, err
	}
	err = warc.Scan(n.opts.Paths.WARC(), from, func(c warc.StoredCapture) error {
		claim, ok := open[c.URL]
		if len(c.Metadata) == 0 { // no answer to a task
			return nil
		}
		if !ok || number(c.Metadata, fieldAttempt) != int(claim.Task.Attempts) || isOfPrior(c, claim.Task.Prior) {
			return nil // settled, or an attempt or an earlier visit that is
		}
		o, err := n.outcomeOf(c, claim)
		if err != nil {
			n.log.Warn("Record in the archive cannot be used; the page will be fetched again", "url", c.URL, "error", err)
			return nil
		}
		delete(open, c.URL)
		if o.Granter != "" && !n.member.swarm.SettleAtStart(o) {
			n.log.Warn("More was fetched for others than can be told of at once; the page will be fetched again", "url", c.URL)
			return nil
		}
		found++
		n.archivist.note(n.archivist.begin(), c.Position, c.Capture, &o)
		if o.Granter != "" {
			return nil
		}
		return n.owner.settle(ctx, o)
	})
	if errors.Is(err, warc.ErrTorn) || errors.Is(err, warc.ErrFormat) {
		n.log.Warn("Archive is damaged; what could not be read will be fetched again", "error", err)
		err = nil
	}
	return found, err
}

// Settle implements worker.Owner.
func (w *owner) Settle(ctx context.Context, o crawl.Outcome) error {
	w.observe(&o)
	w.node.noteOwn(o.Domain, o.Received, o.Sent)
	if o.Granter != "" {
		return w.node.member.swarm.Settle(ctx, o)
	}
	return w.settle(ctx, o)
}

// settle is Settle for what an earlier run fetched.
func (w *owner) settle(ctx context.Context, o crawl.Outcome) error {
	return w.node.frontier.Settle(ctx, o, func(a frontier.Applied, err error) {
		if errors.Is(err, frontier.ErrNotLed) { // who acts for this node is told as anybody's owner is
			o.Granter = w.node.member.node.Self()
			w.node.member.swarm.Forward(o)
			return
		}
		w.archivist.settled(o.Task.ID)
		if a.Settled {
			w.tell(o)
		}
	})
}

// Release implements worker.Owner.
func (w *owner) Release(ctx context.Context, l crawl.Lease) error {
	if l.Granter != "" {
		w.node.member.swarm.Release(l)
		return nil
	}
	return w.node.frontier.Release(ctx, l, func(err error) {
		if errors.Is(err, frontier.ErrNotLed) {
			l.Granter = w.node.member.node.Self()
			w.node.member.swarm.Release(l)
		}
	})
}
