//go:build !items

package app

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/storage"
)

// maxUnnoted bounds the outcomes and the leases of others that wait for a disk to take note of them.
const maxUnnoted = 1 << 15

// unnoted is what others have for good, and the store does not say so: its disk refused.
type unnoted struct {
	mu       sync.Mutex
	outcomes []crawl.Outcome
	over     []crawl.Lease
}

// settledElsewhere records pages that this node fetched for others, once those
// have them for good, and forgets the leases that are over. What the disk refuses is noted with the next, or within a minute.
func (n *Node) settledElsewhere(outcomes []crawl.Outcome, over []crawl.Lease) {
	u := &n.unnoted
	u.mu.Lock()
	defer u.mu.Unlock()
	outcomes, over = append(u.outcomes, outcomes...), append(u.over, over...)
	u.outcomes, u.over = nil, nil
	if err := n.noteElsewhere(outcomes, over); err != nil {
		// The next start takes those from the archive for which there is no room.
		u.outcomes, u.over = outcomes[max(len(outcomes)-maxUnnoted, 0):], over[max(len(over)-maxUnnoted, 0):]
		for i := range u.outcomes {
			u.outcomes[i].Outlinks = nil // nobody asks for them any more
		}
		n.log.Warn("Pages fetched for others are not in the statistics for now", "pages", len(outcomes), "error", err)
		return
	}
	for _, o := range outcomes {
		n.archivist.settled(o.Task.ID)
		n.owner.tell(o)
	}
}

// noteUnnoted tries again what the disk refused.
func (n *Node) noteUnnoted() {
	u := &n.unnoted
	u.mu.Lock()
	waits := len(u.outcomes)+len(u.over) > 0
	u.mu.Unlock()
	if waits {
		n.settledElsewhere(nil, nil)
	}
}

func (n *Node) noteElsewhere(outcomes []crawl.Outcome, over []crawl.Lease) error {
	return n.db.Update(func(tx *storage.Tx) error {
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
}

// lostElsewhere forgets pages that were fetched for others who will not take
// them. They stay in the archive.
func (n *Node) lostElsewhere(outcomes []crawl.Outcome) {
	for _, o := range outcomes {
		n.archivist.settled(o.Task.ID)
	}
	n.log.Warn("Outcomes were not taken by who owns their site; others will fetch the pages again", "pages", len(outcomes))
}
