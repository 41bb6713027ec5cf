package oldgroup

import (
	"slices"
	"time"
)

// Member is a member of a log. Matched, Active and Lost are known on the leader only.
type Member struct {
	Peer  string
	ID    uint64 // by which Raft knows it
	Voter bool   // a learner otherwise
	// Matched is the last entry that it is known to have.
	Matched uint64
	// Active says that it was heard from lately.
	Active bool
	// Lost says that it has lost what it had: it must be removed, and added again.
	Lost bool
}

// Status is how a log stands on this node.
type Status struct {
	Log    string
	Epoch  Epoch
	ID     uint64 // of this member
	Term   uint64
	Leader string // "" if none is known
	Leads  bool

	// Applied, Committed and Last are the indexes of entries.
	Applied, Committed, Last uint64
	// Bytes is what the entries that are kept take.
	Bytes   int64
	Members []Member // in order of IDs
	// Whole says, on the leader, that every voter has everything that is committed.
	Whole bool
	// Quiet says that all have everything and no clock runs.
	Quiet bool
	// Copying says that this member copies the state, and Partial that what it had before is gone, so that the log cannot
	// begin anew with it.
	Copying, Partial bool
	// Removed says that this node is no longer a member, and Stale that it is none since its store was set back (Groups.SetBack).
	Removed, Stale bool
}

// Status returns how the log stands on this node.
func (g *Group) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.statusLocked()
}

// glanceOld is how old a Status of Glance may be.
const glanceOld = 2 * time.Second

// glanced is a Status, and when it was so.
type glanced struct {
	Status
	at time.Time
}

// Glance returns how the log stands, or stood up to two seconds ago if it is busy now: it does not wait for
// a commit unless there was one all that time.
func (g *Group) Glance() Status {
	if !g.mu.TryLock() {
		if last := g.glanced.Load(); last != nil && time.Since(last.at) < glanceOld {
			return last.Status
		}
		g.mu.Lock()
	}
	defer g.mu.Unlock()
	s := g.statusLocked()
	g.glanced.Store(&glanced{s, time.Now()})
	return s
}

func (g *Group) statusLocked() Status {
	st, now := &g.st.state, g.status()
	s := Status{
		Log: g.log, Epoch: st.epoch, ID: st.id, Term: now.GetTerm(), Leader: g.leaderPeer(), Leads: g.leads(),
		Applied: st.applied, Committed: now.GetCommit(), Last: g.st.last, Bytes: st.bytes,
		Quiet: g.silence.quiet, Copying: st.copying, Partial: st.copying && !st.mended, Removed: st.gone(), Stale: st.stale, Whole: g.leads(),
	}
	leader := g.isLeader()
	for _, m := range st.members {
		out := Member{Peer: m.peer, ID: m.id, Voter: m.voter}
		if leader {
			p, _ := g.progress(m.id)
			out.Matched = p.Match
			out.Active, out.Lost = true, false
			if m.id != st.id {
				c := g.contact(m.id)
				out.Active, out.Lost = g.clock-c.heard < g.s.cfg.ElectionTicks && !c.lost, c.lost
			}
			if m.voter && p.Match < s.Committed {
				s.Whole = false
			}
		}
		s.Members = append(s.Members, out)
	}
	s.Members = slices.Clip(s.Members)
	return s
}

// Keepers returns the peers that are members of the log, or were of late, as far as this node knows.
func (g *Group) Keepers() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := slices.Clone(g.st.state.former)
	for _, m := range g.st.state.members {
		list = append(slices.DeleteFunc(list, func(p string) bool { return p == m.peer }), m.peer)
	}
	return list
}

// Knew reports whether a peer is a member of the log, or was one of late, as far as this node knows.
func (g *Group) Knew(peer string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.st.state.peer(peer) != nil || slices.Contains(g.st.state.former, peer)
}
