package swarm

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// maxArriving is how many moves of one member may be under way to here: one,
	// and some that were begun before it restarted.
	maxArriving = 4
	// stalledFor is for how many leases' time a move may stand still. As long as
	// it is not over nobody visits its domains.
	stalledFor = 10
	// slowlyStalled is how many times longer moves from members that are out may stand still on standby, where others may
	// have their turn for long. Those of others may for as long as it lasts.
	slowlyStalled = 6
)

// moveName names a move to here.
type moveName struct {
	from string
	n    uint64
}

// progress is how far a move had come, and when, moved forward by what of the time since counts less.
type progress struct {
	seq   uint64
	since time.Time
}

// stalled ends moves to here that do not go on.
type stalled struct {
	s *Swarm

	mu     sync.Mutex
	moves  map[moveName]progress
	looked time.Time // when they were looked at last
}

func newStalled(s *Swarm) *stalled { return &stalled{s: s, moves: make(map[moveName]progress)} }

// Serve looks after moves until ctx is done.
func (x *stalled) Serve(ctx context.Context) error {
	for sleep(ctx, x.s.cfg.LeaseFor/2) {
		if !x.s.open.Load() || !x.s.leads() {
			continue
		}
		if err := x.round(ctx); err != nil && ctx.Err() == nil {
			x.s.log.Warn("Moves not looked after for now", "error", err)
		}
	}
	return ctx.Err()
}

// round ends moves that have stood still for too long. What was known here of their domains before is as it was; of a sender that is gone
// for good nobody else has more than what has come.
func (x *stalled) round(ctx context.Context) error {
	list, err := x.s.cfg.Frontier.Arrivals()
	if err != nil {
		return err
	}
	still := x.look(list, x.s.now())
	lost := x.lost(ctx, list, still)
	for _, m := range list {
		stood := still[moveName{m.From, m.N}]
		switch held := x.s.net.Holds(m.From); {
		case m.State != frontier.MoveArriving, stood < x.s.cfg.LeaseFor:
		case !held && (lost[m.From] || stood > stalledFor*x.s.cfg.LeaseFor):
			err = x.open(ctx, &m)
		case held && stood > stalledFor*x.s.cfg.LeaseFor:
			x.s.refuse(m.From, "move that does not go on", 20)
			err = x.end(ctx, frontier.Entry{Abort: &frontier.Abort{From: m.From, N: m.N}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open opens what has come.
func (x *stalled) open(ctx context.Context, m *frontier.Move) error {
	if err := x.end(ctx, frontier.Entry{Opened: &frontier.Opened{From: m.From, N: m.N, Chunks: m.Seq, Orphan: true}}); err != nil {
		return err
	}
	x.s.expected.drop(m.Domains)
	x.s.log.Info("Domains go on with what came of them: their former owner is gone, and so is its log", "owner", peerName(m.From), "domains", len(m.Domains))
	return nil
}

func (x *stalled) end(ctx context.Context, e frontier.Entry) error {
	for {
		applied, err := x.s.cfg.Frontier.Propose(ctx, e)
		if err != nil || !applied[0].Again {
			return err
		}
	}
}

// lost returns the senders that are out and whose logs are lost. Only those are looked for of which nothing has come for a while.
func (x *stalled) lost(ctx context.Context, list []frontier.Move, still map[moveName]time.Duration) map[string]bool {
	lost := make(map[string]bool)
	if x.s.still() > 0 {
		return lost
	}
	digest := x.s.net.Digest()
	var mu sync.Mutex
	var asks sync.WaitGroup
	asked := make(map[string]bool)
	for _, m := range list {
		if asked[m.From] || x.s.net.Holds(m.From) || ownerOf(m.From) != m.From || still[moveName{m.From, m.N}] < x.s.cfg.LeaseFor || len(asked) == maxLostAsked {
			continue
		}
		asked[m.From] = true
		asks.Go(func() {
			within, cancel := context.WithTimeout(ctx, pursueWithin)
			defer cancel()
			_, err := call[wire.Had](within, x.s, m.From, wire.KindHave, &wire.Have{Roster: digest[:]})
			is := x.s.lostLogs.is(m.From, err)
			mu.Lock()
			defer mu.Unlock()
			lost[m.From] = is
		})
	}
	asks.Wait()
	return lost
}

// maxLostAsked bounds the senders whose logs are looked for in one round.
const maxLostAsked = 16

// look notes how far moves are, and returns for how long they have stood still.
func (x *stalled) look(list []frontier.Move, now time.Time) map[moveName]time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	moves, still := make(map[moveName]progress, len(list)), make(map[moveName]time.Duration, len(list))
	slow, passed := x.s.slow(), now.Sub(x.looked)
	for _, m := range list {
		name := moveName{m.From, m.N}
		p, is := x.moves[name]
		switch {
		case !is || p.seq != m.Seq || slow && x.s.net.Holds(m.From):
			p = progress{m.Seq, now}
		case slow:
			p.since = p.since.Add(passed - passed/slowlyStalled)
		}
		moves[name], still[name] = p, now.Sub(p.since)
	}
	x.moves, x.looked = moves, now
	return still
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
