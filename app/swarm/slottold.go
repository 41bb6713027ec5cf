package swarm

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/wire"
)

// told is what another log has said of the slots it has granted.
type told struct {
	at     time.Time             // of the last answer or failure
	ok     bool                  // it has answered since the members changed
	held   map[string][]heldSlot // of the addresses that are ours now, by its last answer
	more   bool                  // and others
	asking chan struct{}         // closed with the answer that is waited for; nil if none is
}

// heldSlot is a slot that another log has granted, until when it is over at the latest, and who may give
// it back before: "" and 0 if nobody.
type heldSlot struct {
	until   time.Time
	granter string
	lease   crawl.LeaseID
}

// left is for how long an address is held, 0 or less if it is not.
func (t *told) left(address string, now time.Time) (left time.Duration) {
	for _, h := range t.held[address] {
		left = max(left, h.until.Sub(now))
	}
	return left
}

// inquire asks another log which slots it has granted of addresses that are this log's
// now. Its answer counts only if it knows the same members.
func (b *addresses) inquire(log string, t *told, owners [16]byte) {
	ctx, cancel := context.WithTimeout(b.s.life, askWithin)
	defer cancel()
	answer, err := call[wire.HeldSlots](ctx, b.s, log, wire.KindHeldSlots, &wire.AskSlots{Owners: owners[:]})
	agrees := err == nil && [16]byte(answer.Owners) == owners
	// Nobody gives up a member before what it has granted is over, and who leaves tells of it before.
	gone := errors.Is(err, errNoLog) && !b.s.net.Holds(log)
	if err == nil && !agrees {
		b.s.net.Resync(log)
	}
	now := b.s.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	close(t.asking)
	t.asking = nil
	if t.at = now; owners != b.owners {
		t.at = time.Time{} // asked before the members changed
	}
	if gone {
		t.ok, t.more = owners == b.owners, false
	}
	if agrees {
		t.ok, t.more = owners == b.owners, answer.More
		t.hold(answer.List, now, b.leaseTime())
	}
}

// hold takes over what another log has said last.
func (t *told) hold(list []wire.HeldSlot, now time.Time, leaseTime time.Duration) {
	t.held = make(map[string][]heldSlot, len(list))
	// Who has a slot asks for it anew with each lease, and finds the new owner.
	most := leaseTime + frontier.MaxSlotGap
	for _, x := range list {
		until := now.Add(min(time.Duration(x.LeftMs)*time.Millisecond, most))
		t.held[x.Address] = append(t.held[x.Address], heldSlot{until, x.Granter, x.Lease})
	}
}

// handleTellSlots hears from who is about to leave which slots it has granted of addresses that are this log's now.
func (s *Swarm) handleTellSlots(_ context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.HeldSlots](body)
	if err != nil {
		return nil, lie("slots told of", 20)
	}
	owners := s.net.Owners()
	if [16]byte(m.Owners) != owners {
		s.net.Resync(from)
		return nil, busy(time.Second)
	}
	list := slices.DeleteFunc(m.List, func(x wire.HeldSlot) bool { return !s.mayOwn(from, crawl.Domain(x.Address)) })
	if len(list) < len(m.List) {
		return nil, lie("slots of addresses of others", 5)
	}
	b := s.addresses
	b.see(owners)
	now := s.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.told[from]
	if t == nil {
		t = new(told)
		b.told[from] = t
	}
	t.at, t.ok, t.more = now, true, m.More
	t.hold(list, now, b.leaseTime())
	for address := range t.held {
		delete(b.sure, address)
	}
	return wire.Encode(&wire.Done{}), nil
}

// tellHeirs tells the new owners of this log's addresses who has slots of them. Once it has left nobody can ask it.
func (b *addresses) tellHeirs(ctx context.Context) error {
	if b.s.cfg.Frontier.Pending() > 0 {
		if _, err := b.s.cfg.Frontier.Propose(ctx); err != nil {
			return err
		}
	}
	all, more, err := b.heldOf(func(address string) bool { _, is := b.isElsewhere(address); return is })
	if err != nil {
		return err
	}
	byOwner := make(map[string][]wire.HeldSlot)
	for _, x := range all {
		owner, _ := b.isElsewhere(x.Address)
		byOwner[owner] = append(byOwner[owner], x)
	}
	owners := b.s.net.Owners()
	for owner, list := range byOwner {
		_, failed := call[wire.Done](ctx, b.s, owner, wire.KindTellSlots, &wire.HeldSlots{Owners: owners[:], List: list, More: more})
		err = errors.Join(err, failed)
	}
	return err
}

// gaveBack takes back a slot that another log has granted: who has it may not reach that log any more.
func (b *addresses) gaveBack(from string, u *wire.Unslot) {
	rest := time.Duration(u.Use.GapMs) * time.Millisecond
	if rest > 0 || u.Use.Good > 0 || u.Use.Bad {
		rest = min(max(rest, b.s.cfg.Frontier.LeastSlotGap()), frontier.MaxSlotGap)
	}
	now := b.s.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.told {
		list := t.held[u.Use.Address]
		for i := range list {
			if list[i].granter == from && list[i].lease == u.Lease {
				list[i] = heldSlot{until: earlier(list[i].until, now.Add(rest))}
			}
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// handleHeldSlots tells the new owner of addresses who has slots of them. From then on
// this log grants none.
func (s *Swarm) handleHeldSlots(ctx context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.AskSlots](body)
	if err != nil {
		return nil, lie("question for slots", 20)
	}
	owners := s.net.Owners()
	answer := wire.HeldSlots{Owners: owners[:]}
	if [16]byte(m.Owners) != owners {
		s.net.Resync(from)
		return wire.Encode(&answer), nil
	}
	s.addresses.see(owners)           // some are not this log's any more, before it says so
	if s.cfg.Frontier.Pending() > 0 { // what is being granted is to be told too, and what came back not to be
		if _, err := s.cfg.Frontier.Propose(ctx); err != nil {
			return nil, busy(time.Second)
		}
	}
	isTheirs := func(address string) bool {
		owner, ok := s.net.Owner(crawl.Domain(address))
		return ok && owner == from
	}
	if answer.List, answer.More, err = s.addresses.heldOf(isTheirs); err != nil {
		return nil, err
	}
	return wire.Encode(&answer), nil
}

// heldOf returns at most wire.MaxHeldSlots slots that are held of some addresses: those that this log granted,
// and those that others told it of that have left.
func (b *addresses) heldOf(which func(address string) bool) (list []wire.HeldSlot, more bool, err error) {
	own, more, err := b.s.cfg.Frontier.HeldSlots(wire.MaxHeldSlots, which)
	if err != nil {
		return nil, false, err
	}
	add := func(address string, left time.Duration, granter string, lease crawl.LeaseID) {
		if len(list) >= wire.MaxHeldSlots {
			more = true
			return
		}
		list = append(list, wire.HeldSlot{Address: address, LeftMs: max(left.Milliseconds(), 1), Granter: granter, Lease: lease})
	}
	for _, x := range own {
		add(x.Address, x.Left, x.Granter, x.Lease)
	}
	for _, address := range b.s.lone.all() {
		if left := b.s.lone.left(address, heldLease{}); left > 0 && which(address) {
			add(address, left, "", 0)
		}
	}
	now := b.s.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	for log, t := range b.told {
		if b.s.net.Holds(log) {
			continue // it is asked itself, and knows better
		}
		for address, held := range t.held {
			for _, h := range held {
				if left := h.until.Sub(now); left > 0 && which(address) {
					add(address, left, h.granter, h.lease)
				}
			}
		}
	}
	return list, more, nil
}
