package swarm

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// A lease is the right to visit a domain, but thousands of domains may share one
// server. So before its first request to an address a fetcher takes a slot of it, in
// two steps: it asks the log that granted its lease (Slot), where it is known whether the
// lease lives (slotkeeper.go). That one asks the log that owns the address (TakeSlot),
// as if it were a domain, where it is known who else is there (slotowner.go).
// Slots go home with their lease.

// SlotUse is what came of a slot.
type SlotUse struct {
	// Gap is how long the address should rest, counted from now; 0 if it was sent no
	// request.
	Gap time.Duration
	// Good is how many answers came that were neither refusals nor failures. Bad says
	// that there were others.
	Good int
	Bad  bool
}

// TakeSlot asks for a slot of an address for a lease that this node works, or renews
// the one it has. It is held for as long as a lease lasts, counted from the call. If
// it is refused, wait says not before when it is worth asking again; after an error
// it may be held.
func (s *Swarm) TakeSlot(ctx context.Context, l crawl.Lease, address string) (ok bool, wait time.Duration, err error) {
	name := heldLease{l.Granter, l.ID}
	if l.Granter == "" && s.leads() && s.lone.add(name, address, l.For) {
		return true, 0, nil
	}
	answer, err := call[wire.SlotAnswer](ctx, s, cmp.Or(l.Granter, s.net.Self()), wire.KindSlot, &wire.Slot{
		Lease: l.ID, Domain: l.Domain, Address: address,
	})
	if later, is := errors.AsType[*calls.Busy](err); is {
		return false, later.After, nil
	}
	if err != nil {
		return false, 0, err
	}
	if answer.Leases > 0 {
		s.lone.drop(name, address) // until then it was visited for that
	}
	return answer.Leases > 0, min(time.Duration(answer.WaitMs)*time.Millisecond, maxHold), nil
}

// FreeSlot gives back a slot that TakeSlot took, or may have taken, when its lease
// ends. It does not block. The lease is to be given back after it.
func (s *Swarm) FreeSlot(l crawl.Lease, address string, u SlotUse) {
	if s.lone.free(heldLease{l.Granter, l.ID}, address, u.Gap) {
		return
	}
	use := wire.SlotUse{
		Address: address, GapMs: max(u.Gap.Milliseconds(), 0), Good: uint16(min(max(u.Good, 0), 1<<15)), Bad: u.Bad,
	}
	if l.Granter == "" && s.leads() {
		s.keeper.over(s.net.Self(), l.Domain, l.ID, use)
		return
	}
	home := cmp.Or(l.Granter, s.net.Self())
	s.returns.freeSlot(l, home, use)
	if l.Granter == "" { // the end of an own lease takes another way
		s.returns.hurry(home)
	}
}

// lone knows the addresses that this node visits while nobody else visits any: then its
// own fetchers, which wait for each other, are all there are, and no slot is taken.
// When others come, they are told of those that are still visited.
type lone struct {
	is  func() bool // whether nobody else is there
	now func() time.Time

	mu sync.Mutex
	// held is until when leases visit addresses, or those rest for their sake.
	held  map[string]map[heldLease]time.Time
	sweep int       // the number of addresses at which to look for those that are over
	lent  time.Time // not before then is this node alone again: leases were granted to others
}

// loneSweep is the least number of addresses to look through.
const loneSweep = 256

func newLone(is func() bool, now func() time.Time) *lone {
	return &lone{is: is, now: now, held: make(map[string]map[heldLease]time.Time), sweep: loneSweep}
}

// add notes that a lease visits an address, and reports whether this node is alone;
// else it notes nothing.
func (o *lone) add(name heldLease, address string, lasts time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	if now.Before(o.lent) || !o.is() {
		return false
	}
	o.put(name, address, now.Add(lasts), now)
	return true
}

// put is called with the mutex held.
func (o *lone) put(name heldLease, address string, until, now time.Time) {
	if len(o.held) >= o.sweep {
		for other := range o.held {
			o.expire(other, now)
		}
		o.sweep = max(2*len(o.held), loneSweep)
	}
	if o.held[address] == nil {
		o.held[address] = make(map[heldLease]time.Time)
	}
	o.held[address][name] = until
}

// expire forgets what is over of an address. The mutex is held.
func (o *lone) expire(address string, now time.Time) {
	leases := o.held[address]
	for name, until := range leases {
		if !now.Before(until) {
			delete(leases, name)
		}
	}
	if len(leases) == 0 {
		delete(o.held, address)
	}
}

// drop forgets that a lease visits an address, and reports whether that was known.
func (o *lone) drop(name heldLease, address string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, is := o.held[address][name]
	delete(o.held[address], name)
	o.expire(address, o.now())
	return is
}

// free has an address rest that a lease visits no more, and reports whether it was
// known to.
func (o *lone) free(name heldLease, address string, gap time.Duration) bool {
	if !o.drop(name, address) {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	o.put(name, address, now.Add(gap), now)
	return true
}

// lend notes that another node is granted leases: for so long it works them.
func (o *lone) lend(lasts time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if until := o.now().Add(lasts); until.After(o.lent) {
		o.lent = until
	}
}

// left returns how long an address is still visited, or rests, but for the sake of one lease.
func (o *lone) left(address string, but heldLease) (left time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	for name, until := range o.held[address] {
		if name != but {
			left = max(left, until.Sub(now))
		}
	}
	return left
}

// all returns the addresses that are still visited.
func (o *lone) all() (list []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	for address := range o.held {
		if o.expire(address, now); o.held[address] != nil {
			list = append(list, address)
		}
	}
	return list
}
