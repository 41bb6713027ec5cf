package oldgroup

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"go.etcd.io/raft/v3/tracker"

	"github.com/forage-net/forage/storage"
)

const (
	// maxCopies is how many copies are given at once. Each keeps a transaction open, and
	// with it all pages that are replaced meanwhile.
	maxCopies = 2
	// idleCopy is when a copy of which nothing is asked any more ends.
	idleCopy = 30 * time.Second
	// stallAfter is how long a transaction may wait before the copies are ended: a store that
	// must grow its map waits for all that read.
	stallAfter = 2 * time.Second
)

// copies are those that this node gives.
type copies struct {
	mu   sync.Mutex
	open map[uint64]*givenCopy
}

// givenCopy is one copy that is given: a goroutine that holds a transaction.
type givenCopy struct {
	log    string
	peer   string
	member uint64
	asks   chan ask
	end    context.CancelFunc
	over   <-chan struct{}
}

type ask struct {
	request []byte
	reply   chan<- reply // takes one
}

type reply struct {
	meta   *meta
	answer []byte
	err    error
}

// cut ends all copies. Those who copy begin again.
func (c *copies) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.open {
		o.end()
	}
}

// get returns a copy that a peer was given.
func (c *copies) get(session uint64, peer, log string, member uint64) *givenCopy {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.open[session]
	if o == nil || o.peer != peer || o.log != log || o.member != member {
		return nil
	}
	return o
}

// GivePiece answers what a peer's Config.Fetch has asked for. The error is for
// requests that are not understood, and for ctx; from is who has asked.
func (s *Groups) GivePiece(ctx context.Context, from string, request []byte) (answer []byte, err error) {
	q, err := decodePieceRequest(request)
	if err != nil {
		return nil, fmt.Errorf("piece of a log for %s: %w", show(from), err)
	}
	a, err := s.givePiece(ctx, from, &q)
	var no refusal
	if errors.As(err, &no) {
		a.status = byte(no)
	} else if err != nil {
		return nil, fmt.Errorf("piece of log %s for %s: %w", show(q.log), show(from), err)
	}
	return a.encode(), nil
}

func (s *Groups) givePiece(ctx context.Context, from string, q *pieceRequest) (a pieceAnswer, err error) {
	g := s.Get(q.log)
	if g == nil || !g.pin(from, q) {
		return a, refusal(pieceNot)
	}
	session := q.session
	var c *givenCopy
	if session == 0 {
		session, c, err = s.beginCopy(g, from, q.member)
		if err != nil {
			return a, err
		}
	} else if c = s.copies.get(session, from, q.log, q.member); c == nil {
		return a, refusal(pieceNot)
	}
	answered := make(chan reply, 1)
	select {
	case c.asks <- ask{q.request, answered}:
	case <-c.over:
		return a, refusal(pieceNot)
	case <-ctx.Done():
		return a, ctx.Err()
	}
	select {
	case r := <-answered:
		if r.err != nil {
			return a, r.err
		}
		a = pieceAnswer{status: pieceGiven, session: session, answer: r.answer}
		if q.session == 0 {
			a.meta = r.meta
		}
		return a, nil
	case <-c.over:
		return a, refusal(pieceNot)
	}
}

// pin keeps the entries that follow what a member copies. It reports false if this
// member does not lead: it may lead without having committed anything in its term, since
// it may need the member that copies for that.
func (g *Group) pin(from string, q *pieceRequest) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.st.state.member(q.member)
	if g.closed || !g.isLeader() || q.epoch != g.st.state.epoch || m == nil || m.peer != from || m.id == g.st.state.id {
		return false
	}
	g.wokenBy(q.member)
	c := g.contact(q.member)
	c.heard, c.pinAt, c.copying = g.clock, g.clock, max(g.clock, 1)
	if q.session == 0 || c.pinned == 0 {
		c.pinned = g.st.state.applied
	}
	g.process()
	return true
}

// unpin ends the copy of a member that has all that is copied. What follows is kept for
// it until it has caught up.
func (g *Group) unpin(id uint64) {
	m, c := g.st.state.member(id), g.members[id]
	if m == nil || c == nil || c.pinned == 0 {
		return
	}
	pr, ok := g.progress(id)
	if !ok || pr.State == tracker.StateSnapshot || pr.Match < c.pinned {
		return
	}
	g.s.copies.endOf(g.log, m.peer)
	if pr.Match > c.pinned {
		c.pinned, c.pinAt = pr.Match, g.clock
	}
	if pr.Match+caughtUp >= g.st.last {
		c.pinned = 0
	}
}

// endOf ends the copy of a log that a peer was given.
func (c *copies) endOf(log, peer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.open {
		if o.peer == peer && o.log == log {
			o.end()
		}
	}
}

// beginCopy opens a transaction for a member that copies. What it had before ends.
func (s *Groups) beginCopy(g *Group, peer string, member uint64) (session uint64, c *givenCopy, err error) {
	ctx, end := context.WithCancel(context.Background())
	c = &givenCopy{log: g.log, peer: peer, member: member, asks: make(chan ask), end: end, over: ctx.Done()}
	s.copies.mu.Lock()
	defer s.copies.mu.Unlock()
	for id, o := range s.copies.open {
		if o.peer == peer && o.log == g.log {
			o.end()
			delete(s.copies.open, id)
		}
	}
	if len(s.copies.open) >= maxCopies {
		end()
		return 0, nil, refusal(pieceBusy)
	}
	for session == 0 || s.copies.open[session] != nil {
		session = rand.Uint64N(maxNumber)
	}
	m := g.Machine()
	if !s.spawn(func(ctx context.Context) {
		defer s.forgetCopy(session, c)
		defer end()
		if err := s.give(ctx, g, m, c); err != nil {
			g.logger().Warn("Copy of log not given", "peer", show(peer), "err", err)
		}
	}) {
		end()
		return 0, nil, refusal(pieceNot)
	}
	s.copies.open[session] = c
	return session, c, nil
}

func (s *Groups) forgetCopy(session uint64, c *givenCopy) {
	s.copies.mu.Lock()
	defer s.copies.mu.Unlock()
	if s.copies.open[session] == c {
		delete(s.copies.open, session)
	}
}

// give answers what is asked of a copy, from one transaction, until it ends.
func (s *Groups) give(ctx context.Context, g *Group, m Machine, c *givenCopy) error {
	return s.cfg.DB.View(func(tx *storage.Tx) error {
		st, err := readState(tx, g.bucket)
		if err != nil {
			return err
		}
		what := &meta{index: st.applied, term: st.appliedTerm, members: st.members, next: st.next, former: st.former}
		idle := time.NewTimer(idleCopy)
		defer idle.Stop()
		for {
			select {
			case a := <-c.asks:
				r := reply{meta: what}
				if r.answer, r.err = m.Piece(tx, a.request); r.err != nil {
					s.cfg.Log.Warn("Piece of log not read", "log", show(c.log), "err", r.err)
					r.err = refusal(pieceFailed)
				} else if len(r.answer) > MaxPiece {
					r.err = refusal(pieceFailed)
				}
				a.reply <- r
				idle.Reset(idleCopy)
			case <-idle.C:
				return nil
			case <-c.over:
				return nil
			case <-ctx.Done():
				return nil
			}
		}
	})
}
