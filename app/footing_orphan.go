package app

import (
	"context"
	"time"

	"github.com/forage-net/forage/p2p/group"
)

// adoptOrphan has a log begin anew on a learner: those that had a vote are gone for good,
// as when all members rested and the last to do so never came back; or, while its owner
// rested, the others have ended its log.
func (l *logs) adoptOrphan(ctx context.Context, g *group.Group, s group.Status, away time.Duration) {
	if away >= lostLook && s.Log == l.self && l.isForgotten(ctx, s, false) {
		l.beginForgotten(ctx, g)
		return
	}
	if missing, is := l.orphaned(s); is && away >= l.anewAfter {
		l.beginAnew(ctx, g, missing)
	}
}

// orphaned reports whether no voter of a log takes part in the network any more and this
// node is the first in line of those that have a copy, and who the voters were.
func (l *logs) orphaned(s group.Status) (missing []string, is bool) {
	copied := make(map[string]bool)
	for _, m := range s.Members {
		switch {
		case !m.Voter:
			copied[m.Peer] = true
		case l.n.member.node.Holds(m.Peer):
			return nil, false
		default:
			missing = append(missing, m.Peer)
		}
	}
	for _, p := range l.goal(s.Log) {
		if copied[p] && l.isAlive(p) {
			return missing, p == l.self
		}
	}
	return nil, false
}
