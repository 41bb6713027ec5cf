package app

import (
	"time"

	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/storage"
)

// checkBooks compares what the frontier holds with itself.
func (n *Node) checkBooks() error { return n.db.View(n.frontier.Frontier.Check) }

// isSettling reports whether outcomes wait for a commit.
func (n *Node) isSettling() bool { return n.swarm.Waiting() > 0 }

// lookAhead returns how many domains may be visited now, of one that is asked for, and when another may be.
func (n *Node) lookAhead() (due int, next time.Time, err error) {
	p, err := nodeapi.Read(n.frontier, func(tx *storage.Tx) (frontier.Picked, error) {
		return n.frontier.Frontier.Pick(tx, 1, nil)
	})
	return len(p.Due), p.Next, err
}
