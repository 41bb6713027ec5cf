package p2p

import (
	"context"
	"fmt"
	"time"
)

// saveSoon is the least time between two saves while members are few. Then each one counts: who does not
// remember the only other one takes everything for its own after a crash, and visits sites that the other
// visits.
const saveSoon = time.Second

// watchRoster follows the roster until ctx is done.
func (n *Node) watchRoster(ctx context.Context) {
	changed, cancel := n.Members.Roster.Subscribe()
	defer cancel()
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	save := time.NewTimer(n.cfg.Times.Save)
	defer save.Stop()
	var saved time.Time
	owners := n.Members.Owners()
	for {
		select {
		case <-ctx.Done():
			n.remember()
			return
		case <-save.C:
			saved, owners = time.Now(), n.Members.Owners()
			n.remember()
			save.Reset(n.cfg.Times.Save)
			continue
		case <-changed:
		case <-minute.C:
			n.Members.Roster.Expire(n.cfg.Now())
		}
		n.Members.Refresh()
		if n.Members.Owners() != owners && n.Members.Count() < fewMembers {
			save.Reset(time.Until(saved.Add(saveSoon)))
		}
	}
}

// remember saves the roster.
func (n *Node) remember() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.save(); err != nil {
		n.log.Warn("Members not remembered", "error", err)
	}
}

// save keeps the roster for the next run. n.mu is held.
func (n *Node) save() error {
	if n.cfg.Store == nil {
		return nil
	}
	items := n.Members.Roster.Export()
	if len(n.known) > 0 && len(n.Members.Roster.Members()) <= 1 {
		items = n.known // nobody was met yet
	}
	if err := n.cfg.Store.SaveRoster(items, n.seq); err != nil {
		return fmt.Errorf("save roster: %w", err)
	}
	return nil
}
