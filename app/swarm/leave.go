package swarm

import (
	"context"
	"errors"
	"time"
)

// sendOutFor is how long a node that leaves tries to empty its outbox.
const sendOutFor = 3 * time.Second

// sendOut empties the outbox, as far as the owners of the links take them.
func (s *Swarm) sendOut(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sendOutFor)
	defer cancel()
	for {
		t, err := s.cfg.Frontier.Totals()
		if err != nil || t.Outbox == 0 || s.sender.round(ctx) != nil || !sleep(ctx, leaseLook) {
			return // what is left waits for the next start
		}
	}
}

// errNobody means that all others left too.
var errNobody = errors.New("nobody is left to take them")

// Leave hands all domains to the members that own them without this node.
// Domains that are not handed over when ctx is done stay.
func (s *Swarm) Leave(ctx context.Context) error {
	s.leaving.Store(true)
	signal(s.keeper.wake)
	s.sendOut(ctx)
	defer s.sendOut(ctx) // links to what was closed meanwhile
	for {
		if len(s.net.Neighbours(1)) == 0 {
			return errNobody
		}
		left, err := s.mover.round(ctx)
		if err != nil || !left {
			if closing, cerr := s.cfg.Frontier.Closing("", 1); err == nil && (cerr != nil || len(closing) == 0) {
				return cerr
			} else if err != nil {
				return err
			}
		}
		if !sleep(ctx, leaseLook) {
			return ctx.Err()
		}
	}
}
