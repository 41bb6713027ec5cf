package oldgroup

import (
	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/storage"
)

// following is what a member knows as one that does not lead.
type following struct {
	trim   uint64 // the leader has dropped the entries up to here
	caller uint64 // member whose packet is being worked on
	silent int    // ticks since a leader was heard from
	guest  string // the peer that was listened to last of those the log does not know
	// arrived is set when the state was copied, until the leader sends entries: it may
	// not have heard of it.
	arrived bool
	pull    pulling
}

// receive works on what a peer sent of a log; what it is told goes to answer.
func (s *Groups) receive(from string, p *part, answer *outbox) {
	g := s.Get(p.log)
	if g == nil {
		if g = s.begin(from, p, answer); g == nil {
			return
		}
	}
	if g.receive(from, p, answer, false) {
		return
	}
	// It depends on whether the peer may be a member of which the log tells nothing yet;
	// Config.Admit is asked without locks.
	bucket, m, ok := s.admit(p.log, from)
	if !ok || bucket != g.bucket {
		return
	}
	if err := g.beginAgain(from, p, m); err != nil {
		g.logger().Warn("Copy of log not begun again", "err", err)
		return
	}
	g.receive(from, p, answer, true)
}

// receive works on a part. It reports false, having done nothing, if it must be known
// first whether the peer is admitted.
func (g *Group) receive(from string, p *part, answer *outbox, admitted bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return true
	}
	g.sink, g.sinkFor, g.follower.caller = answer, from, p.from
	defer func() { g.sink, g.sinkFor, g.follower.caller = nil, "", 0 }()
	st := &g.st.state
	if c := p.epoch.Compare(st.epoch); c != 0 {
		if c > 0 {
			g.s.events.higher(g.log, from, p.epoch)
		} else if p.flags&^flagBegin != 0 || len(p.messages) > 0 {
			g.put(from, g.head(p.from, 0), false) // so that it learns of this one
		}
		return true
	}
	switch {
	case p.to < st.id:
		return true
	case p.to > st.id:
		if p.flags&flagBegin != 0 && begins(p) != nil {
			return admitted
		}
		lost := part{log: p.log, epoch: p.epoch, from: p.to, to: p.from, flags: flagLost}
		if len(p.messages) > 0 {
			g.put(from, lost, false)
		}
		return true
	}
	if st.stale {
		g.receiveStale(from, p)
		return true
	}
	if g.usable() != nil {
		return true
	}
	if m := st.member(p.from); m == nil && p.from >= st.next {
		if !admitted {
			return false
		}
		// Its own leader may be one that joined while it was away.
		if leads := g.status().Lead == p.from && g.follower.guest == from; !leads && g.occupied() {
			return true
		}
		g.follower.guest = from
	} else if m == nil && p.from != 0 {
		g.put(from, g.head(p.from, flagGone), false)
		return true
	} else if m == nil || m.peer != from || m.id == st.id {
		return true
	}
	g.take(p)
	return true
}

// occupied reports whether this member leads or follows a leader: then it has no ear
// for peers that the log does not know as members. If it does so without reason, its
// clock will show it.
func (g *Group) occupied() bool {
	if g.rn == nil || len(g.st.state.members) == 0 {
		return false
	}
	if g.isLeader() {
		return true
	}
	if g.status().Lead == raft.None || g.follower.silent >= g.s.cfg.ElectionTicks {
		return false
	}
	g.silence.quiet = false
	return true
}

// take works on a part of a member.
func (g *Group) take(p *part) {
	st := &g.st.state
	if p.flags&flagGone != 0 {
		if known := st.member(p.from) != nil; !st.soleVoter() && (known || len(st.members) == 0) {
			g.leave()
		}
		return
	}
	g.hear(p)
	if p.flags&flagHello != 0 {
		g.greet(p.from)
	}
	if p.flags&flagTrim != 0 && p.from == g.status().Lead {
		g.follower.trim = p.trim
	}
	for _, m := range p.messages {
		if m.GetType() == pb.MsgTimeoutNow && g.process() != nil {
			break // it stands for election at once, and must have applied what it knows to be committed
		}
		if err := g.step(m); err != nil {
			g.logger().Warn("Message of a member refused", "member", p.from, "err", err)
			g.fail(err)
			break
		}
		if st.stale {
			return
		}
	}
	g.process()
	if p.flags&flagQuiet != 0 {
		g.takeQuiet(p)
	}
	if st.copying && g.rn != nil && g.status().Lead != raft.None {
		g.pull(g.leaderOr(p))
	}
}

// leaderOr returns the peer that leads: of a member that the log does not know yet it
// is who has just sent a part.
func (g *Group) leaderOr(p *part) string {
	if peer := g.leaderPeer(); peer != "" || g.status().Lead != p.from {
		return peer
	}
	return g.sinkFor
}

// hear notes that a member is there.
func (g *Group) hear(p *part) {
	if g.st.state.member(p.from) != nil {
		c := g.contact(p.from)
		c.heard, c.copying = g.clock, 0
		if c.lost = p.flags&flagLost != 0; c.lost {
			g.wokenBy(p.from) // it counts no more
			return
		}
		if p.flags&flagCopying != 0 {
			c.copying = max(g.clock, 1)
		}
	}
	if p.flags&flagQuiet == 0 {
		g.wokenBy(p.from)
	}
}

// step gives a message to Raft, if it may have it.
func (g *Group) step(m *pb.Message) error {
	st := &g.st.state
	if leads(m.GetType()) {
		g.follower.silent = 0
	}
	if m.GetType() == pb.MsgApp {
		g.follower.arrived = false
	}
	switch t := m.GetType(); {
	case st.soleVoter() && !st.copying && (leads(t) || t == pb.MsgVote || t == pb.MsgPreVote):
		return nil // nobody else can lead
	case t == pb.MsgTimeoutNow && m.GetFrom() != g.status().Lead:
		return nil
	case t == pb.MsgVote || t == pb.MsgPreVote:
		if now := g.status(); m.GetFrom() == now.Lead && m.GetTerm() > now.GetTerm() && !g.isLeader() {
			g.forgetLeader() // who stands for election leads no more: it has restarted, and its hello was lost
		}
		g.plead(m)
	case st.copying && leads(t):
		// It takes part in elections, but no entries.
		return g.stepRaft(&pb.Message{Type: pb.MsgHeartbeat.Enum(), From: m.From, To: m.To, Term: m.Term, Commit: new(uint64(0))})
	case st.copying:
		return nil
	case t == pb.MsgSnap:
		return g.takeSnapshot(m)
	case t == pb.MsgAppResp && !m.GetReject() && g.isLeader():
		if pr, ok := g.progress(m.GetFrom()); ok && m.GetIndex() >= pr.Match {
			g.contact(m.GetFrom()).acked = g.clock
		}
		defer g.unpin(m.GetFrom())
	case t == pb.MsgHeartbeat && m.GetCommit() > g.st.last && m.GetTerm() >= g.status().GetTerm():
		g.logger().Warn("The leader counts on entries that this member has had and has no more: its store was set back, or is damaged. It is to be admitted anew")
		return g.markStale()
	case t == pb.MsgHeartbeat && g.follower.arrived:
		g.arrived(m.GetFrom(), m.GetTerm())
	}
	return g.stepRaft(m)
}

func (g *Group) stepRaft(m *pb.Message) error {
	return guard(g.logger(), func() {
		// What Raft ignores it has reasons to.
		_ = g.rn.Step(m)
	})
}

// greet answers a member that has just started. If it led it leads no more, and if it
// does not do so again soon another is to.
func (g *Group) greet(from uint64) {
	if g.isLeader() {
		g.beatAll()
		return
	}
	if g.status().Lead != from {
		return
	}
	g.forgetLeader()
	wait := 2
	for _, m := range g.st.state.members {
		if m.id < g.st.state.id && m.id != from {
			wait++ // not all at once
		}
	}
	g.standSoon(wait)
}

// leave ends this member's part in the log: others have removed it.
func (g *Group) leave() {
	err := g.update(func(*storage.Tx) error {
		g.st.state.removed, g.st.dirty = true, true
		return nil
	})
	if err != nil {
		g.fail(err)
		return
	}
	g.load(ErrClosed)
	g.show()
	g.s.events.dropped(g)
}
