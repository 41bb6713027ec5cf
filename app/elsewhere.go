package app

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/storage"
)

// settledElsewhere records pages that this node fetched for others, once those
// have them for good, and forgets the leases that are over.
func (n *Node) settledElsewhere(outcomes []crawl.Outcome, over []crawl.Lease) {
	err := n.db.Update(func(tx *storage.Tx) error {
		if err := n.archivist.commit(tx, outcomes); err != nil {
			return err
		}
		fresh, err := onlyNew(tx, n.member.node.Self(), outcomes, over)
		if err != nil {
			return err
		}
		if err := n.robots.commit(tx); err != nil {
			return err
		}
		if err := forgetHeld(tx, over); err != nil {
			return err
		}
		tx.OnCommit(func() { n.countPages(fresh) })
		return n.stats.count(tx, time.Now(), frontier.Committed{Outcomes: fresh})
	})
	if err != nil {
		n.log.Warn("Pages fetched for others are not in the statistics", "pages", len(outcomes), "error", err)
		return
	}
	for _, o := range outcomes {
		n.archivist.settled(o.Task.ID)
		n.owner.tell(o)
	}
}

// lostElsewhere forgets pages that were fetched for others who will not take
// them. They stay in the archive.
func (n *Node) lostElsewhere(outcomes []crawl.Outcome) {
	for _, o := range outcomes {
		n.archivist.settled(o.Task.ID)
	}
	n.log.Warn("Outcomes were not taken by who owns their site; others will fetch the pages again", "pages", len(outcomes))
}
