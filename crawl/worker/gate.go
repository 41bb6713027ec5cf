package worker

import (
	"context"
	"hash/fnv"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// MaxSlots is how many requests at a time an address gets at most, of all nodes together.
	MaxSlots = 8
	// MaxNamed bounds the domains that an Ask names.
	MaxNamed = 32
	// askAgain is how long an answer to an Ask is waited for, and how often more is asked for.
	askAgain = time.Second
	// slotRest is the part of a slot's time that is left when it is asked for again: the longest request must fit in, since
	// what is under way when a slot lapses is cut.
	slotRest = 0.4
	// slotLast is the part that must be left for a request to begin: it comes when the answer to a renewal is late.
	slotLast = 0.25
	// slotTogether is the part of those that are asked for again along with another, since their questions share packets.
	slotTogether = 0.85
)

// Slots are shared out among all nodes that visit an address: many sites share one server.
type Slots interface {
	// Ask tells what this node has and wants of an address. It must not block, and may be lost. Pool.Grant takes the answer.
	Ask(at netip.AddrPort, a Ask)
}

// Ask is what a node has and wants of an address.
type Ask struct {
	Number uint64 // of this Ask: later ones have greater ones, also after a start
	Seen   uint64 // the Mark of the last Grant that came
	// Has is how many slots the node keeps of those it was granted, Wants how many it could use: 0 to MaxSlots.
	Has, Wants int
	// Good counts answers since the last Ask that were neither refusals nor failures; Bad says that there was one that was,
	// or none at all.
	Good int
	Bad  bool
	// Domains are hashes of the domains that were to be visited since the last Ask, at most MaxNamed.
	Domains []uint32
}

// Grant says how many slots a node has.
type Grant struct {
	Number uint64        // of the Ask that it answers
	Mark   uint64        // of the Grant that gave the last of the slots
	Slots  int           // 0 to MaxSlots
	For    time.Duration // counted from that Ask
	Wanted bool          // others wait: each slot goes back after the request under way
}

// Gates let a request go to an address while this node has a slot there: thousands of hosts may share one server. Addresses
// nobody uses take no room. Their methods do not block, and call others without a lock.
type Gates struct {
	slots Slots            // nil: each address has one slot, for ever
	now   func() time.Time // the clock of slots
	rests func() bool      // what is not in use goes back

	mu     sync.Mutex
	number uint64 // of the last Ask
	at     map[netip.AddrPort]*gate
}

// gate is one address.
type gate struct {
	inside int
	line   []Waiter // first come first served

	slots  int
	until  time.Time // by gates.now
	length time.Duration
	wanted bool
	told   int  // slots that this node has as far as the other side knows
	used   bool // since the last Ask
	renew  bool // it is time
	asked  time.Time
	last   Ask // Good, Bad and Domains are of the next one
}

// Waiter stands in the line of an address.
type Waiter struct {
	// In is called when its turn has come, or, with ok false, after Quits has said that it waits no more. Quits may be nil, and
	// must call nothing of the Gates.
	In    func(ok bool)
	Quits func() bool
}

// NewGates returns Gates without a request. While rests says so, slots go back as soon as they are not in use. Without slots this
// node has one of each address.
func NewGates(slots Slots, now func() time.Time, rests func() bool) *Gates {
	return &Gates{slots: slots, now: now, rests: rests, at: make(map[netip.AddrPort]*gate)}
}

// do runs a function on the gate of an address, then lets in who may go, and asks for what is missing.
func (g *Gates) do(addr netip.AddrPort, f func(x *gate, now time.Time)) {
	g.mu.Lock()
	x, now := g.at[addr], g.now()
	if x == nil {
		x = new(gate)
		g.at[addr] = x
	}
	x.lapse(g.slots == nil, now)
	f(x, now)
	in := x.admit(now)
	if x.wanted || x.slots > x.inside && g.rests() {
		x.slots = min(x.slots, x.inside)
	}
	ask, due := x.ask(now)
	due = due && g.slots != nil
	if due {
		g.number = max(g.number+1, uint64(now.UnixMilli())) // also after a start
		ask.Number, x.last.Number = g.number, g.number
	}
	if x.inside == 0 && len(x.line) == 0 && (x.slots == 0 || g.slots == nil) {
		delete(g.at, addr)
	}
	g.mu.Unlock()
	if due {
		g.slots.Ask(addr, ask)
	}
	for _, w := range in {
		w.In(true)
	}
}

// lapse ends what was granted when its time is over.
func (x *gate) lapse(own bool, now time.Time) {
	if own {
		x.slots, x.until = 1, now.Add(time.Hour)
	} else if !now.Before(x.until) {
		x.slots, x.told = 0, 0
	}
}

// admit lets in who may go.
func (x *gate) admit(now time.Time) (in []Waiter) {
	n := min(x.free(now), len(x.line))
	in, x.line = x.line[:n:n], x.line[n:]
	x.inside += n
	x.used = x.used || n > 0
	return in
}

// free returns how many requests may begin.
func (x *gate) free(now time.Time) int {
	if float64(x.until.Sub(now)) < slotLast*float64(x.length) {
		return 0
	}
	return max(x.slots-x.inside, 0)
}

// ask returns what to ask for, if it is time.
func (x *gate) ask(now time.Time) (a Ask, due bool) {
	wants, waited := min(x.inside+len(x.line), MaxSlots), now.Sub(x.asked) >= askAgain
	switch {
	case x.slots != x.told: // something goes back
	case len(x.line) > 0 && (wants > x.slots || x.free(now) == 0) && (waited || x.slots == 0 && x.last.Wants == 0):
	case x.renew:
	default:
		return a, false
	}
	x.last.Has, x.last.Wants = x.slots, wants
	a = x.last
	x.last.Good, x.last.Bad, x.last.Domains = 0, false, nil
	x.asked, x.told, x.used, x.renew = now, x.slots, false, false
	return a, true
}

// lapses reports whether a slot that is in use has no more than a part of its time left.
func (x *gate) lapses(now time.Time, part float64) bool {
	return x.slots > 0 && (x.used || x.inside > 0) && now.Sub(x.asked) >= askAgain && float64(x.until.Sub(now)) < part*float64(x.length)
}

// name notes a domain that is to be visited.
func (x *gate) name(d crawl.Domain) {
	h := fnv.New32a()
	h.Write([]byte(d))
	if sum := h.Sum32(); len(x.last.Domains) < MaxNamed && !slices.Contains(x.last.Domains, sum) {
		x.last.Domains = append(x.last.Domains, sum)
	}
}

// Enter takes a slot of addr for a request of a domain and returns true, or puts a waiter into the line.
func (g *Gates) Enter(addr netip.AddrPort, d crawl.Domain, w Waiter) (entered bool) {
	g.do(addr, func(x *gate, now time.Time) {
		x.name(d)
		if entered = len(x.line) == 0 && x.free(now) > 0; entered {
			x.inside++
			x.used = true
		} else {
			x.line = append(x.line, w)
		}
	})
	return entered
}

// crowded reports whether limit or more wait for each slot of an address.
func (g *Gates) crowded(addr netip.AddrPort, limit int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	x := g.at[addr]
	return x != nil && len(x.line) >= limit*max(x.slots, 1)
}

// Leave gives the slot to the next in line, or back if others wait for it.
func (g *Gates) Leave(addr netip.AddrPort) {
	g.do(addr, func(x *gate, _ time.Time) {
		if x.inside--; x.wanted {
			x.slots = min(x.slots, x.inside)
		}
	})
}

// Note counts an answer.
func (g *Gates) Note(addr netip.AddrPort, bad bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if x := g.at[addr]; x != nil && bad {
		x.last.Bad = true
	} else if x != nil {
		x.last.Good++
	}
}

// Grant takes the answer to an Ask. One that answers an earlier Ask gives nothing: another will come, or if that is lost, tells what
// the other side believes.
func (g *Gates) Grant(addr netip.AddrPort, m Grant) {
	g.do(addr, func(x *gate, now time.Time) {
		x.last.Seen, x.wanted = m.Mark, m.Wanted
		switch {
		case m.Number == x.last.Number: // fetchers count from asking
			x.slots, x.until, x.length, x.told, x.last.Wants = m.Slots, x.asked.Add(m.For), m.For, m.Slots, 0
		case now.Sub(x.asked) >= askAgain:
			x.told = m.Slots
		}
	})
}

// Left returns for how long a slot of an address is held still.
func (g *Gates) Left(addr netip.AddrPort) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if x := g.at[addr]; x != nil && g.slots != nil {
		return x.until.Sub(g.now())
	}
	return time.Hour
}

// Tick asks again for what was not answered or lapses soon, and lets those go who wait no more. It is called once a second, and
// when some may wait no more.
func (g *Gates) Tick() {
	g.mu.Lock()
	addrs, part, now := make([]netip.AddrPort, 0, len(g.at)), slotRest, g.now()
	for addr, x := range g.at {
		addrs = append(addrs, addr)
		if x.lapses(now, slotRest) {
			part = slotTogether
		}
	}
	g.mu.Unlock()
	for _, addr := range addrs {
		var gone []Waiter
		g.do(addr, func(x *gate, now time.Time) {
			x.renew = x.lapses(now, part)
			x.line = slices.DeleteFunc(x.line, func(w Waiter) bool {
				quits := w.Quits != nil && w.Quits()
				if quits {
					gone = append(gone, w)
				}
				return quits
			})
		})
		for _, w := range gone {
			w.In(false)
		}
	}
}

// wait blocks until a slot is taken or ctx is done.
func (g *Gates) wait(ctx context.Context, addr netip.AddrPort, d crawl.Domain) error {
	turn := make(chan struct{})
	if g.Enter(addr, d, Waiter{In: func(bool) { close(turn) }}) {
		return nil
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		go func() { // the place in the line stays, and passes the slot on
			<-turn
			g.Leave(addr)
		}()
		return ctx.Err()
	}
}

// Grant takes an answer to Config.Slots.
func (p *Pool) Grant(at netip.AddrPort, m Grant) { p.gates.Grant(at, m) }

// enterGate takes a slot of an address for a turn and returns again; or it
// leaves the turn in its line and returns parked: the turn then belongs to
// others. If the line is long it returns over: leases that wait would keep
// others from being worked.
func (p *Pool) enterGate(ctx context.Context, t *turn, addr netip.AddrPort) state {
	gate := p.gateOf(addr)
	if t.gate == gate {
		return again
	}
	p.leaveGate(t)
	if p.gates.crowded(gate, p.maxLine) {
		// Else, without a gap, the domain would be leased again at once, for nothing.
		p.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: min(max(t.Gap, shortLine), lineWait)})
		return over
	}
	if p.gates.Enter(gate, t.Domain, Waiter{
		In: func(ok bool) {
			// Those behind it wait for this turn, so it goes before all others.
			if t.at = (time.Time{}); ok {
				t.gate = gate
			}
			p.back <- t
		},
		Quits: func() bool { return p.isResting() || p.isUnwanted(t) || p.isClosing(t) },
	}) {
		t.gate = gate
		return again
	}
	return parked
}

func (p *Pool) leaveGate(t *turn) {
	if t.gate.IsValid() {
		p.gates.Leave(t.gate)
		t.gate = netip.AddrPort{}
	}
}

// gateOf returns what stands for a server: an IPv4 address or an IPv6 /64; in a
// lab, where all share one address, also the port.
func (p *Pool) gateOf(addr netip.AddrPort) netip.AddrPort {
	if p.cfg.Lab {
		return addr
	}
	ip := addr.Addr().Unmap()
	if ip.Is6() {
		if prefix, err := ip.Prefix(64); err == nil {
			ip = prefix.Addr()
		}
	}
	return netip.AddrPortFrom(ip, 0)
}

// used notes how a server answered.
func (p *Pool) used(addr netip.AddrPort, o crawl.Outcome) {
	if bad := o.Result == crawl.Refused || o.Result == crawl.Failed || o.Challenged; bad || o.Status != 0 {
		p.gates.Note(p.gateOf(addr), bad)
	}
}
