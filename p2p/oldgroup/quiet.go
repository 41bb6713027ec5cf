package oldgroup

import (
	"go.etcd.io/raft/v3"
)

// quietAfter is for how many ticks nothing must have happened before clocks stop. Where entries come every few seconds, falling
// quiet between two of them costs as many packets as an entry, and each follower a transaction.
const quietAfter = 6

// silence is what a member knows of being quiet.
type silence struct {
	quiet bool
	idle  int             // ticks since something happened, on the leader
	acks  map[uint64]bool // members that have stopped their clocks
	// broken is set when a member was heard from that should have been quiet: it needs
	// to hear of the leader.
	broken bool
}

// wake makes clocks run again.
func (g *Group) wake() {
	g.silence = silence{}
}

// wokenBy makes clocks run again since a member was heard from. Who follows tells the
// leader, if it was not the leader.
func (g *Group) wokenBy(from uint64) {
	quiet := g.silence.quiet
	g.silence.quiet = false
	delete(g.silence.acks, from)
	if !quiet {
		return
	}
	if g.isLeader() {
		g.beatAll()
	} else if lead := g.status().Lead; lead != raft.None && lead != from {
		if m := g.st.state.member(lead); m != nil {
			g.put(m.peer, g.head(lead, flagHello), false)
		}
	}
}

// tickQuiet makes the group quiet once all members have everything.
func (g *Group) tickQuiet() {
	s := &g.silence
	s.broken = false
	if !g.leads() || !g.settled() {
		s.idle, s.acks = 0, nil
		return
	}
	if s.idle++; s.idle < quietAfter {
		return
	}
	if s.acks == nil {
		s.acks = make(map[uint64]bool)
	}
	waits := g.fallQuiet()
	if s.idle%quietAfter != 0 {
		return
	}
	for _, m := range waits {
		p := g.head(m.id, flagQuiet)
		p.term, p.commit = g.status().GetTerm(), g.st.state.applied
		g.put(m.peer, p, false)
	}
}

// fallQuiet stops the leader's clock if all members that are there have stopped theirs,
// and returns those that have not.
func (g *Group) fallQuiet() (waits []member) {
	st := &g.st.state
	votes := 0
	for _, m := range st.members {
		stopped := m.id == st.id || g.silence.acks[m.id]
		if stopped && m.voter {
			votes++
		}
		if !stopped && g.clock-g.contact(m.id).heard <= g.s.cfg.ElectionTicks {
			waits = append(waits, m)
		}
	}
	g.silence.quiet = len(waits) == 0 && votes > st.voters()/2
	return waits
}

// settled reports whether every member that is there has everything.
func (g *Group) settled() bool {
	st, now := &g.st.state, g.status()
	if st.applied != g.st.last || g.owed.rd != nil || now.LeadTransferee != raft.None || len(g.waiting) > 0 || g.elect.standing > 0 {
		return false
	}
	for _, m := range st.members {
		if m.id == st.id {
			continue
		}
		c := g.contact(m.id)
		if c.pinned > 0 {
			return false
		}
		if p, _ := g.progress(m.id); p.Match != g.st.last && g.clock-c.heard <= g.s.cfg.ElectionTicks {
			return false
		}
	}
	return true
}

// takeQuiet stops this member's clock, if it has all that the leader says there is; the
// leader learns that it has.
func (g *Group) takeQuiet(p *part) {
	if g.rn == nil {
		return
	}
	g.finishDeferred()
	if g.rn == nil {
		return
	}
	st, now := &g.st.state, g.status()
	if p.term != now.GetTerm() || p.commit != st.applied || p.commit != g.st.last || st.copying {
		g.wokenBy(p.from)
		return
	}
	switch {
	case g.isLeader():
		if g.silence.acks != nil {
			g.silence.acks[p.from] = true
			g.fallQuiet()
		}
	case now.Lead == p.from:
		g.silence = silence{quiet: true}
		answer := g.head(p.from, flagQuiet)
		answer.term, answer.commit = p.term, p.commit
		g.put(g.peerOf(p.from), answer, false)
	}
}
