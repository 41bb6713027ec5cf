//go:build !items

package app

import (
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/oldswarm"
	"github.com/forage-net/forage/crawl/oldfrontier"
	group "github.com/forage-net/forage/p2p/oldgroup"
	"github.com/forage-net/forage/p2p/wire"
)

// A log that gave way waits for the other one of its owner. Whoever leads that may be gone before both are one.
// When nobody has it any more, this one goes on: with longer gaps, since the other may only be out of sight.

// reclaim lets a log go on that has given way to one that nobody has had for long.
func (l *logs) reclaim(ctx context.Context, g *group.Group) {
	log := g.Log()
	l.mu.Lock()
	y, is := l.yields[log]
	l.mu.Unlock()
	k, ok := g.Machine().(*keptLog)
	if !is || !ok || !k.mute.Load() || time.Since(y.there) < lostLook || time.Since(y.asked) < lostLook {
		return
	}
	y.asked = time.Now()
	if l.isKeptBy(ctx, log, y.epoch, append([]string{y.to}, l.keepersOf(log)...)) {
		y.there = y.asked
	}
	l.mu.Lock()
	if l.yields[log].epoch == y.epoch {
		l.yields[log] = y
	}
	l.mu.Unlock()
	if time.Since(y.there) < l.anewAfter || ctx.Err() != nil {
		return
	}
	if _, err := k.Frontier.Propose(ctx, frontier.Entry{Anew: frontier.BeginAnew([]string{y.to})}); err != nil {
		l.n.log.Warn("A log that had given way cannot go on", "owner", peer.ID(log).String(), "error", err)
		return
	}
	l.stopMerging(log)
	k.mute.Store(false)
	l.n.log.Warn("A log had given way to another that nobody has any more: it goes on; its sites are visited more seldom for now", "owner", peer.ID(log).String())
	l.mu.Lock()
	c := l.copies[log]
	l.mu.Unlock()
	if c != nil {
		l.act(log, c)
		return
	}
	l.n.frontier.Lead()
	l.n.member.swarm.Look()
}

// stopMerging ends that the domains of a log go to another of its owner.
func (l *logs) stopMerging(log string) {
	l.mu.Lock()
	a := l.mergers[log]
	delete(l.mergers, log)
	delete(l.yields, log)
	l.mu.Unlock()
	if a != nil {
		a.end()
		a.wg.Wait()
		l.hub.Close(swarm.FormerName(log))
	}
}

// goesOn reports whether a log that has begun anew gives way to no other of its owner: none is of a higher epoch now.
func (l *logs) goesOn(g *group.Group) bool {
	l.mu.Lock()
	y, is := l.yields[g.Log()]
	l.mu.Unlock()
	if is && g.Epoch().Compare(y.epoch) <= 0 {
		return false
	}
	l.stopMerging(g.Log())
	return true
}

// leftBehind returns the voters of a log that vote in it no more: it gave way to another one, and they have gone over to that; or they
// have ended it, as it seems while this node was away.
func (l *logs) leftBehind(ctx context.Context, s group.Status) map[string]bool {
	yields := l.yieldsTo(s.Log) != ""
	if !yields && s.Log == l.self || !l.asksFor(s.Log) {
		return nil
	}
	list, ended := make(map[string]bool), false
	for _, m := range s.Members {
		if m.Peer == l.self || !m.Voter || !l.isAlive(m.Peer) {
			continue
		}
		answer, err := l.keeping(ctx, m.Peer, s.Log)
		switch {
		case err != nil:
		case !answer.Keeps && s.Log != l.self:
			list[m.Peer], ended = true, true
		case answer.Keeps && yields && epochOf(answer).Compare(s.Epoch) > 0:
			list[m.Peer] = true
		}
	}
	if ended && !l.isAhead(ctx, s, l.keepersOf(s.Log)) {
		return nil
	}
	return list
}

// asksFor reports whether it is time to ask again who keeps a log that nobody leads, and notes that it is done.
func (l *logs) asksFor(log string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.asked[log]) < lostLook {
		return false
	}
	l.asked[log] = time.Now()
	return true
}

func epochOf(k wire.Keeping) group.Epoch { return group.Epoch{Number: k.Epoch, Founder: k.Founder} }

// keepersOf returns who may keep a log beside this node.
func (l *logs) keepersOf(log string) []string {
	list := append([]string{log}, l.n.member.node.Near(log, partnersOf)...)
	return slices.DeleteFunc(append(list, l.keepers.of(log)...), func(p string) bool { return p == l.self })
}

// isKeptBy asks members whether one of them keeps a log in an epoch that is as high.
func (l *logs) isKeptBy(ctx context.Context, log string, e group.Epoch, members []string) bool {
	kept, _ := l.whoKeeps(ctx, log, e, members)
	return kept
}

// whoKeeps asks members whether one of them keeps a log in an epoch that is as high. If none does, silent are those who have not
// answered.
func (l *logs) whoKeeps(ctx context.Context, log string, e group.Epoch, members []string) (kept bool, silent []string) {
	asked := make(map[string]bool)
	for _, p := range members {
		if asked[p] || p == l.self {
			continue
		}
		asked[p] = true
		if !l.isAlive(p) {
			silent = append(silent, p)
			continue
		}
		switch answer, err := l.keeping(ctx, p, log); {
		case err != nil:
			silent = append(silent, p)
		case answer.Keeps && epochOf(answer).Compare(e) >= 0:
			return true, nil
		}
	}
	return false, silent
}

// mayRegain reports whether it is time to make a log for this node, which has none: whose own has ended waits for the other one of its
// that it gave way to; who has lost its store asks when it knows who is there.
func (l *logs) mayRegain() bool {
	away := l.without(l.self)
	if !l.lost.Load() {
		return away >= l.anewAfter
	}
	return l.n.joined.Load() && (l.n.member.node.Alone() || away >= lostLook)
}

// unheardOf returns an epoch for a log of this node that nobody has had.
func (l *logs) unheardOf() group.Epoch {
	return group.Epoch{Number: uint64(max(l.n.clock.Latest().UnixMilli(), 1)), Founder: l.self}
}

// regain makes a log for this node again, if nobody has it any more. Members that do not answer may have it, and are waited for, unless
// that takes too long; who is not there at all is missing then.
func (l *logs) regain(ctx context.Context) {
	if !l.asksFor(l.self) {
		return
	}
	kept, silent := l.whoKeeps(ctx, l.self, group.Epoch{}, l.keepersOf(l.self))
	if kept || ctx.Err() != nil || l.without(l.self) < l.anewAfter && slices.ContainsFunc(silent, l.isAlive) {
		return
	}
	missing := slices.DeleteFunc(slices.Clone(l.keepers.of(l.self)), func(p string) bool { return p == l.self || l.isAlive(p) })
	if l.lost.Load() {
		missing = silent // it does not know who kept it
		if !l.n.member.node.Alone() {
			l.n.member.swarm.Rest(l.n.frontier.LeaseFor() * 11 / 10) // what it lent may be in use
		}
	}
	if _, err := l.groups.CreateWith(l.self, logID, l.n.kept, l.unheardOf(), l.n.kept.beginsWith(frontier.BeginAnew(missing))); err != nil {
		l.n.log.Warn("This node's log cannot be made again", "error", err)
		return
	}
	if l.lost.Load() && len(missing) == 0 {
		l.n.log.Info("The store of this node is new, and nobody else has its log: it begins anew")
		return
	}
	l.n.log.Warn("Nobody has this node's log any more: it begins anew", "missing", len(missing))
}
