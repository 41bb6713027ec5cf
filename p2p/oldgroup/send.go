package oldgroup

import (
	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
)

// head returns a part for the member with an ID.
func (g *Group) head(to uint64, flags byte) part {
	st := &g.st.state
	if st.copying {
		flags |= flagCopying
	}
	return part{log: g.log, epoch: st.epoch, from: st.id, to: to, flags: flags}
}

// release gives what is to be sent to the links, or to the answer of the call that this
// is part of.
func (g *Group) release() {
	out, notes := g.out, g.notes
	g.out, g.notes = nil, nil
	for _, m := range out {
		g.send(m)
	}
	for _, n := range notes {
		g.put(n.peer, n.part, false)
	}
}

// send sends a message of Raft.
func (g *Group) send(m *pb.Message) {
	to := m.GetTo()
	peer := g.peerOf(to)
	if peer == "" {
		return
	}
	p := g.head(to, 0)
	p.messages = []*pb.Message{m}
	hold := false
	if g.isLeader() && leads(m.GetType()) {
		c := g.contact(to)
		pr, _ := g.progress(to)
		if g.superfluous(m, c, pr) {
			return
		}
		hold = m.GetType() == pb.MsgApp && len(m.GetEntries()) == 0 && pr.State == tracker.StateReplicate
		if m.GetType() == pb.MsgSnap {
			c.pinned, c.pinAt = m.GetSnapshot().GetMetadata().GetIndex(), g.clock
		}
		if pr.IsLearner && pr.Match == 0 && g.leads() && !(g.pendingOf == to && g.pending > g.st.state.applied) {
			p.flags |= flagBegin
		}
		if m.GetType() == pb.MsgApp && c.trim != g.st.state.cut {
			c.trim = g.st.state.cut
			p.flags |= flagTrim
			p.trim = c.trim
		}
	}
	g.put(peer, p, hold)
}

// superfluous reports whether a message to a member says nothing that it needs: a
// heartbeat after entries it has just acknowledged, entries while it copies the state.
func (g *Group) superfluous(m *pb.Message, c *contact, pr tracker.Progress) bool {
	switch m.GetType() {
	case pb.MsgHeartbeat:
		return pr.State == tracker.StateReplicate && pr.Match == g.st.last && g.clock-c.acked < min(spareTicks, g.s.cfg.ElectionTicks-heartbeatTicks) && !g.silence.broken
	case pb.MsgApp:
		return c.copying > 0 && g.clock-c.copying <= 2*heartbeatTicks
	}
	return false
}

// peerOf returns the peer of a member, that of who is in a call to this node if the log
// does not know the member yet.
func (g *Group) peerOf(id uint64) string {
	if m := g.st.state.member(id); m != nil {
		return m.peer
	}
	if g.sinkFor != "" && g.follower.caller == id {
		return g.sinkFor
	}
	return ""
}

// put gives a part to its link.
func (g *Group) put(peer string, p part, hold bool) {
	if g.sink != nil && peer == g.sinkFor && g.sink.size < fullPacket/2 && !hold {
		size := 0
		for _, m := range p.messages {
			size += messageSize(m)
		}
		if size < fullPacket/2 {
			g.sink.put(p)
			return
		}
	}
	l := g.s.link(peer)
	if hold {
		l.hold(p)
	} else {
		l.add(p)
	}
	if !g.later {
		l.kick()
	}
}

// hello asks the other members who leads.
func (g *Group) hello() {
	for _, m := range g.st.state.members {
		if m.id != g.st.state.id {
			g.put(m.peer, g.head(m.id, flagHello), false)
		}
	}
}

// Wake makes the clocks of a quiet group run. It is to be called on the leader when a
// member is there again that was away: if it has lost its disk, only this shows it.
func (g *Group) Wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.usable() != nil {
		return
	}
	g.wake()
	if g.isLeader() {
		g.beatAll()
		g.process()
	}
}

// beatAll makes the leader send heartbeats now, to members that may not know of it.
func (g *Group) beatAll() {
	g.silence.broken = true
	g.beat()
}

// beat makes the leader send heartbeats.
func (g *Group) beat() error {
	return guard(g.logger(), func() {
		// Raft takes a MsgBeat only from what it takes for a part of itself.
		g.rn.Step(&pb.Message{Type: pb.MsgBeat.Enum(), From: new(raft.LocalAppendThread)})
	})
}

// lostTouch tells Raft that packets to a peer did not arrive.
func (g *Group) lostTouch(p *part) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rn == nil || g.closed || p.epoch != g.st.state.epoch || p.from != g.st.state.id || !g.isLeader() {
		return
	}
	if g.status().LeadTransferee == p.to {
		g.endTransfer()
	}
	if g.owed.rd != nil {
		g.owed.now, g.owed.late = true, true // the others may be no majority
	}
	snapshot := false
	for _, m := range p.messages {
		snapshot = snapshot || m.GetType() == pb.MsgSnap
	}
	if err := guard(g.logger(), func() {
		if snapshot {
			g.rn.ReportSnapshot(p.to, raft.SnapshotFailure)
		}
		g.rn.ReportUnreachable(p.to)
	}); err != nil {
		g.fail(err)
		return
	}
	g.process()
}
