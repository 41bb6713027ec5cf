package oldgroup

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// caughtUp is how many entries a member may lack to be called caught up: about what is
// on the way.
const caughtUp = 64

// Tend makes at most one step towards having the peers of goal as the members, all of
// them voters, and the first of them as the leader, and says which; "" if there is nothing to do or
// nothing can be done now. It is to be called now and then on the leader, also after the step
// is done.
//
// alive says which peers are there and may vote. Steps are, in this order: a member that lost its
// disk is removed; a peer of goal that is alive is added, as a learner; one that has caught up
// is made a voter; members that are not in goal are removed once there are as many voters without
// them; leadership is handed over. Nothing is done that would leave the log without a majority
// that is alive. A member that is not needed for now but would be better is added at most every
// Config.ChangeEvery, or at once if hurry is set.
func (g *Group) Tend(ctx context.Context, goal []string, alive func(peer string) bool, hurry bool) (did string, err error) {
	if !g.Leads() {
		return "", g.notLeaderNow()
	}
	t := tending{goal: goal, st: g.Status(), self: g.s.cfg.Self, alive: make(map[string]bool)}
	for _, m := range t.st.Members {
		t.alive[m.Peer] = m.Peer == t.self || alive(m.Peer) && m.Active
	}
	for _, p := range goal {
		if !t.isMember(p) {
			t.alive[p] = alive(p)
		}
	}
	if g.changing() {
		return "", nil
	}
	t.soon = hurry || g.mayChange()
	step := t.step()
	if step.do == nil {
		return "", nil
	}
	if step.better {
		g.noteChange()
	}
	if err := step.do(ctx, g); err != nil {
		return "", fmt.Errorf("%s: %w", step.name, err)
	}
	return step.name, nil
}

func (g *Group) notLeaderNow() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.notLeader()
}

// changing reports whether a change of the members, or of the leader, is under way.
func (g *Group) changing() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pending > g.st.state.applied || g.status().LeadTransferee != 0
}

func (g *Group) mayChange() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changedAt.IsZero() || time.Since(g.changedAt) >= g.s.cfg.ChangeEvery
}

func (g *Group) noteChange() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changedAt = time.Now()
}

// tending decides on one step.
type tending struct {
	goal  []string
	st    Status
	self  string
	alive map[string]bool
	soon  bool // a change that can wait need not
}

// step is what is to be done; do is nil if nothing is.
type step struct {
	name   string
	better bool // it could wait
	do     func(ctx context.Context, g *Group) error
}

func (t *tending) step() step {
	if !t.majority(t.voters()) {
		return step{}
	}
	for _, find := range []func() step{t.removeLost, t.promote, t.removeVoter, t.removeLearner, t.add, t.transfer} {
		if s := find(); s.do != nil {
			return s
		}
	}
	return step{}
}

func remove(peer, why string) step {
	return step{name: "remove " + show(peer) + ", " + why, do: func(ctx context.Context, g *Group) error { return g.Remove(ctx, peer) }}
}

// removeLost removes a member that lost its disk.
func (t *tending) removeLost() step {
	for _, m := range t.st.Members {
		if m.Lost && (!m.Voter || t.suffices(t.without(m.Peer))) {
			return remove(m.Peer, "which lost what it had")
		}
	}
	return step{}
}

// promote makes a learner a voter that is in goal and has what the others have. Another
// voter must not be more than the living can outvote.
func (t *tending) promote() step {
	for _, m := range t.st.Members {
		if m.Voter || !slices.Contains(t.goal, m.Peer) || !t.ready(m) || len(t.voters()) > len(t.goal) || len(t.voters()) >= maxVoters {
			continue
		}
		peer := m.Peer
		return step{name: "promote " + show(peer), do: func(ctx context.Context, g *Group) error { return g.Promote(ctx, peer) }}
	}
	return step{}
}

// removeVoter removes a voter that is not in goal, once there are as many others as
// goal wants; or as it can have, if the voter is down.
func (t *tending) removeVoter() step {
	for _, down := range []bool{true, false} {
		for _, m := range t.st.Members {
			if !m.Voter || m.Peer == t.self || slices.Contains(t.goal, m.Peer) || t.alive[m.Peer] == down {
				continue
			}
			rest, wanted := t.without(m.Peer), len(t.goal)
			if down {
				wanted = t.wanted()
			}
			if len(rest) >= wanted && t.suffices(rest) {
				return remove(m.Peer, "for which there is another")
			}
		}
	}
	return step{}
}

// wanted is how many voters are enough: those of goal that can be.
func (t *tending) wanted() int {
	n := 0
	for _, p := range t.goal {
		if t.alive[p] || slices.Contains(t.voters(), p) {
			n++
		}
	}
	return max(n, 1)
}

func (t *tending) removeLearner() step {
	for _, m := range t.st.Members {
		if !m.Voter && !slices.Contains(t.goal, m.Peer) {
			return remove(m.Peer, "which is not wanted")
		}
	}
	return step{}
}

// add adds a peer of goal that is missing. That can wait if there are enough voters.
func (t *tending) add() step {
	short := len(t.voters()) < len(t.goal)
	if !short && !t.soon || len(t.st.Members) >= maxMembers {
		return step{}
	}
	for _, m := range t.st.Members {
		if !m.Voter && t.alive[m.Peer] && m.Active {
			return step{} // one at a time
		}
	}
	for _, peer := range t.goal {
		if t.alive[peer] && !t.isMember(peer) {
			return step{name: "add " + show(peer), better: true, do: func(ctx context.Context, g *Group) error {
				_, err := g.Add(ctx, peer)
				return err
			}}
		}
	}
	return step{}
}

// transfer hands over to the first of goal, or to another of goal if this member is not
// in it.
func (t *tending) transfer() step {
	if len(t.goal) == 0 || t.goal[0] == t.self {
		return step{}
	}
	to := t.goal[:1]
	if !slices.Contains(t.goal, t.self) {
		to = t.goal
	}
	for _, peer := range to {
		for _, m := range t.st.Members {
			if m.Peer == peer && m.Voter && t.ready(m) {
				return step{name: "hand over to " + show(peer), do: func(ctx context.Context, g *Group) error { return g.Transfer(ctx, peer) }}
			}
		}
	}
	return step{}
}

// ready reports whether a member is there and has about what the others have.
func (t *tending) ready(m Member) bool { return t.alive[m.Peer] && t.st.follows(m.Peer) }

func (t *tending) isMember(peer string) bool {
	return slices.ContainsFunc(t.st.Members, func(m Member) bool { return m.Peer == peer })
}

func (t *tending) voters() (peers []string) {
	for _, m := range t.st.Members {
		if m.Voter {
			peers = append(peers, m.Peer)
		}
	}
	return peers
}

// without returns the voters but for one.
func (t *tending) without(peer string) []string {
	return slices.DeleteFunc(t.voters(), func(p string) bool { return p == peer })
}

// majority reports whether more than half of the voters are alive.
func (t *tending) majority(voters []string) bool {
	return isMajority(voters, func(p string) bool { return t.alive[p] })
}

// suffices reports whether some voters can go on without others: more than half of them are alive and have about what
// this member has. One that only answers, as while it copies the state or its disk refuses, commits nothing.
func (t *tending) suffices(voters []string) bool {
	return isMajority(voters, func(p string) bool { return t.alive[p] && t.st.follows(p) })
}

func isMajority(voters []string, is func(peer string) bool) bool {
	n := 0
	for _, p := range voters {
		if is(p) {
			n++
		}
	}
	return n > len(voters)/2
}

// follows reports whether a member has about what the leader has, who is the one that knows.
func (s *Status) follows(peer string) bool {
	return slices.ContainsFunc(s.Members, func(m Member) bool {
		return m.Peer == peer && m.Active && m.Matched+caughtUp >= s.Last && m.Matched > 0
	})
}
