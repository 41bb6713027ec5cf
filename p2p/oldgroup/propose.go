package oldgroup

import (
	"context"
	"errors"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// maxAlone bounds an entry of a log with one member, in bytes: memory, nothing else.
const maxAlone = 64 << 20

// proposal is an entry on its way into the log.
type proposal struct {
	data   []byte
	mine   any
	change bool   // of members
	of     uint64 // the member that it changes

	index, term uint64
	result      error
	done        chan error // takes the first error, nil when it is applied
}

func newProposal(data []byte, mine any) *proposal {
	return &proposal{data: data, mine: mine, done: make(chan error, 1)}
}

// finish tells the proposer what came of it. Only the first time counts.
func (p *proposal) finish(err error) {
	p.mine = nil
	select {
	case p.done <- err:
	default:
	}
}

// Propose brings an entry into the log and returns when it is applied on this node. data must not be
// changed before; it is neither empty nor longer than MaxData, unless this member is alone. mine goes to
// Machine.Apply with it. What several callers propose at once goes into one
// transaction.
//
// The errors are ErrNotLeader, ErrBusy, ErrTooLarge and ErrClosed: nothing was proposed; and ErrLost, those
// of the store and of ctx: the entry may be in the log or not, and mine is not used
// any more.
func (g *Group) Propose(ctx context.Context, data []byte, mine any) error {
	if len(data) == 0 || len(data) > maxAlone {
		return ErrTooLarge
	}
	p := newProposal(data, mine)
	g.queueMu.Lock()
	g.queue = append(g.queue, p)
	g.queueMu.Unlock()
	g.mu.Lock()
	g.drain()
	g.mu.Unlock()
	return g.await(ctx, p)
}

// await waits for a proposal.
func (g *Group) await(ctx context.Context, p *proposal) error {
	select {
	case err := <-p.done:
		return err
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case err := <-p.done:
		return err
	default:
	}
	if g.waiting[p.index] == p {
		delete(g.waiting, p.index)
	}
	return ctx.Err()
}

// drain proposes what waits in the queue.
func (g *Group) drain() {
	g.queueMu.Lock()
	batch := g.queue
	g.queue = nil
	g.queueMu.Unlock()
	for len(batch) > 0 {
		n, size := 0, 0
		for n < len(batch) && (n == 0 || size+len(batch[n].data) <= maxTransaction) {
			size += len(batch[n].data)
			n++
		}
		g.propose(batch[:n])
		batch = batch[n:]
	}
}

// propose brings proposals into the log, together.
func (g *Group) propose(batch []*proposal) {
	g.payNow() // g.st.last is the last entry then
	if err := g.lead(); err != nil {
		for _, p := range batch {
			p.finish(err)
		}
		return
	}
	g.wake()
	index, term := g.st.last, g.status().GetTerm()
	for _, p := range batch {
		if err := g.offer(p); err != nil {
			p.finish(err)
			continue
		}
		index++
		p.index, p.term = index, term
		g.waiting[index] = p
		g.unsaved = append(g.unsaved, p)
		if p.change {
			g.pending, g.pendingOf = index, p.of
		}
	}
	g.process() // tells those that wait of an error
}

// lead reports why this member cannot propose. One that is the only voter can, once the
// disk lets it.
func (g *Group) lead() error {
	if err := g.usable(); err != nil {
		return err
	}
	if !g.leads() && g.st.state.soleVoter() && !g.st.state.copying {
		if err := g.standAlone(); err != nil {
			return err
		}
	}
	if !g.leads() {
		return g.notLeader()
	}
	return nil
}

// offer gives a proposal to Raft.
func (g *Group) offer(p *proposal) error {
	if len(p.data) > MaxData && !g.st.state.alone() {
		return ErrTooLarge
	}
	if p.change && g.pending > g.st.state.applied {
		return ErrBusy
	}
	if transferee := g.status().LeadTransferee; transferee != 0 {
		if m := g.st.state.member(transferee); m != nil {
			return notLeader{m.peer}
		}
		return ErrBusy
	}
	kind := pb.EntryNormal
	if p.change {
		kind = pb.EntryConfChange
	}
	var err error
	if stumbled := guard(g.logger(), func() {
		err = g.rn.Step(&pb.Message{
			Type: pb.MsgProp.Enum(), From: new(g.st.state.id),
			Entries: []*pb.Entry{{Type: kind.Enum(), Data: p.data}},
		})
	}); stumbled != nil {
		return stumbled
	}
	if errors.Is(err, raft.ErrProposalDropped) {
		return ErrBusy
	}
	return err
}
