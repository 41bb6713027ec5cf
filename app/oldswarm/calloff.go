package swarm

import (
	"context"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

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
	within, cancel := context.WithTimeout(ctx, pursueWithin)
	answer, err := call[wire.MoveAnswer](within, m.s, to, wire.KindMove, &wire.Move{N: n, Abort: true, Domains: domains})
	cancel()
	end := frontier.Entry{Reopen: &frontier.Reopen{Domains: domains, N: n, Careful: err != nil}}
	switch lost := m.s.lostLogs.is(to, err); {
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
