//go:build !items

package app

import (
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl/oldfrontier"
	group "github.com/forage-net/forage/p2p/oldgroup"
	"github.com/forage-net/forage/p2p/roster"
)

// A log without the majority of its members stands still: nobody may know what the
// others do. After a while it begins anew with the one that is left. The others may
// have done the same, so every gap is as many times as long as there should be members, until all
// that were missing have been heard of. Who they are is in the log itself.

const (
	// beginAnewAfter is how long a log stands still before it begins anew, and
	// labBeginAnew the same in a lab.
	beginAnewAfter = 30 * time.Minute
	labBeginAnew   = time.Minute
	// healedAfter is how long a missing member must have been out to be waited for no
	// longer.
	healedAfter = 24 * time.Hour
)

// beginAnew lets a log go on with this node alone. Nothing is leased before the log
// itself says so.
func (l *logs) beginAnew(ctx context.Context, g *group.Group, missing []string) {
	k, ok := g.Machine().(*keptLog)
	if !ok {
		return
	}
	owner := peer.ID(g.Log()).String()
	k.mute.Store(true)
	defer func() { k.mute.Store(!l.goesOn(g)) }()
	if err := g.BeginAnew(ctx, k.beginsWith(frontier.BeginAnew(missing))); err != nil {
		l.n.log.Warn("A log cannot begin anew", "owner", owner, "error", err)
		return
	}
	l.n.log.Warn("A log has lost most of those that keep it and begins anew here; its sites are visited more seldom until they are back",
		"owner", owner, "missing", len(missing))
}

// heal ends what beginAnew began once all that were missing have been heard of: they
// keep the log again, have left, are in touch, or have been gone for long.
func (l *logs) heal(ctx context.Context, g *group.Group) {
	k, ok := g.Machine().(*keptLog)
	if !ok {
		return
	}
	log := g.Log()
	missing, err := k.Missing()
	if err != nil || len(missing) == 0 {
		l.forgetMissing(log)
		l.endCare(ctx, k)
		return
	}
	members := g.Status().Members
	for _, p := range missing {
		keeps := slices.ContainsFunc(members, func(m group.Member) bool { return m.Peer == p && m.Voter })
		state := l.n.member.node.State(p)
		gone := state == 0 && l.missingFor(log) >= healedAfter
		if !keeps && state != roster.StateLeft && !gone && !l.isBack(p, log) {
			return
		}
	}
	if _, err := k.Frontier.Propose(ctx, frontier.Entry{Anew: &frontier.Anew{}}); err != nil {
		l.n.log.Debug("A log is whole again, but does not know", "owner", peer.ID(log).String(), "error", err)
		return
	}
	l.n.log.Info("All that were missing when a log began anew have been heard of", "owner", peer.ID(log).String())
}

// endCare has the domains of a log visited as often as others again, once nobody is out who may
// visit them too.
func (l *logs) endCare(ctx context.Context, k *keptLog) {
	if careful, err := k.Careful(); err != nil || !careful || l.n.member.node.AnyOut() {
		return
	}
	if _, err := k.Frontier.Propose(ctx, frontier.Entry{Anew: &frontier.Anew{}}); err != nil {
		l.n.log.Debug("Nobody is missing any more, but a log does not know", "error", err)
	}
}

// missingFor returns for how long this node has known that members of a log are
// missing.
func (l *logs) missingFor(log string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	since, is := l.missed[log]
	if !is {
		since = time.Now()
		l.missed[log] = since
	}
	return time.Since(since)
}

func (l *logs) forgetMissing(log string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.missed, log)
}

// isBack reports whether a member that was missing answers again, and is not one of
// those that are to keep the log.
func (l *logs) isBack(p, log string) bool {
	return l.n.member.node.Heard(p) && l.isAlive(p) && !slices.Contains(l.goal(log), p) && l.n.member.node.State(p) == roster.StateActive
}
