package oldgroup

import (
	"context"
	"fmt"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// electing is what a member knows of elections.
type electing struct {
	// standing is for how many ticks it goes on to stand for election, after wait more.
	standing, wait int
	// young is for how many ticks it has just started and says hello.
	young int
	// plea is a request for a vote that was not listened to while a leader seemed to be
	// there, pleaAt when it came.
	plea   *pb.Message
	pleaAt int
}

// Campaign makes this member stand for election now: its leader is down, say those
// that watch it. It wins if a majority of the voters does not hear from a leader either, or was told by
// LeaderDown, even if they are told after it stands. It returns before the election is decided. The
// errors are ErrNoMember if it is not a voter, ErrBusy while it copies the
// state, ErrClosed, and those of the store.
func (g *Group) Campaign() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.usable(); err != nil {
		return err
	}
	st := &g.st.state
	if m := st.member(st.id); m == nil || !m.voter {
		return ErrNoMember
	}
	if st.copying {
		return ErrBusy
	}
	if g.isLeader() {
		return nil
	}
	g.wake()
	g.standSoon(0)
	return g.stand()
}

// standSoon makes this member stand for election in some ticks, unless there is a
// leader then.
func (g *Group) standSoon(ticks int) {
	g.elect.standing, g.elect.wait = g.s.cfg.ElectionTicks, ticks
}

// stand asks the others for their votes. With pre-votes on, nothing changes unless a
// majority would give them.
func (g *Group) stand() error {
	if err := guard(g.logger(), func() { g.rn.Campaign() }); err != nil {
		g.fail(err)
		return err
	}
	return g.process()
}

// standAlone makes the only voter the leader.
func (g *Group) standAlone() error {
	if g.isLeader() {
		return nil
	}
	if err := g.stand(); err != nil {
		return fmt.Errorf("lead log %s: %w", show(g.log), err)
	}
	return nil
}

// LeaderDown tells this member that its leader is down: it forgets it and gives its
// vote to who asks, or has asked lately. If the leader is heard after all, it is followed again.
func (g *Group) LeaderDown() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.usable() != nil || g.isLeader() {
		return
	}
	g.forgetLeader()
	g.wake()
	if m := g.elect.plea; m != nil && g.clock-g.elect.pleaAt < g.s.cfg.ElectionTicks {
		g.step(m)
	}
	g.elect.plea = nil
	g.process()
}

func (g *Group) forgetLeader() {
	guard(g.logger(), func() { g.rn.ForgetLeader() })
}

// plead remembers a request for a vote that Raft leaves without an answer, since it
// has a leader.
func (g *Group) plead(m *pb.Message) {
	now := g.status()
	if now.Lead == raft.None || now.RaftState == raft.StateLeader || m.GetTerm() <= now.GetTerm() {
		return
	}
	g.elect.plea, g.elect.pleaAt = m, g.clock
}

// tickElection goes on with what could not be decided at once.
func (g *Group) tickElection() {
	e := &g.elect
	e.young = max(e.young-1, 0)
	now := g.status()
	if now.Lead != raft.None || now.RaftState == raft.StateCandidate {
		if now.Lead != raft.None {
			e.standing, e.wait, e.young = 0, 0, 0
		}
		return
	}
	st := &g.st.state
	voter := st.member(st.id) != nil && st.member(st.id).voter && !st.copying
	switch {
	case voter && st.voters() == 1:
		g.stand()
	case voter && e.wait > 1:
		e.wait--
	case voter && e.standing > 0:
		e.wait = 0
		if e.standing--; e.standing%2 == 1 {
			g.stand()
		}
	case e.young > 0 && e.young%heartbeatTicks == 0:
		g.hello()
	}
}

// Transfer makes another voter the leader and returns when it leads. It should have
// what this member has: until it has, though not for more than Config.ElectionTicks,
// nothing can be proposed. The errors are ErrNotLeader, ErrNoMember, ErrClosed, ErrBusy
// if nothing came of it, and those of ctx.
func (g *Group) Transfer(ctx context.Context, peer string) error {
	term, err := g.beginTransfer(peer)
	if err != nil {
		return err
	}
	for {
		g.mu.Lock()
		changed, closed, now := g.changed, g.closed, g.status()
		leader, pending := g.leaderPeer(), now.LeadTransferee != raft.None
		g.mu.Unlock()
		switch {
		case closed:
			return ErrClosed
		case leader == peer:
			return nil
		case leader != "" && (now.GetTerm() > term || !pending):
			return ErrBusy
		}
		select {
		case <-changed:
		case <-ctx.Done():
			g.mu.Lock()
			defer g.mu.Unlock()
			g.endTransfer()
			return ctx.Err()
		}
	}
}

// endTransfer makes this member go on to lead.
func (g *Group) endTransfer() {
	if g.rn == nil || g.status().LeadTransferee == raft.None {
		return
	}
	// Handing over to itself is what Raft does nothing for, but for forgetting the other.
	if err := guard(g.logger(), func() { g.rn.TransferLeader(g.st.state.id) }); err != nil {
		g.fail(err)
	}
	g.process()
}

func (g *Group) beginTransfer(peer string) (term uint64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.lead(); err != nil {
		return 0, err
	}
	m := g.st.state.peer(peer)
	if m == nil || !m.voter {
		return 0, ErrNoMember
	}
	if m.id == g.st.state.id {
		return g.status().GetTerm(), nil
	}
	g.wake()
	term = g.status().GetTerm()
	if err := guard(g.logger(), func() { g.rn.TransferLeader(m.id) }); err != nil {
		g.fail(err)
		return 0, err
	}
	return term, g.process()
}
