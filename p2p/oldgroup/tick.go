package oldgroup

import (
	"go.etcd.io/raft/v3"
)

// copyTicks is for how many ticks a member that copies may ask for nothing before the
// leader tries again to give it entries.
const copyTicks = 90

// tick is called every Config.Tick.
func (g *Group) tick() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.st.state.removed || g.unsure() {
		return
	}
	if g.st.state.stale {
		g.tickStale()
		return
	}
	g.later = true
	defer func() { g.later = false }()
	if err := g.usable(); err != nil {
		g.logger().Error("Log cannot be read", "err", err)
		return
	}
	if g.silence.quiet || g.st.state.alone() && g.isLeader() {
		return
	}
	g.clock++
	g.follower.silent++
	if g.st.state.copying {
		g.tickCopy()
		return
	}
	if err := guard(g.logger(), g.rn.Tick); err != nil {
		g.fail(err)
		return
	}
	g.tickElection()
	if g.rn == nil || g.process() != nil {
		return
	}
	g.tickCopies()
	g.tickQuiet()
	if !g.isLeader() && g.follower.silent%g.s.cfg.ElectionTicks == 0 {
		// A learner stands for no election; it may have been removed.
		g.hello()
	}
}

// tickCopy is the tick of a member that copies: it must not stand for election, but
// notices when its leader is gone.
func (g *Group) tickCopy() {
	silent := g.follower.silent
	if silent >= g.s.cfg.ElectionTicks && g.status().Lead != raft.None {
		g.forgetLeader()
		g.process()
	}
	if silent%heartbeatTicks == 0 {
		g.hello()
	}
}

// tickCopies gives up on members that began to copy and ask for nothing any more.
func (g *Group) tickCopies() {
	for id, c := range g.members {
		g.unpin(id)
		if c.pinned > 0 && g.isLeader() && g.clock-c.pinAt > copyTicks {
			c.pinned = 0
			if err := guard(g.logger(), func() { g.rn.ReportSnapshot(id, raft.SnapshotFailure) }); err != nil {
				g.fail(err)
				return
			}
		}
	}
}
