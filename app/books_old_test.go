//go:build !items

package app

import (
	"time"

	"github.com/forage-net/forage/crawl"
)

// checkBooks compares what the frontier holds with itself.
func (n *Node) checkBooks() error { return n.frontier.Check() }

// isSettling reports whether outcomes wait for a commit.
func (n *Node) isSettling() bool { return n.frontier.Pending() > 0 }

// lookAhead returns how many domains may be visited now, of one that is asked for, and when another may be.
func (n *Node) lookAhead() (due int, next time.Time, err error) {
	p, err := n.frontier.Pick(1, func(crawl.Domain) bool { return false })
	return len(p.Grants) + len(p.Lapsed), p.Next, err
}
