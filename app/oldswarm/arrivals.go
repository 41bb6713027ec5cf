package swarm

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

// handleMove takes a part of domains in that are this node's now.
func (s *Swarm) handleMove(ctx context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Move](body)
	if err != nil {
		return nil, lie("move", 20)
	}
	if wait := s.still(); wait > 0 && !m.Abort {
		return nil, busy(wait)
	}
	move, err := s.cfg.Frontier.Arrival(from, m.N)
	if err != nil {
		return nil, err
	}
	if move.State == frontier.MoveNone && !s.mayMove(from, m.Domains) {
		return s.unpack(ctx, from, &m)
	}
	if move.Orphan && move.State == frontier.MoveDeclined && s.mayMove(from, m.Domains) {
		// Its domains were opened here without it. It opens its own when it hears that the move was declined: nobody may be at work there then.
		if err := s.callHome(ctx, m.Domains); err != nil {
			return nil, err
		}
	}
	switch {
	case m.Abort:
		return s.moved(ctx, from, m.N, m.Domains, frontier.Entry{Abort: &frontier.Abort{From: from, N: m.N}})
	case move.State == frontier.MoveOpened:
		return moveAnswer(wire.MoveOpened, move), nil
	case move.State == frontier.MoveDeclined || move.State == frontier.MoveAborting:
		return moveAnswer(wire.MoveDeclined, move), nil
	case !s.open.Load():
		return nil, busy(time.Second)
	case s.leaving.Load() || !s.allOurs(from, m.Domains):
		return s.moved(ctx, from, m.N, m.Domains, frontier.Entry{Abort: &frontier.Abort{From: from, N: m.N}})
	case s.slow() && m.N != noMove && !s.turns.take(from, s.now()):
		return nil, busy(slowWait)
	case m.Seq == 0, move.State == frontier.MoveNone && m.Seq != 1: // it has to begin at the beginning
		if err := s.callHome(ctx, m.Domains); err != nil {
			return nil, err
		}
		return moveAnswer(s.taken(), move), nil
	}
	if err := checkCargo(&m); err != nil {
		return nil, err
	}
	// What was picked before they were expected may be leased by now, and what has not come yet
	// while nothing was heard from its sender.
	if err := s.callHome(ctx, m.Domains); err != nil {
		return nil, err
	}
	if move.State == frontier.MoveNone && !s.mayBegin(from) {
		return nil, busy(10 * time.Second)
	}
	m.Items = s.inScope(m.Items)
	entries := []frontier.Entry{{Chunk: &frontier.Chunk{From: from, N: m.N, Seq: m.Seq, Mark: m.Mark, Items: m.Items}}}
	if m.Last {
		entries = append(entries, frontier.Entry{Opened: &frontier.Opened{From: from, N: m.N, Chunks: m.Seq}})
	}
	return s.moved(ctx, from, m.N, m.Domains, entries...)
}

// callHome makes sure that no lease is out of domains that are about to be joined
// with what another member knows of them: its outcomes would find other tasks.
func (s *Swarm) callHome(ctx context.Context, domains []crawl.Domain) error {
	s.expected.add(domains, s.now(), nil)
	byHolder := make(map[string][]crawl.LeaseID)
	for _, d := range domains {
		l, ok, err := s.cfg.Frontier.LeaseOf(d)
		if err != nil {
			return err
		}
		if ok {
			byHolder[l.Holder] = append(byHolder[l.Holder], l.ID)
		}
	}
	if len(byHolder) == 0 {
		return nil
	}
	for holder, ids := range byHolder {
		s.mover.recall(ctx, holder, ids)
	}
	return busy(500 * time.Millisecond)
}

// allOurs reports whether domains belong to this node.
func (s *Swarm) allOurs(from string, domains []crawl.Domain) bool {
	for _, d := range domains {
		if !s.Owns(d) {
			s.net.Resync(from)
			return false
		}
	}
	return true
}

// checkCargo makes sure that a part is about the domains of its move alone.
func checkCargo(m *wire.Move) error {
	about, err := frontier.CheckItems(m.Items)
	if err != nil {
		return lie("move", 20)
	}
	announced := make(map[crawl.Domain]bool, len(m.Domains))
	for _, d := range m.Domains {
		announced[d] = true
	}
	for _, d := range about {
		if !announced[d] {
			return lie("move of other domains", 20)
		}
	}
	return nil
}

// moved proposes what is to become of a move, and says how it stands then.
func (s *Swarm) moved(ctx context.Context, from string, n uint64, domains []crawl.Domain, entries ...frontier.Entry) ([]byte, error) {
	applied, err := s.cfg.Frontier.Propose(ctx, entries...)
	if err != nil {
		s.log.Debug("Part of a move not taken", "from", peerName(from), "error", err)
		return nil, busy(2 * time.Second)
	}
	for _, a := range applied {
		if a.Again {
			if entries[0].Chunk != nil && s.givesWay(from, n, domains) {
				return s.moved(ctx, from, n, domains, frontier.Entry{Abort: &frontier.Abort{From: from, N: n}})
			}
			s.mover.look() // one of them may be on its way from here
			return nil, busy(200 * time.Millisecond)
		}
	}
	move, err := s.cfg.Frontier.Arrival(from, n)
	if err != nil {
		return nil, err
	}
	switch move.State {
	case frontier.MoveOpened:
		s.expected.drop(domains)
		if err := s.noteArrived(from, n, domains); err != nil {
			return nil, err
		}
		s.inquirer.came(from)
		s.tell(Event{Kind: DomainsTaken, Peer: from, Domain: domains[0], Domains: len(domains), Count: len(domains)})
		return moveAnswer(wire.MoveOpened, move), nil
	case frontier.MoveDeclined, frontier.MoveAborting, frontier.MoveNone:
		s.expected.drop(domains)
		return moveAnswer(wire.MoveDeclined, move), nil
	case frontier.MoveOpening:
		return nil, busy(200 * time.Millisecond)
	}
	return moveAnswer(s.taken(), move), nil
}

// givesWay reports whether a move that has brought domains waits for one that another move to here has brought, and that
// has the lower number: each could wait for a domain of the other, and the one that is undone comes again.
func (s *Swarm) givesWay(from string, n uint64, domains []crawl.Domain) bool {
	if move, err := s.cfg.Frontier.Arrival(from, n); err != nil || move.State != frontier.MoveArriving {
		return false
	}
	return slices.ContainsFunc(domains, func(d crawl.Domain) bool {
		p, err := s.cfg.Frontier.Where(d)
		return err == nil && p.State == frontier.StateArriving && cmp.Or(cmp.Compare(p.N, n), cmp.Compare(p.Peer, from)) < 0
	})
}

func moveAnswer(state wire.MoveState, m frontier.Move) []byte {
	return wire.Encode(&wire.MoveAnswer{State: state, Seq: m.Seq, Mark: m.Mark})
}
