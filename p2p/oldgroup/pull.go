package oldgroup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/storage"
)

const (
	// fetchTimeout bounds one piece.
	fetchTimeout = time.Minute
	// maxPulls is how many copies are made at once, and turn how long one may take before another has its turn: who gives it may be
	// as slow as it likes. What was copied is not copied again.
	maxPulls = 2
	turn     = 30 * time.Minute
	// pullAgainAfter and pullAgainMost are how many ticks, of the first and the later
	// times, pass before a copy that failed is begun again.
	pullAgainAfter = 2
	pullAgainMost  = 64
	// retryPiece is how often a piece is asked for again before the copy fails.
	retryPiece = 2
)

// pulling is what a member knows of the copy it makes.
type pulling struct {
	busy  bool // a goroutine makes it
	again int  // clock before which it is not begun again
	fails int  // in a row
}

// takeSnapshot is for a member to which the leader cannot give the entries it lacks: it
// copies the state.
func (g *Group) takeSnapshot(m *pb.Message) error {
	if m.GetSnapshot().GetMetadata().GetIndex() <= g.status().GetCommit() {
		return g.stepRaft(m) // says so to the leader
	}
	err := g.stepRaft(&pb.Message{Type: pb.MsgHeartbeat.Enum(), From: m.From, To: m.To, Term: m.Term, Commit: new(uint64(0))})
	if err == nil && g.status().Lead == m.GetFrom() {
		peer := g.peerOf(m.GetFrom())
		g.pull(peer)
	}
	return err
}

// pull begins to copy the state from the leader, if that is not being done.
func (g *Group) pull(from string) {
	p := &g.follower.pull
	if p.busy || from == "" || p.fails > 0 && g.clock < p.again {
		return
	}
	p.busy = g.s.spawn(func(ctx context.Context) {
		err := g.s.takeTurn(ctx, func() error { return g.copyFrom(ctx, from) })
		if err != nil && ctx.Err() == nil {
			g.logger().Info("Copy of log not made", "peer", show(from), "err", err)
		}
		g.pulled(err)
	})
}

// pulled notes how a copy ended.
func (g *Group) pulled(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := &g.follower.pull
	p.busy = false
	if err == nil {
		p.fails = 0
		return
	}
	wait := min(pullAgainAfter<<min(p.fails, 10), pullAgainMost)
	p.fails, p.again = p.fails+1, g.clock+wait
}

// takeTurn runs fn when fewer than maxPulls are run.
func (s *Groups) takeTurn(ctx context.Context, fn func() error) error {
	select {
	case s.pulls <- struct{}{}:
		defer func() { <-s.pulls }()
		return fn()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errStale ends a copy that is not needed any more.
var errStale = errors.New("the copy is not needed any more")

// copyFrom makes the state equal to a peer's, piece by piece.
func (g *Group) copyFrom(ctx context.Context, from string) error {
	g.mu.Lock()
	q := pieceRequest{log: g.log, epoch: g.st.state.epoch, member: g.st.state.id}
	g.mu.Unlock()
	var what *meta
	for began := time.Now(); time.Since(began) < turn; {
		a, err := g.s.fetch(ctx, from, &q)
		if err != nil {
			return err
		}
		if what == nil {
			if what = a.meta; what == nil {
				return malformed("first piece")
			}
			q.session = a.session
		}
		next, err := g.install(&q, what, a.answer)
		if errors.Is(err, errStale) {
			return nil
		}
		if err != nil || next == nil {
			return err
		}
		if len(next) > MaxRequest {
			return fmt.Errorf("request for a piece of %d bytes", len(next))
		}
		q.request = next
	}
	return nil
}

// fetch asks a peer for a piece.
func (s *Groups) fetch(ctx context.Context, from string, q *pieceRequest) (a pieceAnswer, err error) {
	packet := q.encode()
	for try := 0; ; try++ {
		a, err = s.fetchOnce(ctx, from, packet)
		if err == nil || try == retryPiece || errors.As(err, new(refusal)) || ctx.Err() != nil {
			return a, err
		}
		select {
		case <-time.After(s.cfg.Tick):
		case <-ctx.Done():
			return a, ctx.Err()
		}
	}
}

func (s *Groups) fetchOnce(ctx context.Context, from string, packet []byte) (a pieceAnswer, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	answer, err := s.cfg.Fetch(ctx, from, packet)
	if err != nil {
		return a, fmt.Errorf("fetch piece: %w", err)
	}
	if a, err = decodePieceAnswer(answer); err != nil {
		return a, err
	}
	if a.status != pieceGiven {
		return a, refusal(a.status)
	}
	return a, nil
}

// install takes a piece into the store, and what was copied into use when it is the
// last one.
func (g *Group) install(q *pieceRequest, what *meta, answer []byte) (next []byte, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.usable(); err != nil {
		return nil, err
	}
	st := &g.st.state
	if st.epoch != q.epoch || st.id != q.member || !st.copying && what.index <= st.applied || g.isLeader() {
		return nil, errStale
	}
	if !what.has(st.id, g.s.cfg.Self) {
		return nil, malformed("a state of which this node is no member")
	}
	if st.copying && what.index < st.applied {
		return nil, fmt.Errorf("who gives the state has applied %d entries, want %d", what.index, st.applied)
	}
	begun := st.copying
	err = g.update(func(tx *storage.Tx) error {
		if !begun {
			// What is committed and not applied is in what is copied.
			st.copying, st.commit, g.st.dirty = true, st.applied, true
		} else if st.mended {
			st.mended, g.st.dirty = false, true
		}
		if next, err = g.machine.Install(tx, q.request, answer); err != nil || next != nil {
			return err
		}
		return g.adopt(what)
	})
	if err != nil {
		g.fail(err)
		return nil, fmt.Errorf("install piece of log %s: %w", show(g.log), err)
	}
	if begun && next != nil {
		return next, nil
	}
	lead, term := g.status().Lead, g.status().GetTerm()
	if err := g.load(ErrLost); err != nil {
		g.fail(err)
		return nil, err
	}
	if next == nil {
		g.follower.arrived = true
		g.arrived(lead, term)
	}
	g.process()
	return next, nil
}

// has reports whether a peer is a member.
func (m *meta) has(id uint64, peer string) bool {
	s := state{members: m.members}
	self := s.member(id)
	return self != nil && self.peer == peer
}

// adopt makes the log one that follows the state that was copied.
func (g *Group) adopt(what *meta) error {
	st := &g.st.state
	if err := g.st.replace(what.index, what.term); err != nil {
		return err
	}
	st.former = what.former
	st.members, st.next, st.commit, st.copying = what.members, what.next, what.index, false
	if st.term < what.term {
		st.term, st.vote = what.term, 0
	}
	return nil
}

// arrived tells the leader up to where this member has everything now.
func (g *Group) arrived(lead, term uint64) {
	if lead == raft.None || term != g.st.state.term {
		return
	}
	p := g.head(lead, 0)
	p.messages = []*pb.Message{{
		Type: pb.MsgAppResp.Enum(), From: new(g.st.state.id), To: new(lead), Term: new(term), Index: new(g.st.state.applied),
	}}
	g.notes = append(g.notes, note{g.peerOf(lead), p})
}
