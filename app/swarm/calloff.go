package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/wire"
)

// maxLost bounds the members out whose logs are known to be led by nobody.
const maxLost = 1024

// isStale reports whether domains on their way to a member do not belong to it
// any more: the members have changed.
func (m *mover) isStale(to string, domains []crawl.Domain) bool {
	for _, d := range domains {
		if owner, ok := m.s.net.Owner(d); !ok || owner != to {
			return true
		}
	}
	return false
}

// callOff opens domains again, once whom they were to go to has said that it
// will not, or it and its log are gone. If it has opened them already, they are its own.
func (m *mover) callOff(ctx context.Context, to string, n uint64, domains []crawl.Domain) error {
	end := frontier.Entry{Reopen: &frontier.Reopen{Domains: domains, N: n}}
	answer, err := call[wire.MoveAnswer](ctx, m.s, to, wire.KindMove, &wire.Move{N: n, Abort: true, Domains: domains})
	switch lost := m.isLost(to, err); {
	case err != nil && !lost:
		return fmt.Errorf("call a move off: %w", err)
	case err == nil && answer.State == wire.MoveOpened:
		end = frontier.Entry{Gone: &frontier.Gone{Domains: domains, To: to, N: n}}
	case err == nil && answer.State != wire.MoveDeclined:
		return errOnTheMove
	}
	_, err = m.s.cfg.Frontier.Propose(ctx, end)
	return err
}

// isLost reports whether a member is out and nobody has its log, or has led it for long, given what became of a
// question to it: partners go on with the log of one that is out, and may have what was brought to it.
func (m *mover) isLost(p string, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.s.net.Holds(p) || !errors.Is(err, errNoLeader) && !isNoAnswer(err) {
		delete(m.lost, p)
		return false
	}
	now := m.s.now()
	since, is := m.lost[p]
	if !is {
		if len(m.lost) >= maxLost {
			clear(m.lost)
		}
		m.lost[p], since = now, now
	}
	return errors.Is(err, errNoLog) || now.Sub(since) > m.s.leaderless()
}

// leaderless is how long a log that nobody leads may still be led again.
func (s *Swarm) leaderless() time.Duration { return max(s.cfg.Leaderless, unansweredFor) }
