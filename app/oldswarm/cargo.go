package swarm

import (
	"context"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
)

// cargo is a move under way.
type cargo struct {
	s       *Swarm
	to      string
	n, seq  uint64
	domains []crawl.Domain
	at      mark
	slow    bool // the receiver stands by
}

// mark is where the export of a move goes on. The receiver keeps it, so that a
// sender that restarts finds its place.
type mark struct {
	_      struct{} `cbor:",toarray"`
	Index  int      // of the domain
	Cursor []byte
}

// ask asks how far the move is.
func (c *cargo) ask(ctx context.Context) (wire.MoveState, error) {
	answer, err := call[wire.MoveAnswer](ctx, c.s, c.to, wire.KindMove, &wire.Move{N: c.n, Domains: c.domains})
	if err != nil {
		return 0, err
	}
	c.seq = answer.Seq
	c.hear(&answer)
	if len(answer.Mark) > 0 {
		if err := cbor.Unmarshal(answer.Mark, &c.at); err != nil || c.at.Index < 0 || c.at.Index > len(c.domains) {
			c.s.refuse(c.to, "mark of a move", 20)
			return wire.MoveDeclined, nil // not the mark we gave it
		}
	}
	return answer.State, nil
}

// hear takes note of how the receiver wants the next part.
func (c *cargo) hear(a *wire.MoveAnswer) {
	if c.slow = a.State == wire.MoveSlowly; c.slow {
		a.State = wire.MoveTaken
	}
}

// isSlow reports whether the next part is to be a small one.
func (c *cargo) isSlow() bool { return c.slow || c.s.slow() }

// slowLeast is how many bytes must be free in a small part for another domain to begin in it.
const slowLeast = wire.MaxItem / 4

// next carries the next part.
func (c *cargo) next(ctx context.Context) (wire.MoveState, error) {
	m := &wire.Move{N: c.n, Seq: c.seq + 1, Domains: c.domains}
	to := c.at
	room, least := wire.MaxChunk-2*wire.MaxItem, wire.MaxItem
	if c.isSlow() {
		room, least = wire.MaxItem, slowLeast
	}
	for to.Index < len(c.domains) && room >= least {
		items, next, done, err := c.s.cfg.Frontier.Export(ctx, c.domains[to.Index], to.Cursor, room)
		if err != nil {
			return 0, err
		}
		for _, item := range items {
			room -= len(item)
		}
		m.Items = append(m.Items, items...)
		if to.Cursor = next; done {
			to = mark{Index: to.Index + 1}
		} else if len(items) == 0 {
			break
		}
	}
	m.Last = to.Index >= len(c.domains)
	raw, err := cbor.Marshal(&to)
	if err != nil {
		return 0, err
	}
	m.Mark = raw
	answer, err := call[wire.MoveAnswer](ctx, c.s, c.to, wire.KindMove, m)
	if err != nil {
		return 0, err
	}
	c.hear(&answer)
	switch {
	case answer.State != wire.MoveTaken:
	case answer.Seq == m.Seq:
		c.seq, c.at = m.Seq, to
	default:
		return 0, fmt.Errorf("part %d of move %d: the peer has part %d", m.Seq, c.n, answer.Seq)
	}
	return answer.State, nil
}
