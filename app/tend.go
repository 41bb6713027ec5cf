//go:build !items

package app

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl/oldfrontier"
	group "github.com/forage-net/forage/p2p/oldgroup"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/roster"
)

const (
	// tendWithin is how long one step of looking after a group may take.
	tendWithin = 5 * time.Second
	// standAside is how much longer each next member in line waits before it stands for
	// election, so that the first is not disturbed.
	standAside = time.Second
	// lastAsk is how long members have to answer before a log begins anew without them.
	lastAsk = 3 * time.Second
	// lostLook is how often it is asked whether a log without a leader is still kept
	// by anybody, and how long it must have been without one.
	lostLook = 10 * time.Second
	// silentLook is how often it is made sure that a silent node has not missed the end of its silence.
	silentLook = time.Minute
)

// tend looks after the groups until ctx is done.
func (l *logs) tend(ctx context.Context) {
	timer := time.NewTimer(l.untilTend())
	defer timer.Stop()
	for leisure := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		timer.Reset(l.untilTend())
		if l.n.foot.isSilent() { // nobody can be asked for anything
			timer.Stop()
			select {
			case <-ctx.Done():
			case <-l.n.foot.speaks():
			case <-time.After(silentLook):
			}
			timer.Reset(l.untilTend())
			continue
		}
		if !l.n.foot.tends() {
			continue
		}
		if leisure = l.n.rests.Load() && !leisure; leisure { // who is not heard any more is all that is urgent
			for _, g := range l.groups.All() {
				if !g.Leads() && !l.isLed(g) {
					l.oneAtATime(ctx, g.Log(), func(ctx context.Context) { l.follow(ctx, g) })
				}
			}
			continue
		}
		var watched []string
		for _, g := range l.groups.All() {
			for _, m := range g.Status().Members {
				watched = append(watched, m.Peer)
			}
			if k, is := g.Machine().(*keptLog); is && g.Leads() { // they are to be heard of
				missing, _ := k.Missing()
				watched = append(watched, missing...)
			} else if !g.Leads() && l.isLed(g) {
				continue
			}
			l.oneAtATime(ctx, g.Log(), func(ctx context.Context) { l.lookAfter(ctx, g) })
		}
		if l.own() != nil {
			l.lost.Store(false)
		} else if l.mayRegain() {
			l.oneAtATime(ctx, l.self, l.regain)
		}
		slices.Sort(watched)
		l.n.member.node.Watch(slices.Compact(watched))
	}
}

// untilTend returns when to look after the groups again. In a simulation all nodes would do so at once, if it were
// with other parts of the node.
func (l *logs) untilTend() time.Duration {
	if l.n.opts.Sim != nil {
		return l.every
	}
	return pulse.Until(l.every)
}

// oneAtATime takes a step of looking after a log, unless one is under way.
func (l *logs) oneAtATime(ctx context.Context, log string, step func(context.Context)) {
	l.mu.Lock()
	busy := l.busy[log]
	l.busy[log] = true
	l.mu.Unlock()
	if busy {
		return
	}
	l.wg.Go(func() {
		within, cancel := context.WithTimeout(ctx, tendWithin)
		defer cancel()
		step(within)
		l.mu.Lock()
		delete(l.busy, log)
		l.mu.Unlock()
	})
}

func (l *logs) lookAfter(ctx context.Context, g *group.Group) {
	if !g.Leads() {
		l.follow(ctx, g)
		return
	}
	l.hasLeader(g.Log())
	if l.isOver(g) {
		l.dissolve(ctx, g)
		return
	}
	if l.isMerged(g) {
		l.merged(ctx, g)
		return
	}
	l.reclaim(ctx, g)
	l.heal(ctx, g)
	if l.spare(ctx, g) {
		return
	}
	goal := l.goal(g.Log())
	if did, err := g.Tend(ctx, goal, l.isAlive, l.hurries(g)); did != "" {
		l.n.log.Debug("Group of a log changed", "owner", peer.ID(g.Log()).String(), "did", did)
	} else if err != nil && ctx.Err() == nil {
		l.n.log.Debug("Group of a log not changed", "owner", peer.ID(g.Log()).String(), "error", err)
	}
}

// spare makes a voter that rests a learner, and reports whether it did: when that one told, this node may not have led the log
// yet, or another change was under way for too long.
func (l *logs) spare(ctx context.Context, g *group.Group) bool {
	for _, m := range g.Status().Members {
		if !m.Voter || m.Peer == l.self || !l.n.member.node.Rests(m.Peer) {
			continue
		}
		err := g.Demote(ctx, m.Peer)
		if err == nil {
			return true
		}
		l.n.log.Debug("A member rests, and its vote is still needed", "owner", peer.ID(g.Log()).String(), "error", err)
	}
	return false
}

// goal returns who should keep a log: its owner and the members nearest to it, the
// preferred leader first.
func (l *logs) goal(log string) []string {
	node := l.n.member.node
	if log == l.self && l.leaving.Load() {
		return []string{log}
	}
	if log == l.self || node.Holds(log) {
		return append([]string{log}, node.Near(log, groupSize-1)...)
	}
	return node.Near(log, groupSize)
}

// leave makes this node one that keeps no log that others need. Its own, from which
// everything has moved, it keeps alone.
func (l *logs) leave(ctx context.Context) {
	l.leaving.Store(true)
	for {
		left := false
		for _, g := range l.groups.All() {
			if g.Log() == l.self {
				left = left || g.Leads() && g.Shared()
				continue
			}
			left = true // until who leads it has found another
			if g.Leads() {
				l.handOver(ctx, g)
			}
		}
		if !left || len(l.n.member.node.Neighbours(1)) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(leaveLook):
		}
	}
}

// leaveLook is how often it is looked whether the others have taken over.
const leaveLook = 100 * time.Millisecond

// handOver makes another member lead a log.
func (l *logs) handOver(ctx context.Context, g *group.Group) {
	for _, m := range g.Status().Members {
		if m.Peer != l.self && m.Voter && l.isAlive(m.Peer) {
			if err := g.Transfer(ctx, m.Peer); err == nil {
				return
			}
		}
	}
}

// count returns how many logs this node leads, how many of them are kept by as many
// members as should, who have everything, and how many others it keeps. It waits for no commit.
func (l *logs) count() (led, whole, copies int64) {
	for _, g := range l.groups.All() {
		if !g.Leads() {
			if g.Log() != l.self {
				copies++
			}
			continue
		}
		led++
		if s := g.Glance(); s.Whole && l.isGoal(s) {
			whole++
		}
	}
	return led, whole, copies
}

// isGoal reports whether those keep a log who should.
func (l *logs) isGoal(s group.Status) bool {
	goal := l.goal(s.Log)
	for _, m := range s.Members {
		if !m.Voter || !slices.Contains(goal, m.Peer) {
			return false
		}
	}
	return len(s.Members) == len(goal)
}

// isAlive reports whether a member answers, as far as this node knows.
func (l *logs) isAlive(p string) bool {
	return p == l.self || !l.n.member.node.Down(p) && l.n.member.node.Holds(p)
}

// hurries reports whether a group must not wait with the next change: one of its
// members is gone for good, or about to leave, or not near to the owner any more.
func (l *logs) hurries(g *group.Group) bool {
	if l.every == hurriedTendEvery {
		return true
	}
	members := g.Status().Members
	near := l.n.member.node.Near(g.Log(), partnersOf)
	for _, m := range members {
		if m.Peer != g.Log() && !slices.Contains(near, m.Peer) {
			return true // whom it leaves the log to must be believed by others
		}
		if state := l.n.member.node.State(m.Peer); m.Peer != l.self && state != roster.StateActive && state != roster.StateResting {
			return true
		}
	}
	return len(members) < groupSize // nothing is safe before there are copies
}

// hasLeader forgets that a log had no leader.
func (l *logs) hasLeader(log string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.away, log)
}

// without returns for how long a log has had no leader.
func (l *logs) without(log string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	since, is := l.away[log]
	if !is {
		since = time.Now()
		l.away[log] = since
	}
	return time.Since(since)
}

// isLed reports whether somebody leads a log who is heard, and notes that.
func (l *logs) isLed(g *group.Group) bool {
	leader, _ := g.Leader()
	led := leader != "" && l.isAlive(leader)
	if led {
		l.hasLeader(g.Log())
	}
	return led
}

// follow makes sure that somebody leads a log that this node keeps.
func (l *logs) follow(ctx context.Context, g *group.Group) {
	if l.isLed(g) {
		return
	}
	log := g.Log()
	if leader, _ := g.Leader(); leader != "" {
		g.LeaderDown()
	}
	status := g.Status()
	away := l.without(log)
	var behind map[string]bool
	if away >= l.anewAfter {
		behind = l.leftBehind(ctx, status)
	}
	if to := l.yieldsTo(log); to != "" { // who goes on with it cannot take it in as it is
		switch {
		case status.Stale: // what it has is less than what that one had when it began
			l.giveUpStale(g)
			return
		case status.Removed && !status.Partial && away >= lostLook:
			l.beginAnew(ctx, g, []string{to})
			return
		case status.Partial && away >= l.anewAfter && log == l.self:
			l.startOver(g)
			return
		case status.Partial && away >= l.anewAfter:
			l.dropped(g)
			return
		}
	}
	if status.Stale && log == l.self {
		l.followStale(ctx, g, status)
		return
	}
	rank, voter := l.rank(status, behind)
	if !voter {
		l.adoptOrphan(ctx, g, status, away, behind)
		return
	}
	if away >= standAside/2+time.Duration(rank)*standAside {
		if err := g.Campaign(); err != nil {
			l.n.log.Debug("Not elected", "owner", peer.ID(log).String(), "error", err)
		}
	}
	if away >= lostLook && log == l.self && l.isForgotten(ctx, status, true) {
		l.beginForgotten(ctx, g, away)
		return
	}
	missing, few := l.missing(status, behind)
	if few && rank == 0 && away >= l.anewAfter && !l.anyAnswers(ctx, missing, log, behind) {
		l.beginAnew(ctx, g, missing)
	}
}

// anyAnswers asks members, but for some, that have not been heard from for a last time: it may be this node that was cut off, and
// is back before it has heard from them.
func (l *logs) anyAnswers(ctx context.Context, members []string, log string, but map[string]bool) bool {
	ctx, cancel := context.WithTimeout(ctx, lastAsk)
	defer cancel()
	var asks sync.WaitGroup
	var answered atomic.Bool
	for _, p := range members {
		if but[p] {
			continue
		}
		asks.Go(func() {
			if _, err := l.keeping(ctx, p, log); err == nil {
				answered.Store(true)
				cancel()
			}
		})
	}
	asks.Wait()
	return answered.Load()
}

// missing returns the voters that do not answer, or are among some others; few says that those that do,
// of whom this node is the first in line, are no majority.
func (l *logs) missing(s group.Status, but map[string]bool) (list []string, few bool) {
	voters := 0
	for _, m := range s.Members {
		if !m.Voter {
			continue
		}
		voters++
		if !l.isAlive(m.Peer) || but[m.Peer] {
			list = append(list, m.Peer)
		}
	}
	return list, voters-len(list) <= voters/2
}

// rank returns how many voters that are alive, but for some, come before this node: the owner and
// those nearest to it. voter is false if this node has no vote.
func (l *logs) rank(s group.Status, but map[string]bool) (rank int, voter bool) {
	var line []string
	for _, m := range s.Members {
		if !m.Voter {
			continue
		}
		if m.Peer == l.self {
			voter = true
		}
		if l.isAlive(m.Peer) && !but[m.Peer] {
			line = append(line, m.Peer)
		}
	}
	for _, p := range l.goal(s.Log) {
		if p == l.self {
			return rank, voter
		}
		if slices.Contains(line, p) {
			rank++
		}
	}
	return rank, voter
}

// beginForgotten begins this node's log anew that the others have ended.
func (l *logs) beginForgotten(ctx context.Context, g *group.Group, away time.Duration) {
	if g.Status().Partial {
		if away >= l.anewAfter {
			l.startOver(g)
		}
		return
	}
	l.n.log.Warn("The partners of this node have ended its log while it was away: it begins anew with what it has")
	l.n.member.swarm.Rest(l.n.frontier.LeaseFor() * 11 / 10) // who has its domains now may have leased them
	var out []string                                         // they may go on with it elsewhere
	for _, m := range g.Status().Members {
		if m.Peer != l.self && l.n.member.node.Out(m.Peer) {
			out = append(out, m.Peer)
		}
	}
	if len(out) > 0 {
		l.beginAnew(ctx, g, out)
		return
	}
	if err := g.BeginAnew(ctx, l.n.kept.beginsWith(frontier.BeginAnew(nil))); err != nil {
		l.n.log.Warn("The log cannot begin anew", "error", err)
	}
}

// startOver drops this node's copy of its own log, which is not complete, while nobody leads it any more: another takes its
// place, made here if nobody else has one.
func (l *logs) startOver(g *group.Group) {
	if l.dropOwn(g) {
		l.n.log.Warn("Nobody leads this node's log any more, and its copy here is not complete: it waits for another, or begins anew with nothing")
	}
}

// dropOwn deletes this node's copy of its own log, and reports whether it could.
func (l *logs) dropOwn(g *group.Group) bool {
	l.remember(g)
	l.stopMerging(l.self)
	if err := g.Drop(); err != nil {
		l.n.log.Warn("A copy of this node's log that is of no use is not deleted yet", "error", err)
		return false
	}
	l.n.kept.mute.Store(false)
	return true
}
