package swarm

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// askedOwners is how many of the next in line for an address are asked who has slots
	// of it, as for domains.
	askedOwners = askedFirst
	// settleWithin is how long who wants a slot waits for their answers.
	settleWithin = 1500 * time.Millisecond
	// heldLeast and heldMost bound the wait for an address that another log has granted,
	// hurriedHeldLeast where gaps are short: its holder gives it back soon after the members
	// changed, long before it lapses. No member is asked again sooner.
	heldLeast        = time.Second
	hurriedHeldLeast = 200 * time.Millisecond
	heldMost         = 15 * time.Second
	// silentPart is the part of a lease's time after which a member is asked again that did
	// not answer.
	silentPart = 20
	// maxSure bounds the addresses that are known to be this log's, maxWanted those that
	// are known to be wanted by several.
	maxSure   = 1 << 16
	maxWanted = 1 << 14
	// wantedFor is for how many leases' time an address is taken to be wanted by others
	// after one was refused: longer than any slot lasts, so that those who have them know.
	wantedFor = 2
	// lapsedAtOnce is how many slots are ended at a time whose time is over, lapsedLook how
	// often they are looked for at least, lapsedSeldom while there are none.
	lapsedAtOnce = 256
	lapsedLook   = 6 * time.Second
	lapsedSeldom = time.Minute
)

// addresses grants slots of the addresses that this log owns.
//
// When the members change, or another one has led the log, somebody may have a slot of
// an address from the log that owned it before. So for as long as a lease lasts those who may
// be that log are asked first.
type addresses struct {
	s *Swarm

	granted atomic.Bool // a slot may have been, since it was looked last for those whose time is over

	mu     sync.Mutex
	wanted map[string]time.Time // until when an address is taken to be wanted by several
	owners [16]byte             // what the following is true of
	until  time.Time            // the next in line are to be asked
	sure   map[string]struct{}  // addresses that nobody else grants slots of
	told   map[string]*told     // by log
}

func newAddresses(s *Swarm) *addresses {
	return &addresses{s: s, wanted: make(map[string]time.Time), sure: make(map[string]struct{}), told: make(map[string]*told)}
}

// handleTakeSlot grants a slot of an address to the owner of a domain.
func (s *Swarm) handleTakeSlot(ctx context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.TakeSlot](body)
	if err != nil {
		return nil, lie("slot", 20)
	}
	if !frontier.ValidAddress(m.Address) {
		return nil, lie("slot of no address", 20)
	}
	if !s.open.Load() {
		return nil, busy(time.Second)
	}
	if !s.mayOwn(from, m.Domain) {
		s.net.Resync(from) // members may know of each other a moment sooner or later
		return nil, busy(time.Second)
	}
	answer, err := s.addresses.take(ctx, frontier.Slot{
		Address: m.Address, Granter: from, Lease: m.Lease, Domain: m.Domain, For: s.cfg.LeaseFor,
	})
	if errors.Is(err, frontier.ErrEntry) {
		return nil, lie("slot", 20)
	}
	if errors.Is(err, frontier.ErrNotLed) {
		return nil, busy(time.Second)
	}
	if err != nil {
		return nil, err
	}
	return wire.Encode(answer), nil
}

// take grants a slot for a lease's time, or says why not.
func (b *addresses) take(ctx context.Context, x frontier.Slot) (*wire.SlotAnswer, error) {
	if to, is := b.isElsewhere(x.Address); is {
		return &wire.SlotAnswer{To: to}, nil
	}
	b.see(b.s.net.Owners())
	var own heldLease // visits it already
	if x.Granter == b.s.net.Self() {
		own.id = x.Lease
	}
	if left := b.s.lone.left(x.Address, own); left > 0 {
		return notGranted(b.comeBack(left)), nil
	}
	if wait := b.settle(ctx, x.Address); wait > 0 {
		has, err := b.s.cfg.Frontier.HasSlot(x)
		if err != nil || !has {
			return notGranted(wait), err
		}
	}
	granted, wait, err := b.s.cfg.Frontier.TakeSlot(ctx, x)
	b.granted.Store(true) // it may be, after an error too
	if err != nil {
		return nil, err
	}
	if !granted {
		b.want(x.Address)
		return notGranted(wait), nil
	}
	if to, is := b.isElsewhere(x.Address); is { // its new owner may have been told that nobody has one
		err := b.s.cfg.Frontier.FreeSlot(ctx, frontier.Unslot{Address: x.Address, Granter: x.Granter, Lease: x.Lease})
		return &wire.SlotAnswer{To: to}, err
	}
	return &wire.SlotAnswer{Leases: 1, Wanted: b.isWanted(x.Address)}, nil
}

// comeBack is heldWait without the mutex.
func (b *addresses) comeBack(left time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.heldWait(left)
}

// notGranted is the answer that asks to come again.
func notGranted(wait time.Duration) *wire.SlotAnswer {
	return &wire.SlotAnswer{WaitMs: max(wait.Milliseconds(), 1)}
}

// isElsewhere returns whose an address is, if it is not this log's.
func (b *addresses) isElsewhere(address string) (to string, is bool) {
	owner, ok := b.s.net.Owner(crawl.Domain(address))
	return owner, ok && owner != b.s.net.Self()
}

// want notes that an address was asked for while others had it, and lets them know.
func (b *addresses) want(address string) {
	now := b.s.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	known := now.Before(b.wanted[address])
	if len(b.wanted) >= maxWanted {
		maps.DeleteFunc(b.wanted, func(_ string, until time.Time) bool { return !now.Before(until) || len(b.wanted) >= maxWanted })
	}
	b.wanted[address] = now.Add(wantedFor * b.s.cfg.LeaseFor)
	if !known { // else they were told with the slot
		b.s.wg.Go(func() { b.tell(address) })
	}
}

// tell tells those who have slots of an address that others want it.
func (b *addresses) tell(address string) {
	holders, err := b.s.cfg.Frontier.SlotHolders(address)
	for _, h := range holders {
		ctx, cancel := context.WithTimeout(b.s.life, askWithin)
		_, failed := call[wire.Done](ctx, b.s, h.Granter, wire.KindWanted, &wire.Wanted{Lease: h.Lease, Domain: h.Domain, Address: address})
		cancel()
		err = errors.Join(err, failed)
	}
	if err != nil { // the next who wants it has them told again
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.wanted, address)
	}
}

func (b *addresses) isWanted(address string) bool {
	now := b.s.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	return now.Before(b.wanted[address])
}

// arm has the next in line asked again for each address: another member led the log.
func (b *addresses) arm() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.renew(b.s.net.Owners())
	clear(b.sure)
}

// renew begins anew to ask for addresses that were not this log's all the time. The mutex
// is held.
func (b *addresses) renew(owners [16]byte) {
	b.owners, b.until = owners, b.s.now().Add(b.leaseTime())
	now := b.s.now()
	maps.DeleteFunc(b.told, func(_ string, t *told) bool {
		t.at, t.ok = time.Time{}, false
		maps.DeleteFunc(t.held, func(address string, _ []heldSlot) bool { return t.left(address, now) <= 0 })
		return len(t.held) == 0 && t.asking == nil
	})
	maps.DeleteFunc(b.sure, func(address string, _ struct{}) bool {
		_, is := b.isElsewhere(address)
		return is
	})
}

// settle returns 0 if no other log has granted a slot of an address that is still held, else
// when to ask again. It asks those who may have, and waits for a moment.
func (b *addresses) settle(ctx context.Context, address string) time.Duration {
	timer := time.NewTimer(settleWithin)
	defer timer.Stop()
	for {
		asked, wait := b.look(address)
		if len(asked) == 0 {
			return wait
		}
		for _, answered := range asked {
			select {
			case <-answered:
			case <-timer.C:
				return b.heldLeast()
			case <-ctx.Done():
				return b.heldLeast()
			}
		}
	}
}

// look returns the answers to wait for, or, if there are all, how long an address is held.
func (b *addresses) look(address string) (asked []<-chan struct{}, wait time.Duration) {
	now := b.s.now()
	owners := b.s.net.Owners()
	heirs := b.s.net.Heirs(crawl.Domain(address), askedOwners)
	b.mu.Lock()
	defer b.mu.Unlock()
	if owners != b.owners {
		b.renew(owners)
	}
	if _, is := b.sure[address]; is {
		return nil, 0
	}
	for log, t := range b.told {
		if t.left(address, now) > 0 && !slices.Contains(heirs, log) {
			heirs = append(heirs, log) // it may be about to go, and its word stands
		}
	}
	for _, log := range heirs {
		answer, left := b.ask(log, address, now)
		if answer != nil {
			asked = append(asked, answer)
		}
		wait = max(wait, left)
	}
	if len(asked) == 0 && wait == 0 {
		b.trust(address)
	}
	return asked, wait
}

// trust notes that nobody else grants slots of an address. The mutex is held.
func (b *addresses) trust(address string) {
	for other := range b.sure {
		if len(b.sure) < maxSure {
			break
		}
		delete(b.sure, other)
	}
	b.sure[address] = struct{}{}
}

// ask returns what another log has said of an address: for how long it is held. If it is to be
// asked, or asked again, the answer will come. The mutex is held.
func (b *addresses) ask(log, address string, now time.Time) (answer <-chan struct{}, wait time.Duration) {
	t := b.told[log]
	if t == nil {
		t = new(told)
		b.told[log] = t
	}
	held := t.left(address, now)
	known := t.ok && !t.more || !now.Before(b.until) // what it has granted before is over
	switch {
	case known && held <= 0:
		return nil, 0
	case known && !b.s.net.Holds(log): // it has left, and that is all it has said
		return nil, b.heldWait(held)
	case t.asking != nil:
		return t.asking, 0
	case !t.at.IsZero() && now.Sub(t.at) < b.again(t):
		return nil, b.heldWait(max(held, b.until.Sub(now)))
	}
	t.asking = make(chan struct{})
	owners := b.owners
	b.s.wg.Go(func() { b.inquire(log, t, owners) })
	return t.asking, 0
}

// again returns how old the word of another log is at least before it is asked again.
func (b *addresses) again(t *told) time.Duration {
	if t.ok {
		return b.heldLeast()
	}
	return b.s.cfg.LeaseFor / silentPart
}

// heldWait returns when it is worth looking again whether an address is free that is held for
// so long at most: the sooner, the less time has passed since the members changed. The mutex is held.
func (b *addresses) heldWait(left time.Duration) time.Duration {
	since := b.leaseTime() - b.until.Sub(b.s.now())
	return min(max(min(left, since/2), b.heldLeast()), heldMost)
}

func (b *addresses) heldLeast() time.Duration {
	if b.s.cfg.Hurry {
		return hurriedHeldLeast
	}
	return heldLeast
}

// leaseTime is how long a slot that was granted for a lease is held at most, as members count it.
func (b *addresses) leaseTime() time.Duration { return b.s.cfg.LeaseFor + b.s.cfg.LeaseFor/10 }

// see notes who owns what now.
func (b *addresses) see(owners [16]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if owners != b.owners {
		b.renew(owners)
	}
}

// handleUnslot takes slots back.
func (s *Swarm) handleUnslot(ctx context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Unslots](body)
	if err != nil {
		return nil, lie("slots given back", 20)
	}
	for _, u := range m.List {
		s.addresses.gaveBack(from, &u)
		err := s.cfg.Frontier.FreeSlot(ctx, frontier.Unslot{
			Address: u.Use.Address, Granter: from, Lease: u.Lease, Gap: time.Duration(u.Use.GapMs) * time.Millisecond,
			Good: uint32(u.Use.Good), Bad: u.Use.Bad,
		})
		if errors.Is(err, frontier.ErrEntry) {
			return nil, lie("slots given back", 20)
		}
		if errors.Is(err, frontier.ErrNotLed) {
			return nil, busy(time.Second)
		}
		if err != nil {
			return nil, err
		}
	}
	return wire.Encode(&wire.Done{}), nil
}

// Serve ends slots whose time is over until ctx is done.
func (b *addresses) Serve(ctx context.Context) error {
	led := false
	var none time.Time // since when there has been no slot
	for wait := time.Duration(0); sleep(ctx, wait); {
		wait = pulse.Within(lapsedLook)
		was := led
		if led = b.s.leads(); !led {
			wait = pulse.Until(time.Second)
			continue
		}
		if !was {
			b.arm()
			b.s.recount()
		} else if !b.granted.Load() && b.s.now().Sub(none) < lapsedSeldom {
			continue
		}
		b.granted.Store(false)
		over, next, err := b.s.cfg.Frontier.LapsedSlots(lapsedAtOnce)
		if err == nil && len(over) > 0 {
			entries := make([]frontier.Entry, len(over))
			for i := range over {
				entries[i].Unslot = &over[i]
			}
			_, err = b.s.cfg.Frontier.ProposeSoon(ctx, entries...)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, frontier.ErrNotLed) {
			b.s.log.Warn("Slots of addresses not ended for now", "error", err)
		}
		if none = (time.Time{}); err == nil && len(over) == 0 && next.IsZero() {
			none = b.s.now()
		}
		if !next.IsZero() {
			wait = min(wait, max(next.Sub(b.s.now()), wait/20))
		}
	}
	return ctx.Err()
}
