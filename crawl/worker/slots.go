package worker

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

const (
	// slotAskFor is how long the answer to a question for a slot is waited for. Longer,
	// and the lease may as well be given back: half of its time is for requests.
	slotAskFor = 10 * time.Second
	// slotTroubleWait is how long a host is left alone when nobody could say whether
	// its address is free. An election takes seconds.
	slotTroubleWait = 15 * time.Second
	// slotLeastWait bounds the wait from below, whatever who refuses a slot says.
	slotLeastWait = 200 * time.Millisecond

	busyAddress    = "others visit its server"
	unknownAddress = "nobody could say whether others visit its server"
)

// Slots says who may send requests to an address: many sites share one server, and each of them has
// a lease of its own.
type Slots interface {
	// Take asks for a slot of an address for a lease, or renews the one it has, and answers when ctx
	// is done at the latest. The slot is held for l.For, counted from after the call
	// began. If it is refused, wait says not before when it is worth asking again.
	Take(ctx context.Context, l crawl.Lease, address string) (ok bool, wait time.Duration, err error)
	// Free gives a slot back when its lease ends; also one that was not renewed, and one that Take was
	// asked for in vain, with an error, for it may have been granted. It must not block.
	Free(l crawl.Lease, address string, u Use)
}

// Use is what came of a slot.
type Use struct {
	// Gap is how long the address should rest, counted from now; 0 if it was sent no request.
	Gap time.Duration
	// Good is how many answers came that were neither refusals nor failures. Bad says that there
	// was one that was, or none at all to some request.
	Good int
	Bad  bool
}

// slot is what a turn has of an address.
type slot struct {
	address string
	until   time.Time // zero if it is not known to be granted
	held    bool      // it may have been granted
	use     Use
}

// SlotAddress returns the name of the server at an address: the IPv4 address, the IPv6 prefix of 64
// bits, or in a lab, where all share one address, address and port.
func SlotAddress(addr netip.AddrPort, lab bool) string {
	server := serverOf(addr, lab)
	switch {
	case lab:
		return server.String()
	case server.Addr().Is6():
		return netip.PrefixFrom(server.Addr(), 64).String()
	}
	return server.Addr().String()
}

// slotAnswer is the answer to a question for a slot.
type slotAnswer struct {
	ok   bool
	wait time.Duration
	err  error
	cut  bool // by us: stopped, or the lease is wanted back
}

// askSlot asks for a slot and keeps it, or what may have become of it, in the turn.
func (p *Pool) askSlot(ctx context.Context, t *turn, address string) slotAnswer {
	s := t.slotOf(address)
	if s == nil {
		t.slots = append(t.slots, slot{address: address})
		s = &t.slots[len(t.slots)-1]
	}
	asked := p.cfg.Now()
	ok, wait, err := p.cfg.Slots.Take(ctx, t.Lease, address)
	switch {
	case err != nil:
		s.until, s.held = time.Time{}, true
		return slotAnswer{wait: slotTroubleWait, err: err}
	case !ok: // what it had goes home with what came of it
		s.until = time.Time{}
		return slotAnswer{wait: max(wait, slotLeastWait)}
	}
	s.until, s.held = asked.Add(t.For), true
	return slotAnswer{ok: true}
}

// slotOf returns what a turn has of an address, nil if nothing. It is valid until another slot is asked
// for.
func (t *turn) slotOf(address string) *slot {
	for i := range t.slots {
		if t.slots[i].address == address {
			return &t.slots[i]
		}
	}
	return nil
}

// hasSlot reports whether a turn may send requests to an address until its lease ends.
func (t *turn) hasSlot(address string) bool {
	s := t.slotOf(address)
	return s != nil && !s.until.Before(t.deadline)
}

// takeSlot returns again if a turn may send requests to an address. Else it lets go of the turn, gate
// and all, and returns parked: it comes back to the schedule with the answer of who grants slots. If that
// was no, it has the host wait and returns over.
func (p *Pool) takeSlot(ctx context.Context, t *turn, addr netip.AddrPort) state {
	if p.cfg.Slots == nil {
		return again
	}
	if a := t.answer; a != nil {
		if t.answer = nil; a.cut {
			return over
		} else if !a.ok {
			p.putOff(ctx, t, a)
			return over
		}
	}
	address := SlotAddress(addr, p.cfg.Lab)
	if t.hasSlot(address) {
		return again
	}
	p.leaveGate(t)
	ask, asked, ok := p.beginAsking(ctx, t)
	if !ok {
		return over
	}
	p.asking.Go(func() {
		a := p.askSlot(ask, t, address)
		a.cut = errors.Is(ask.Err(), context.Canceled)
		asked()
		t.answer, t.at = &a, time.Time{}
		p.back <- t
	})
	return parked
}

// beginAsking returns a context for a question of a turn; ok is false if there is no time for one.
func (p *Pool) beginAsking(ctx context.Context, t *turn) (_ context.Context, asked func(), ok bool) {
	return p.beginWait(ctx, t, min(slotAskFor, t.closing.Sub(p.cfg.Now())))
}

// putOff reports that the host of the task at hand is to wait for its address.
func (p *Pool) putOff(ctx context.Context, t *turn, a *slotAnswer) {
	o := crawl.Outcome{Result: crawl.Deferred, Wait: a.wait, Reason: busyAddress}
	if a.err != nil {
		o.Reason = unknownAddress
		p.cfg.Log.Debug("Address not asked for", "domain", t.Domain, "error", a.err)
	}
	p.report(ctx, t, o)
}

// used notes what came of a request to an address: the outcome of a task, as far as it is known.
func (p *Pool) used(t *turn, addr netip.AddrPort, took time.Duration, o crawl.Outcome) {
	if p.cfg.Slots == nil {
		return
	}
	s := t.slotOf(SlotAddress(addr, p.cfg.Lab))
	if s == nil {
		return
	}
	s.use.Gap = p.cfg.Politeness.Gap(0, took, 0)
	switch {
	case o.Result == crawl.Refused || o.Result == crawl.Failed || o.Challenged:
		s.use.Bad = true
	case o.Status != 0:
		s.use.Good++
	}
}

// usedInVain is used for a request that brought no response.
func (p *Pool) usedInVain(t *turn, addr netip.AddrPort, took time.Duration, err error) {
	var o crawl.Outcome // nothing is known if it was us who ended it
	if !isStopped(err) {
		o = failureOf(err)
	}
	p.used(t, addr, took, o)
}

// usedForRobots is used for a request for a robots.txt.
func (p *Pool) usedForRobots(t *turn, r *fetch.Response) {
	o := crawl.Outcome{Status: r.Status}
	if r.Status == http.StatusTooManyRequests || r.Status >= 500 {
		o.Result = crawl.Refused
	}
	p.used(t, r.Addr, r.Took, o)
}

// freeSlots gives back what a turn has.
func (p *Pool) freeSlots(t *turn) {
	for _, s := range t.slots {
		if s.held {
			p.cfg.Slots.Free(t.Lease, s.address, s.use)
		}
	}
	t.slots = nil
}

// takeSlot makes sure that the turn may send requests to an address. It waits for the answer, as for the
// gates of redirects.
func (g *robotsGetter) takeSlot(ctx context.Context, addr netip.AddrPort) error {
	if g.pool.cfg.Slots == nil {
		return nil
	}
	address := SlotAddress(addr, g.pool.cfg.Lab)
	if g.turn.hasSlot(address) {
		return nil
	}
	g.pool.leaveGate(g.turn) // nobody need wait for an answer that is ours
	ask, cancel := context.WithTimeout(ctx, slotAskFor)
	defer cancel()
	a := g.pool.askSlot(ask, g.turn, address)
	if !a.ok && ctx.Err() == nil { // else it is the site that takes too long, or the lease is over
		g.refused = &a
	}
	if !a.ok {
		return &fetch.Error{Kind: fetch.KindStopped, Detail: busyAddress, Err: a.err}
	}
	return nil
}
