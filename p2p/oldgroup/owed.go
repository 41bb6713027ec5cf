package oldgroup

import (
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/tracker"
)

// oweLeast and oweMost are for how many ticks a leader writes at once after others did not take its entries in time. Each time
// that follows it is twice as long: a computer that is busy for a moment is late once, a slow one again and again.
const (
	oweLeast = 2
	oweMost  = 16
)

// owed is what a leader has sent and not written yet. Raft lets a leader send entries before it has them
// on disk itself, and counts it among those that have them only after. Where the others alone are a majority, and
// quick, an entry is then committed when it is written here: one transaction appends and applies it,
// where it took two, and one that all have by then is never written as an entry.
type owed struct {
	rd    *raft.Ready // nil if nothing is
	last  uint64      // its last entry
	now   bool        // it is to be written at once
	late  bool        // because others did not take it in time
	timer *time.Timer
	until int // clock before which nothing is to be owed
	pause int // ticks that it was the last time, half of it for each time since that others were quick
}

// oweFor is how long others have to take what is owed.
func (g *Group) oweFor() time.Duration { return g.s.cfg.Tick / 2 }

// nextWork returns what Raft asks for, or what is owed if that is to be written. While something is owed, Raft
// is asked for nothing else; ok is false if there is nothing to do now.
func (g *Group) nextWork() (rd raft.Ready, ok bool, err error) {
	switch {
	case g.owed.rd == nil:
		if rd, ok, err = g.nextReady(); ok && err == nil && g.owe(&rd) {
			ok = false
		}
		return rd, ok, err
	case !g.mustPay():
		return rd, false, nil
	}
	rd = *g.owed.rd
	if g.owed.late {
		g.owed.pause = min(max(2*g.owed.pause, oweLeast), oweMost)
		g.owed.until = g.clock + g.owed.pause
	} else if !g.owed.now { // others have it
		g.owed.pause /= 2
	}
	g.forgetOwed()
	return rd, true, nil
}

// mustPay reports whether what is owed is to be written: others have committed it, or this member
// does not lead as before.
func (g *Group) mustPay() bool {
	st := g.status()
	return g.owed.now || st.RaftState != raft.StateLeader || st.GetCommit() >= g.owed.last || st.LeadTransferee != raft.None
}

// owe sends what rd wants sent and leaves the rest for later. It reports false, having done nothing, if rd must
// be on disk first.
func (g *Group) owe(rd *raft.Ready) bool {
	if !g.mayOwe(rd) {
		return false
	}
	g.out = append(g.out, rd.Messages...)
	later := *rd
	later.Messages = nil
	g.owed.rd, g.owed.last = &later, rd.Entries[len(rd.Entries)-1].GetIndex()
	g.owed.timer = time.AfterFunc(g.oweFor(), func() { g.pay(&later) })
	return true
}

func (g *Group) mayOwe(rd *raft.Ready) bool {
	st := &g.st.state
	if len(rd.Entries) == 0 || len(rd.CommittedEntries) > 0 || !raft.IsEmptySnap(rd.Snapshot) || !g.leads() ||
		g.clock < g.owed.until || g.pending > st.applied || g.status().LeadTransferee != raft.None || !g.s.isServing() {
		return false
	}
	if hs := rd.HardState; !raft.IsEmptyHardState(hs) && (hs.GetTerm() != st.term || hs.GetVote() != st.vote) {
		return false
	}
	for _, m := range rd.Messages {
		if raft.IsResponseMsg(m.GetType()) {
			return false // it speaks of what is on disk here
		}
	}
	ready := 0
	g.rn.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
		if m := st.member(id); id != st.id && m != nil && m.voter && g.isThere(id) && p.State == tracker.StateReplicate && p.Match == g.st.last {
			ready++
		}
	})
	return ready > st.voters()/2
}

// isThere reports whether a member was heard of late. Raft's own note of that is blank after each election timeout.
func (g *Group) isThere(id uint64) bool { return g.clock-g.contact(id).heard < g.s.cfg.ElectionTicks }

// pay writes what is owed, if it is what was owed then.
func (g *Group) pay(rd *raft.Ready) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.owed.rd == rd {
		g.owed.late = true
		g.payNow()
	}
}

// payNow writes what is owed.
func (g *Group) payNow() {
	if g.owed.rd != nil {
		g.owed.now = true
		g.process()
	}
}

func (g *Group) forgetOwed() {
	if g.owed.timer != nil {
		g.owed.timer.Stop()
	}
	g.owed = owed{until: g.owed.until, pause: g.owed.pause}
}
