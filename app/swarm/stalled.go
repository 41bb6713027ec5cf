package swarm

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// maxArriving is how many moves of one member may be under way to here: one,
	// and some that were begun before it restarted.
	maxArriving = 4
	// stalledFor is for how many leases' time a move may stand still. As long as
	// it is not over nobody visits its domains.
	stalledFor = 10
)

// moveName names a move to here.
type moveName struct {
	from string
	n    uint64
}

// progress is how far a move had come, and when.
type progress struct {
	seq   uint64
	since time.Time
}

// stalled ends moves to here that do not go on.
type stalled struct {
	s *Swarm

	mu    sync.Mutex
	moves map[moveName]progress
}

func newStalled(s *Swarm) *stalled { return &stalled{s: s, moves: make(map[moveName]progress)} }

// Serve looks after moves until ctx is done.
func (x *stalled) Serve(ctx context.Context) error {
	for sleep(ctx, x.s.cfg.LeaseFor/2) {
		if !x.s.leads() {
			continue
		}
		if err := x.round(ctx); err != nil && ctx.Err() == nil {
			x.s.log.Warn("Moves not looked after for now", "error", err)
		}
	}
	return ctx.Err()
}

// round ends moves that have stood still for too long, and those whose sender is gone for good.
func (x *stalled) round(ctx context.Context) error {
	list, err := x.s.cfg.Frontier.Arrivals()
	if err != nil {
		return err
	}
	stuck := x.look(list, x.s.now())
	lost := x.lost(ctx, list)
	for _, m := range list {
		if !lost[m.From] && !stuck[moveName{m.From, m.N}] {
			continue
		}
		if err := x.end(ctx, &m); err != nil {
			return err
		}
	}
	return nil
}

// end ends a move. What was known here of its domains before is as it was; of a sender that is out nobody else has more than
// what has come, or nobody who can be reached.
func (x *stalled) end(ctx context.Context, m *frontier.Move) error {
	e := frontier.Entry{Abort: &frontier.Abort{From: m.From, N: m.N}}
	if x.s.net.Holds(m.From) {
		x.s.refuse(m.From, "move that does not go on", 20)
	} else {
		e = frontier.Entry{Opened: &frontier.Opened{From: m.From, N: m.N, Chunks: m.Seq, Orphan: true}}
		x.s.log.Info("Domains go on with what came of them: their former owner is gone, and so is its log", "owner", peerName(m.From), "domains", len(m.Domains))
	}
	for {
		applied, err := x.s.cfg.Frontier.Propose(ctx, e)
		if err != nil || !applied[0].Again {
			return err
		}
	}
}

// lost returns the senders that are out and whose logs nobody has: a partner would lead such a log, and bring the rest.
func (x *stalled) lost(ctx context.Context, list []frontier.Move) map[string]bool {
	lost := make(map[string]bool)
	if x.s.still() > 0 {
		return lost
	}
	digest := x.s.net.Digest()
	for _, m := range list {
		if _, asked := lost[m.From]; asked || x.s.net.Holds(m.From) || ownerOf(m.From) != m.From || len(lost) == maxLostAsked {
			continue
		}
		within, cancel := context.WithTimeout(ctx, askWithin)
		_, err := call[wire.Had](within, x.s, m.From, wire.KindHave, &wire.Have{Roster: digest[:]})
		cancel()
		lost[m.From] = x.s.mover.isLost(m.From, err)
	}
	return lost
}

// maxLostAsked bounds the senders whose logs are looked for in one round.
const maxLostAsked = 16

// look notes how far moves are, and returns those that have stood still for too long.
func (x *stalled) look(list []frontier.Move, now time.Time) map[moveName]bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	moves, over := make(map[moveName]progress, len(list)), make(map[moveName]bool)
	for _, m := range list {
		name := moveName{m.From, m.N}
		p, is := x.moves[name]
		if !is || p.seq != m.Seq || x.s.slow() { // on standby others may have their turn for long
			p = progress{m.Seq, now}
		}
		moves[name] = p
		if m.State == frontier.MoveArriving && now.Sub(p.since) > stalledFor*x.s.cfg.LeaseFor {
			over[name] = true
		}
	}
	x.moves = moves
	return over
}

// mayBegin reports whether a member may begin another move.
func (s *Swarm) mayBegin(from string) bool {
	list, err := s.cfg.Frontier.Arrivals()
	if err != nil {
		return false
	}
	n := 0
	for _, m := range list {
		if m.From == from {
			n++
		}
	}
	return n < maxArriving
}
