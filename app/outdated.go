//go:build !items

package app

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/oldswarm"
	"github.com/forage-net/forage/crawl"
	group "github.com/forage-net/forage/p2p/oldgroup"
)

// When both parts of a divided group have gone on, there are two logs of one owner
// after they meet. The one of the lower epoch grants and takes nothing more: its domains move to the
// other like those of any former owner, and then it ends.

// yielding is a log that gives way to another one of the same owner.
type yielding struct {
	epoch group.Epoch // of the other one
	to    string      // who was heard from last that leads it
	asked time.Time   // when others were asked for it last
	there time.Time   // when somebody had it
}

// outdate hears from a peer that there is a higher epoch of a log than the one kept here. It is believed
// of those that may keep the log, or have kept it.
func (l *logs) outdate(log, from string, e group.Epoch) {
	g := l.groups.Get(log)
	if g == nil || g.Epoch().Compare(e) >= 0 || !l.speaks(log, from) {
		return
	}
	l.mu.Lock()
	higher := l.yields[log].epoch.Compare(e) > 0
	if !higher {
		l.yields[log] = yielding{epoch: e, to: from, asked: l.yields[log].asked, there: time.Now()}
	}
	l.mu.Unlock()
	if higher {
		return
	}
	k, ok := g.Machine().(*keptLog)
	if !ok || k.mute.Swap(true) {
		return
	}
	l.n.log.Info("A log was carried on elsewhere too: what is only here moves there", "owner", peer.ID(log).String())
	l.mu.Lock()
	c := l.copies[log]
	if l.mergers[log] == nil && l.life != nil {
		l.mergers[log] = l.merge(log, k, g)
	}
	l.mu.Unlock()
	if c != nil {
		c.stopActing()
	}
}

// merge carries the domains of a log to the other log of its owner, under a name of
// its own. l.mu is held.
func (l *logs) merge(log string, k *keptLog, g *group.Group) *acting {
	n := l.n
	a := new(acting)
	a.swarm = swarm.New(swarm.Config{
		Net: l.hub.Seat(swarm.FormerName(log), g.Leads), Frontier: k.Frontier, Scope: n.scope, Now: n.clock.Now,
		Hurry: n.opts.hurried(), LeaseFor: n.frontier.LeaseFor(), Leaderless: l.anewAfter, Sync: n.syncArchive, Tell: n.tellSwarm, Log: n.log, Leads: g.Leads, Counts: n.member.swarm.Tally(),
		Settled: func([]crawl.Outcome, []crawl.Lease) {}, Lost: func([]crawl.Outcome) {}, Keep: func([]crawl.Lease) error { return nil },
	})
	var ctx context.Context
	ctx, a.end = context.WithCancel(l.life)
	a.wg.Go(func() { a.swarm.Serve(ctx) })
	a.swarm.Open()
	return a
}

// isMerged reports whether nothing is left in a log that was carried on elsewhere.
func (l *logs) isMerged(g *group.Group) bool {
	k, ok := g.Machine().(*keptLog)
	if !ok || !k.mute.Load() {
		return false
	}
	l.mu.Lock()
	merging := l.mergers[g.Log()] != nil
	l.mu.Unlock()
	t, err := k.Totals()
	return merging && err == nil && t.Domains == 0 && t.Arriving == 0 && t.Outbox == 0
}

// merged ends such a log; the other one takes its place here if it is to.
func (l *logs) merged(ctx context.Context, g *group.Group) {
	log := g.Log()
	if err := l.release(ctx, g); err != nil {
		l.n.log.Debug("Member of a log that gave way not released", "owner", peer.ID(log).String(), "error", err)
		return
	}
	l.remember(g)
	l.stopMerging(log)
	l.n.log.Info("Two logs of one owner are one again", "owner", peer.ID(log).String())
	if log != l.self {
		l.dropped(g)
		return
	}
	if err := g.Drop(); err != nil {
		l.n.log.Warn("A log that has ended is not deleted yet", "error", err)
		return
	}
	l.n.kept.mute.Store(false)
}
