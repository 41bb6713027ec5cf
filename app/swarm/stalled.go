package swarm

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl/frontier"
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

// round ends moves that have stood still for too long. What was known here of
// their domains before is as it was.
func (x *stalled) round(ctx context.Context) error {
	list, err := x.s.cfg.Frontier.Arrivals()
	if err != nil {
		return err
	}
	now := x.s.now()
	for _, m := range x.look(list, now) {
		x.s.refuse(m.from, "move that does not go on", 20)
		applied, err := x.s.cfg.Frontier.Propose(ctx, frontier.Entry{Abort: &frontier.Abort{From: m.from, N: m.n}})
		for err == nil && applied[0].Again {
			applied, err = x.s.cfg.Frontier.Propose(ctx, frontier.Entry{Abort: &frontier.Abort{From: m.from, N: m.n}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// look notes how far moves are, and returns those to end.
func (x *stalled) look(list []frontier.Move, now time.Time) (over []moveName) {
	x.mu.Lock()
	defer x.mu.Unlock()
	moves := make(map[moveName]progress, len(list))
	for _, m := range list {
		name := moveName{m.From, m.N}
		p, is := x.moves[name]
		if !is || p.seq != m.Seq || x.s.slow() { // on standby others may have their turn for long
			p = progress{m.Seq, now}
		}
		moves[name] = p
		if m.State == frontier.MoveArriving && now.Sub(p.since) > stalledFor*x.s.cfg.LeaseFor {
			over = append(over, name)
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
