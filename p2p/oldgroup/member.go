package oldgroup

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// change is one change of the members.
type change struct {
	kind pb.ConfChangeType
	id   uint64
	peer string // of one that is added
}

func (c change) encode() ([]byte, error) {
	cc := &pb.ConfChange{Type: c.kind.Enum(), NodeId: new(c.id)}
	if c.peer != "" {
		cc.Context = []byte(c.peer)
	}
	return proto.Marshal(cc)
}

// decodeChange reads the change in an entry.
func decodeChange(e *pb.Entry) (change, error) {
	var cc pb.ConfChange
	if e.GetType() != pb.EntryConfChange {
		return change{}, malformed("change of members of type %d", e.GetType())
	}
	if err := proto.Unmarshal(e.GetData(), &cc); err != nil {
		return change{}, fmt.Errorf("%w: change of members: %w", errPacket, err)
	}
	return change{kind: cc.GetType(), id: cc.GetNodeId(), peer: string(cc.GetContext())}, nil
}

// with returns the members after a change, and the ID of the next one. What comes of a
// change follows from the members before alone, so that all members agree. The error
// says why it changes nothing.
func (s *state) with(c change) (members []member, next uint64, err error) {
	m := s.member(c.id)
	members, next = slices.Clone(s.members), s.next
	at, _ := slices.BinarySearchFunc(members, c.id, func(m member, id uint64) int { return cmp.Compare(m.id, id) })
	lastVoter := m != nil && m.voter && s.voters() == 1
	switch {
	case c.kind == pb.ConfChangeAddLearnerNode && m == nil:
		if c.id != s.next || c.id+1 >= maxNumber || c.peer == "" || len(c.peer) > MaxPeer || s.peer(c.peer) != nil || len(members) >= maxMembers {
			return nil, 0, ErrBusy
		}
		return append(members, member{id: c.id, peer: c.peer}), next + 1, nil
	case m == nil || lastVoter:
		return nil, 0, ErrNoMember
	case c.kind == pb.ConfChangeAddLearnerNode && m.voter:
		members[at].voter = false
	case c.kind == pb.ConfChangeAddNode && !m.voter && s.voters() < maxVoters:
		members[at].voter = true
	case c.kind == pb.ConfChangeRemoveNode:
		members = slices.Delete(members, at, at+1)
	default:
		return nil, 0, ErrNoMember
	}
	return members, next, nil
}

// applyChange applies a change of the members.
func (g *Group) applyChange(e *pb.Entry, p *proposal) error {
	c, err := decodeChange(e)
	var members []member
	var next uint64
	if err == nil {
		members, next, err = g.st.state.with(c)
	}
	if err != nil {
		if p != nil {
			p.result = err
		}
		return nil
	}
	gone := g.st.state.member(c.id)
	if gone != nil {
		gone = &member{id: gone.id, peer: gone.peer}
	}
	leader := g.isLeader()
	if err := guard(g.logger(), func() {
		g.rn.ApplyConfChange(&pb.ConfChange{Type: c.kind.Enum(), NodeId: new(c.id)})
	}); err != nil {
		return err
	}
	g.st.state.members, g.st.state.next = members, next
	if c.kind == pb.ConfChangeRemoveNode {
		g.st.state.wasMember(gone.peer)
		delete(g.members, c.id)
		if leader && gone.id != g.st.state.id {
			g.notes = append(g.notes, note{gone.peer, g.head(gone.id, flagGone)})
		}
	}
	return nil
}

// Add makes a peer a learner of the log, and returns the ID it got when that is
// applied here. The peer begins to copy then. The errors are those of Propose, and
// ErrExists if it is a member.
func (g *Group) Add(ctx context.Context, peer string) (id uint64, err error) {
	if peer == "" || len(peer) > MaxPeer {
		return 0, ErrNoMember
	}
	err = g.change(ctx, func(s *state) (change, error) {
		if s.peer(peer) != nil {
			return change{}, ErrExists
		}
		id = s.next
		return change{kind: pb.ConfChangeAddLearnerNode, id: id, peer: peer}, nil
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// Promote makes a learner a voter, which should have what the others have: a
// majority may need it from then on. The errors are those of Propose, and ErrNoMember.
func (g *Group) Promote(ctx context.Context, peer string) error {
	return g.changeOf(ctx, peer, pb.ConfChangeAddNode)
}

// Demote makes a voter a learner. The leader cannot demote itself: it hands over
// before (Transfer). The errors are those of Propose, and ErrNoMember; ErrBusy also while those who would have to do
// without its vote are not enough that follow: the log would stand still, and could not take it back.
func (g *Group) Demote(ctx context.Context, peer string) error {
	s := g.Status()
	var rest []string
	for _, m := range s.Members {
		if m.Voter && m.Peer != peer {
			rest = append(rest, m.Peer)
		}
	}
	if s.Leads && peer != g.s.cfg.Self && len(rest) > 0 && !isMajority(rest, s.follows) {
		return ErrBusy
	}
	return g.changeOf(ctx, peer, pb.ConfChangeAddLearnerNode)
}

// Remove takes a member out. The leader cannot remove itself: it hands over before
// (Transfer). The errors are those of Propose, and ErrNoMember.
func (g *Group) Remove(ctx context.Context, peer string) error {
	return g.changeOf(ctx, peer, pb.ConfChangeRemoveNode)
}

// changeOf changes what a peer is.
func (g *Group) changeOf(ctx context.Context, peer string, kind pb.ConfChangeType) error {
	return g.change(ctx, func(s *state) (change, error) {
		m := s.peer(peer)
		if m == nil || m.id == s.id && kind != pb.ConfChangeAddNode {
			return change{}, ErrNoMember
		}
		c := change{kind: kind, id: m.id}
		_, _, err := s.with(c)
		return c, err
	})
}

// change proposes a change of the members, and waits until it is applied.
func (g *Group) change(ctx context.Context, of func(s *state) (change, error)) error {
	p, err := g.proposeChange(of)
	if err != nil {
		return err
	}
	return g.await(ctx, p)
}

func (g *Group) proposeChange(of func(s *state) (change, error)) (*proposal, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.lead(); err != nil {
		return nil, err
	}
	if g.pending > g.st.state.applied {
		return nil, ErrBusy
	}
	c, err := of(&g.st.state)
	if err != nil {
		return nil, err
	}
	p := newProposal(nil, nil)
	p.change, p.of = true, c.id
	if p.data, err = c.encode(); err != nil {
		return nil, fmt.Errorf("change members: %w", err)
	}
	g.propose([]*proposal{p})
	return p, nil
}
