package swarm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// unslotEvery is how long slots to be given back wait for others, hurriedUnslotEvery
	// where gaps are short: meanwhile nobody has the address.
	unslotEvery        = time.Second
	hurriedUnslotEvery = 50 * time.Millisecond
	// unslotWithin is how long that may take, unslotRetry the wait after it came to nothing.
	unslotWithin = 3 * time.Second
	unslotRetry  = 2 * time.Second
	// maxLentSlots bounds the slots of the domains of a log, maxUnslots those that wait to be
	// given back to one log; those beyond lapse.
	maxLentSlots = 1 << 14
	maxUnslots   = 4096
	// otherView is the wait when others know other members than this node.
	otherView = time.Second
)

// slotKeeper keeps the slots that the domains of this log have. What it forgets when
// another member comes to lead the log lapses.
type slotKeeper struct {
	s    *Swarm
	wake chan struct{}

	mu    sync.Mutex
	lent  map[crawl.Domain][]*lentSlot
	count int
	piles map[string]*unslotPile // by the log to tell
}

// lentSlot is a slot that a domain has of an address.
type lentSlot struct {
	domain  crawl.Domain
	address string
	log     string        // of the address
	name    crawl.LeaseID // what that calls the slot: the lease it was taken for
	granted bool          // surely, at some time
	until   time.Time     // it is held at most
	wanted  bool          // others want the address
	heard   time.Time     // of that last, but for answers
	// lease uses it, for a fetcher; 0 from kept on. Another one that asks for it has it when it
	// is granted again.
	lease crawl.LeaseID
	by    string
	kept  time.Time
	use   wire.SlotUse // what came of it so far; the gap counts from kept
}

// unslotPile is what is to be given back to one log.
type unslotPile struct {
	list    []lateUnslot
	due     time.Time
	flying  []lateUnslot // being told
	sending bool
}

// lateUnslot is a slot to be given back, and until when that is worth the while.
type lateUnslot struct {
	wire.Unslot
	until time.Time
	heir  bool // another log owns the address by now, and is to be told too
}

func newSlotKeeper(s *Swarm) *slotKeeper {
	return &slotKeeper{s: s, wake: make(chan struct{}, 1), lent: make(map[crawl.Domain][]*lentSlot), piles: make(map[string]*unslotPile)}
}

// handleSlot answers a fetcher that wants to send requests to an address.
func (s *Swarm) handleSlot(ctx context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Slot](body)
	if err != nil {
		return nil, lie("slot", 20)
	}
	if !s.open.Load() {
		return nil, busy(time.Second)
	}
	granted, known, err := s.cfg.Frontier.Leased(m.Lease, m.Domain)
	if err != nil {
		return nil, err
	}
	if known && granted.Holder != s.holder(from) {
		return nil, lie("slot for another's lease", 10)
	}
	if !known || !granted.Live {
		return nil, &calls.Refused{Text: "that lease is over"}
	}
	answer, err := s.keeper.take(ctx, from, &m)
	if err != nil {
		return nil, err
	}
	return wire.Encode(answer), nil
}

// take takes a slot for a lease, or the one that its domain has.
func (k *slotKeeper) take(ctx context.Context, from string, m *wire.Slot) (*wire.SlotAnswer, error) {
	x, log, err := k.begin(from, m)
	if err != nil {
		return nil, err
	}
	asked := k.s.now()
	answer, err := k.ask(ctx, log, m, x.name)
	if err == nil && answer.To != "" && answer.To != log && k.s.net.Holds(answer.To) {
		log = answer.To
		answer, err = k.ask(ctx, log, m, x.name)
	}
	var later *calls.Busy
	switch {
	case errors.As(err, &later):
		answer, err = wire.SlotAnswer{WaitMs: later.After.Milliseconds()}, nil
	case err == nil && answer.To != "":
		answer = wire.SlotAnswer{WaitMs: otherView.Milliseconds()}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case x.lease != m.Lease: // that lease ended meanwhile
	case err != nil: // it may be held
		x.log, x.until = log, latest(x.until, asked.Add(k.s.cfg.LeaseFor))
	case answer.Leases == 0:
		k.refused(x)
	default:
		x.granted, x.kept = true, time.Time{}
		x.log, x.until = log, asked.Add(k.s.cfg.LeaseFor)
		x.wanted = answer.Wanted || !x.heard.Before(asked) // somebody came for it before the answer was here
	}
	if err != nil {
		return nil, err
	}
	return &wire.SlotAnswer{Leases: answer.Leases, WaitMs: answer.WaitMs}, nil
}

// refused forgets a slot that was not granted. One that was not renewed is over as soon as
// no lease uses it. The mutex is held.
func (k *slotKeeper) refused(x *lentSlot) {
	switch {
	case !x.granted:
		k.remove(x)
	case !x.kept.IsZero():
		k.giveBack(x, k.s.now())
	default:
		x.wanted = true
	}
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// begin notes that a lease is about to use a slot of its domain, and returns the log to
// ask for it, or for more time.
func (k *slotKeeper) begin(from string, m *wire.Slot) (x *lentSlot, log string, err error) {
	log, ok := k.s.net.Owner(crawl.Domain(m.Address))
	if !ok {
		log = k.s.net.Self()
	}
	now := k.s.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if x = k.find(m.Domain, m.Address); x != nil && x.log != log { // the address has another owner now
		k.giveBack(x, now)
		x = nil
	}
	if x == nil {
		if k.isGoing(log, m.Lease) { // it would end the new one
			return nil, "", busy(k.every())
		}
		if using := k.using(m.Domain, m.Lease); using >= wire.MaxSlots {
			return nil, "", lie("slots of too many addresses", 5)
		}
		if k.count >= maxLentSlots && !k.giveOneBack(now) {
			return nil, "", busy(time.Second)
		}
		x = &lentSlot{domain: m.Domain, address: m.Address, log: log, name: m.Lease, until: now.Add(k.s.cfg.LeaseFor), use: wire.SlotUse{Address: m.Address}}
		k.lent[m.Domain] = append(k.lent[m.Domain], x)
		k.count++
		signal(k.wake)
	}
	x.lease, x.by = m.Lease, from
	return x, log, nil
}

func (k *slotKeeper) ask(ctx context.Context, log string, m *wire.Slot, name crawl.LeaseID) (wire.SlotAnswer, error) {
	return call[wire.SlotAnswer](ctx, k.s, log, wire.KindTakeSlot, &wire.TakeSlot{Lease: name, Domain: m.Domain, Address: m.Address, Leases: 1})
}

// find returns what a domain has of an address, nil if nothing. The mutex is held, as in
// what follows.
func (k *slotKeeper) find(d crawl.Domain, address string) *lentSlot {
	i := slices.IndexFunc(k.lent[d], func(x *lentSlot) bool { return x.address == address })
	if i < 0 {
		return nil
	}
	return k.lent[d][i]
}

// using returns how many slots a lease uses.
func (k *slotKeeper) using(d crawl.Domain, id crawl.LeaseID) (n int) {
	for _, x := range k.lent[d] {
		if x.lease == id {
			n++
		}
	}
	return n
}

func (k *slotKeeper) remove(x *lentSlot) {
	list := k.lent[x.domain]
	i := slices.Index(list, x)
	if i < 0 {
		return
	}
	k.count--
	if list = slices.Delete(list, i, i+1); len(list) == 0 {
		delete(k.lent, x.domain)
		return
	}
	k.lent[x.domain] = list
}

// giveBack has the log of the address told that a slot is over.
func (k *slotKeeper) giveBack(x *lentSlot, now time.Time) {
	k.remove(x)
	use := x.use
	if !x.kept.IsZero() {
		use.GapMs = max(use.GapMs-now.Sub(x.kept).Milliseconds(), 0)
	} else if x.granted { // its lease may just have sent a request
		use.GapMs = max(use.GapMs, 1)
	}
	k.give(x.log, lateUnslot{Unslot: wire.Unslot{Lease: x.name, Use: use}, until: latest(x.until, now).Add(k.s.cfg.LeaseFor / 10)}, now)
}

// give has a log told that a slot is over, and the one that the address belongs to by now: that may know of it
// from the first, which may be gone before it is told.
func (k *slotKeeper) give(log string, u lateUnslot, now time.Time) {
	owner, ok := k.s.net.Owner(crawl.Domain(u.Use.Address))
	if u.heir = ok && owner != log; u.heir {
		k.pile(owner, u, now)
	}
	k.pile(log, u, now)
}

func (k *slotKeeper) pile(log string, u lateUnslot, now time.Time) {
	p := k.piles[log]
	if p == nil {
		p = new(unslotPile)
		k.piles[log] = p
	}
	if len(p.list) == 0 && !p.sending {
		p.due = now.Add(k.every())
	}
	if len(p.list) < maxUnslots {
		p.list = append(p.list, u)
	}
	signal(k.wake)
}

// hurryBack has all slots that no lease uses given back at once, and reports whether some are yet to be. It is called
// when the log keeps no domains any more.
func (k *slotKeeper) hurryBack() (left bool) {
	now := k.s.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.giveOneBack(now) {
	}
	for _, p := range k.piles {
		left = left || p.sending || len(p.list) > 0
		if !p.sending && p.due.Sub(now) <= k.every() { // else it came to nothing just now
			p.due = now
		}
	}
	signal(k.wake)
	return left
}

// isGoing reports whether a log is yet to be told that a slot is over.
func (k *slotKeeper) isGoing(log string, name crawl.LeaseID) bool {
	p := k.piles[log]
	if p == nil {
		return false
	}
	is := func(u lateUnslot) bool { return u.Lease == name }
	return slices.ContainsFunc(p.list, is) || slices.ContainsFunc(p.flying, is)
}

func (k *slotKeeper) every() time.Duration {
	if k.s.cfg.Hurry {
		return hurriedUnslotEvery
	}
	return unslotEvery
}

// giveOneBack gives back a slot that no lease uses, and reports whether there was one.
func (k *slotKeeper) giveOneBack(now time.Time) bool {
	for _, list := range k.lent {
		for _, x := range list {
			if x.lease == 0 {
				k.giveBack(x, now)
				return true
			}
		}
	}
	return false
}

// over takes back the slot of a lease that ends. While nobody else wants the address the
// domain keeps it for the next one, which asks for more time, until it lapses: that is half
// the entries, and if there is no next one it costs no message.
func (k *slotKeeper) over(from string, d crawl.Domain, id crawl.LeaseID, u wire.SlotUse) {
	now := k.s.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	x := k.find(d, u.Address)
	if x == nil || x.lease != id || x.by != from {
		return
	}
	x.lease, x.kept = 0, now
	x.use.GapMs, x.use.Bad = u.GapMs, x.use.Bad || u.Bad
	x.use.Good = uint16(min(int(x.use.Good)+int(u.Good), 1<<15))
	if x.wanted || x.use.Bad || !k.mayKeep(x) {
		k.giveBack(x, now)
	}
	signal(k.wake)
}

// mayKeep reports whether a slot is of use when no lease uses it: domain and address belong to
// whom they did.
func (k *slotKeeper) mayKeep(x *lentSlot) bool {
	owner, ok := k.s.net.Owner(crawl.Domain(x.address))
	return !k.s.leaving.Load() && k.s.Owns(x.domain) && (!ok || owner == x.log)
}

// handleWanted hears that others want an address of which a domain has a slot.
func (s *Swarm) handleWanted(_ context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Wanted](body)
	if err != nil {
		return nil, lie("wanted", 20)
	}
	k := s.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if x := k.find(m.Domain, m.Address); x != nil && x.log == from && x.name == m.Lease {
		if x.wanted, x.heard = true, s.now(); x.lease == 0 {
			k.giveBack(x, s.now())
		}
	}
	return wire.Encode(&wire.Done{}), nil
}

// takeBack is over for slots that a fetcher tells of. Another member may have led the
// log when they were taken.
func (k *slotKeeper) takeBack(from string, l *wire.LeaseReport) {
	for _, u := range l.Slots {
		k.mu.Lock()
		known := k.find(l.Domain, u.Address) != nil
		k.mu.Unlock()
		if known {
			k.over(from, l.Domain, l.Lease, u)
			continue
		}
		granted, ok, err := k.s.cfg.Frontier.Leased(l.Lease, l.Domain)
		log, owned := k.s.net.Owner(crawl.Domain(u.Address))
		if err != nil || !ok || !granted.Live || granted.Holder != k.s.holder(from) || !owned {
			continue // what has a slot nevertheless will lapse
		}
		now := k.s.now()
		k.mu.Lock()
		k.pile(log, lateUnslot{Unslot: wire.Unslot{Lease: l.Lease, Use: u}, until: now.Add(k.s.cfg.LeaseFor)}, now)
		k.mu.Unlock()
	}
}

// wanted reports whether others want an address that a domain is visited at: then its lease
// is not to be renewed.
func (k *slotKeeper) wanted(d crawl.Domain) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.lent[d], func(x *lentSlot) bool { return x.wanted })
}

// Serve gives slots back until ctx is done.
func (k *slotKeeper) Serve(ctx context.Context) error {
	var sends sync.WaitGroup
	defer sends.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-k.wake:
		case <-timer.C:
		}
		timer.Reset(k.round(ctx, &sends))
	}
}

// round begins to send what is due, and returns when to look again.
func (k *slotKeeper) round(ctx context.Context, sends *sync.WaitGroup) (wait time.Duration) {
	wait = time.Minute
	leads := k.s.leads()
	now := k.s.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if !leads {
		clear(k.lent)
		clear(k.piles)
		k.count = 0
		return wait
	}
	if k.count > 0 {
		k.sweep(now)
		wait = k.s.cfg.LeaseFor / 10
	}
	for log, p := range k.piles {
		if p.sending {
			continue
		}
		if p.list = slices.DeleteFunc(p.list, func(u lateUnslot) bool { return !now.Before(u.until) }); len(p.list) == 0 {
			delete(k.piles, log)
			continue
		}
		if left := p.due.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		n := min(len(p.list), wire.MaxUnslots)
		p.flying, p.list = slices.Clone(p.list[:n]), p.list[n:]
		p.sending = true
		sends.Go(func() { k.send(ctx, log, p) })
	}
	return wait
}

// sweep forgets what has lapsed, and gives back what is of no use any more.
func (k *slotKeeper) sweep(now time.Time) {
	var idle, lapsed []*lentSlot
	for _, list := range k.lent {
		for _, x := range list {
			if !now.Before(x.until) && (x.lease == 0 || now.Sub(x.until) > k.s.cfg.LeaseFor) {
				lapsed = append(lapsed, x)
			} else if x.lease == 0 && !k.mayKeep(x) {
				idle = append(idle, x)
			}
		}
	}
	for _, x := range lapsed {
		k.remove(x)
	}
	for _, x := range idle {
		k.giveBack(x, now)
	}
}

// send gives slots back to a log.
func (k *slotKeeper) send(ctx context.Context, log string, p *unslotPile) {
	m := &wire.Unslots{List: make([]wire.Unslot, len(p.flying))}
	for i := range p.flying {
		m.List[i] = p.flying[i].Unslot
	}
	within, cancel := context.WithTimeout(ctx, unslotWithin)
	defer cancel()
	_, err := call[wire.Done](within, k.s, log, wire.KindUnslot, m)
	now := k.s.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	p.due = now.Add(k.every())
	if err != nil && !isRefused(err) {
		for i, u := range p.flying {
			if owner, ok := k.s.net.Owner(crawl.Domain(u.Use.Address)); ok && owner != log && !u.heir {
				p.flying[i].heir = true
				k.pile(owner, p.flying[i], now)
			}
		}
		p.list = append(p.flying, p.list...)
		p.due = now.Add(spread(unslotRetry))
	}
	p.flying, p.sending = nil, false
	signal(k.wake)
}
