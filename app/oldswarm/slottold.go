package swarm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// maxToldSlots bounds the slots of which one log tells another, tellAtOnce how many are told at a time.
	maxToldSlots = 16 * wire.MaxHeldSlots
	tellAtOnce   = 16
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
	if owners != b.owners {
		return // it knows nothing of what is this log's only since
	}
	if gone {
		t.ok = true
	}
	if agrees {
		t.ok, t.more, t.held = true, answer.More, nil
		t.hold(answer.List, now, b.leaseTime())
	}
}

// hold adds what another log has said.
func (t *told) hold(list []wire.HeldSlot, now time.Time, leaseTime time.Duration) {
	if t.held == nil {
		t.held = make(map[string][]heldSlot, len(list))
	}
	// Who has a slot asks for it anew with each lease, and finds the new owner.
	most := leaseTime + frontier.MaxSlotGap
	for _, x := range list {
		h := heldSlot{now.Add(min(time.Duration(x.LeftMs)*time.Millisecond, most)), x.Granter, x.Lease}
		same := slices.IndexFunc(t.held[x.Address], func(o heldSlot) bool { return o.granter == h.granter && o.lease == h.lease })
		if same < 0 {
			t.held[x.Address] = append(t.held[x.Address], h)
		} else if o := &t.held[x.Address][same]; h.until.After(o.until) {
			o.until = h.until
		}
	}
}

// count is of how many slots another log has spoken that are not over yet; what is over it forgets.
func (t *told) count(now time.Time) (n int) {
	for address, list := range t.held {
		if list = slices.DeleteFunc(list, func(h heldSlot) bool { return !now.Before(h.until) }); len(list) == 0 {
			delete(t.held, address)
			continue
		}
		t.held[address] = list
		n += len(list)
	}
	return n
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
	if !s.net.Holds(from) {
		return nil, lie("slots of who owns nothing", 5)
	}
	b := s.addresses
	list := slices.DeleteFunc(m.List, func(x wire.HeldSlot) bool {
		_, is := b.isElsewhere(x.Address)
		return is || !frontier.ValidAddress(x.Address)
	})
	if len(list) == 0 {
		return wire.Encode(&wire.Done{}), nil
	}
	b.see(owners)
	now := s.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.told[from]
	if t == nil {
		t = new(told)
		b.told[from] = t
	}
	if t.count(now)+len(list) > maxToldSlots {
		return nil, busy(heldMost)
	}
	// It only adds. Whether that is all it has granted, its log is asked as ever: others may speak for it.
	t.hold(list, now, b.leaseTime())
	for _, x := range list {
		delete(b.sure, x.Address)
	}
	return wire.Encode(&wire.Done{}), nil
}

// tellHeirs tells the new owners of this log's addresses who has slots of them, but those that have been told. Once
// it has left nobody can ask it.
func (b *addresses) tellHeirs(ctx context.Context, done map[string]bool) error {
	if !b.s.leads() {
		return frontier.ErrNotLed
	}
	if b.s.cfg.Frontier.Pending() > 0 {
		if _, err := b.s.cfg.Frontier.Propose(ctx); err != nil {
			return err
		}
	}
	all, more, err := b.heldOf(maxToldSlots, func(address string) bool { _, is := b.isElsewhere(address); return is })
	if err != nil {
		return err
	}
	if more {
		return errManySlots
	}
	byOwner := make(map[string][]wire.HeldSlot)
	for _, x := range all {
		if owner, is := b.isElsewhere(x.Address); is && !done[owner] {
			byOwner[owner] = append(byOwner[owner], x)
		}
	}
	owners := b.s.net.Owners()
	var tells sync.WaitGroup
	var mu sync.Mutex
	turns := make(chan struct{}, tellAtOnce)
	for owner, list := range byOwner {
		tells.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			var failed error
			for part := range slices.Chunk(list, wire.MaxHeldSlots) {
				_, one := call[wire.Done](ctx, b.s, owner, wire.KindTellSlots, &wire.HeldSlots{Owners: owners[:], List: part})
				failed = errors.Join(failed, one)
			}
			mu.Lock()
			defer mu.Unlock()
			done[owner], err = failed == nil, errors.Join(err, failed)
		})
	}
	tells.Wait()
	return err
}

// errManySlots means that a node has granted more slots than it can tell of.
var errManySlots = errors.New("there are too many")

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
				list[i] = heldSlot{until: now.Add(rest)}
			}
		}
	}
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
	if answer.List, answer.More, err = s.addresses.heldOf(wire.MaxHeldSlots, isTheirs); err != nil {
		return nil, err
	}
	return wire.Encode(&answer), nil
}

// heldOf returns at most limit slots that are held of some addresses: those that this log granted,
// and those that others told it of that have left.
func (b *addresses) heldOf(limit int, which func(address string) bool) (list []wire.HeldSlot, more bool, err error) {
	own, more, err := b.s.cfg.Frontier.HeldSlots(limit, which)
	if err != nil {
		return nil, false, err
	}
	add := func(address string, left time.Duration, granter string, lease crawl.LeaseID) {
		if len(list) >= limit {
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
