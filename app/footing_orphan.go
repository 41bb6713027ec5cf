//go:build !items

package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	group "github.com/forage-net/forage/p2p/oldgroup"
)

// adoptOrphan has a log begin anew on a learner: those that had a vote are gone for good,
// as when all members rested and the last to do so never came back; or, while its owner
// rested, the others have ended its log.
func (l *logs) adoptOrphan(ctx context.Context, g *group.Group, s group.Status, away time.Duration, behind map[string]bool) {
	if away >= lostLook && s.Log == l.self && l.isForgotten(ctx, s, false) {
		l.beginForgotten(ctx, g, away)
		return
	}
	if away < l.anewAfter || s.Copying { // who has not got all of it does not know who had a vote
		return
	}
	if missing, others, is := l.orphaned(s, behind); is && l.isAhead(ctx, s, others) {
		l.beginAnew(ctx, g, missing)
	}
}

// orphaned reports whether a log had voters of which none takes part in the network any more, or in the log, who they
// were, and who else has a copy, those before this node in line first.
func (l *logs) orphaned(s group.Status, behind map[string]bool) (missing, others []string, is bool) {
	for _, m := range s.Members {
		switch {
		case m.Peer == l.self:
		case !m.Voter:
			others = append(others, m.Peer)
		case l.n.member.node.Holds(m.Peer) && !behind[m.Peer]:
			return nil, nil, false
		default:
			missing = append(missing, m.Peer)
		}
	}
	return missing, others, len(missing) > 0
}

// isAhead reports whether none of those who have copies of a log knows more of it than this
// node or, if as much, comes before it in line. Who fell silent first knows the least, and may
// not know who had a vote in the end. Of a higher epoch this node hears so.
func (l *logs) isAhead(ctx context.Context, s group.Status, others []string) bool {
	line := l.goal(s.Log)
	place := func(p string) int {
		if i := slices.Index(line, p); i >= 0 {
			return i
		}
		return len(line)
	}
	for _, p := range others {
		if !l.isAlive(p) {
			continue
		}
		answer, err := l.keeping(ctx, p, s.Log)
		if err != nil || !answer.Keeps {
			continue
		}
		theirs := epochOf(answer)
		l.outdate(s.Log, p, theirs)
		if c := cmp.Or(theirs.Compare(s.Epoch), cmp.Compare(answer.Last, s.Last), cmp.Compare(place(l.self), place(p)), cmp.Compare(l.self, p)); c > 0 {
			return false
		}
	}
	return true
}
