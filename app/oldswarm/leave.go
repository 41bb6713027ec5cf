package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// sendOutFor is how long a node that leaves tries to empty its outbox.
	sendOutFor = 3 * time.Second
	// callHomeFor is how long it waits for the leases of its domains, slotsHomeFor for its slots of addresses to be
	// taken back. What does not come home makes sites wait until it lapses.
	callHomeFor  = 2 * time.Second
	slotsHomeFor = unslotWithin
	// tellFor is how long it tries to tell who has slots of addresses that were its own, tellAgain the wait before it tells
	// those again that were not reached.
	tellFor   = 6 * time.Second
	tellAgain = 500 * time.Millisecond
)

// sendOut empties the outbox, as far as the owners of the links take them.
func (s *Swarm) sendOut(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sendOutFor)
	defer cancel()
	for {
		t, err := s.cfg.Frontier.Totals()
		if err != nil || t.Outbox == 0 || s.sender.round(ctx) != nil || !sleep(ctx, leaseLook) {
			return // what is left waits for the next start
		}
		if s.cfg.Frontier.Pending() > 0 { // word of what was sent does not wait for company
			if _, err := s.cfg.Frontier.Propose(ctx); err != nil {
				return
			}
		}
	}
}

// callAllHome calls the leases of all domains home, and waits for them.
func (s *Swarm) callAllHome(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callHomeFor)
	defer cancel()
	recalled := make(map[crawl.LeaseID]bool)
	for {
		leases, err := s.cfg.Frontier.Leases()
		if err != nil || len(leases) == 0 {
			return
		}
		byHolder := make(map[string][]crawl.LeaseID)
		for _, l := range leases {
			if !recalled[l.ID] {
				recalled[l.ID] = true
				byHolder[l.Holder] = append(byHolder[l.Holder], l.ID)
			}
		}
		for holder, ids := range byHolder {
			for part := range slices.Chunk(ids, wire.MaxLeases) {
				s.wg.Go(func() { s.mover.recall(ctx, holder, part) })
			}
		}
		if !sleep(ctx, leaseLook) {
			return
		}
	}
}

// giveSlotsBack waits until the owners of addresses know that this node's domains visit them no more.
func (s *Swarm) giveSlotsBack(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, slotsHomeFor)
	defer cancel()
	for s.leads() && s.keeper.hurryBack() && sleep(ctx, leaseLook) {
	}
}

// errNobody means that all others left too.
var errNobody = errors.New("nobody is left to take them")

// ErrSlots means that the new owners of addresses were not told who visits them.
var ErrSlots = errors.New("who visits some servers could not be told")

// Leave hands all domains to the members that own them without this node.
// Domains that are not handed over when ctx is done stay. After an error the node must not say that it has left.
func (s *Swarm) Leave(ctx context.Context) error {
	s.leaving.Store(true)
	s.callAllHome(ctx)
	s.sendOut(ctx)
	err := s.handOver(ctx)
	s.giveSlotsBack(ctx)
	if err == nil {
		err = s.tellOfSlots(ctx)
	}
	s.sendOut(ctx) // links to what was closed meanwhile
	return err
}

// tellOfSlots tells of slots until all who must know do.
func (s *Swarm) tellOfSlots(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tellFor)
	defer cancel()
	done := make(map[string]bool)
	for {
		err := s.addresses.tellHeirs(ctx, done)
		if err == nil {
			return nil
		}
		if !sleep(ctx, tellAgain) {
			return fmt.Errorf("%w: %w", ErrSlots, err)
		}
	}
}

// handOver moves all domains.
func (s *Swarm) handOver(ctx context.Context) error {
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
