package gates

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
	// askAgain is how long an answer to an Ask is waited for, and how often more is asked for. An answer to an
	// earlier Ask gives nothing, so each Ask without an answer is given twice the time of the one before, up to
	// askLast. The first is given twice the time that answers took lately: a slow line needs more than askAgain.
	askAgain = time.Second
	askLast  = 4 * time.Second
	// slotRest is the part of a slot's time that is left when it is asked for again: the longest request must
	// fit in, since what is under way when a slot lapses is cut.
	slotRest = 0.4
	// slotLast is the part that must be left for a request to begin: it comes when the answer to a renewal is late.
	slotLast = 0.25
	// slotTogether is the part of those that are asked for again along with another, since their questions
	// share packets.
	slotTogether = 0.85
	// turn is how long slots that others wait for are kept, and the request under way: each time that one goes round
	// costs two messages, and a moment without a request.
	turn = time.Second
)

// Gates let a request go to an address while this node has a slot there: thousands of hosts may share one
// server. Addresses nobody uses take no room. Their methods do not block, and call others without a lock.
type Gates struct {
	slots Slots            // nil: each address has one slot, for ever
	now   func() time.Time // the clock of slots
	rests func() bool      // what is not in use goes back

	mu     sync.Mutex
	number uint64        // of the last Ask
	takes  time.Duration // the slowest answer lately took so long
	at     map[netip.AddrPort]*gate
}

// gate is one address.
type gate struct {
	inside int
	line   []Waiter // first come first served

	slots  int
	since  time.Time // when the last of them came
	until  time.Time // by gates.now
	length time.Duration
	wanted bool
	told   int  // slots that this node has as far as the other side knows
	used   bool // since the last Ask
	renew  bool // it is time
	asked  time.Time
	wait   time.Duration // for the answer to the last Ask, 0 if it came
	last   Ask           // Good, Bad and Domains are of the next one
}

// Waiter stands in the line of an address.
type Waiter struct {
	// In is called when its turn has come, or, with ok false, after Quits has said that it waits no more. Quits
	// may be nil, and must call nothing of the Gates.
	In    func(ok bool)
	Quits func() bool
}

// New returns Gates without a request. While rests says so, slots go back as soon as they are not in use.
// Without slots this node has one of each address.
func New(slots Slots, now func() time.Time, rests func() bool) *Gates {
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
	ask, due := x.ask(now, 2*g.takes)
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

// ask returns the next question, if it is time. Its answer is waited for at least as long as patience says.
func (x *gate) ask(now time.Time, patience time.Duration) (a Ask, due bool) {
	wants, waited := min(x.inside+len(x.line), MaxSlots), x.waited(now)
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
	x.wait = min(max(2*x.wait, patience, askAgain), askLast)
	return a, true
}

// waited reports whether the last Ask has had its time.
func (x *gate) waited(now time.Time) bool { return now.Sub(x.asked) >= max(x.wait, askAgain) }

// lapses reports whether a slot that is in use has no more than a part of its time left.
func (x *gate) lapses(now time.Time, part float64) bool {
	left := float64(x.until.Sub(now))
	return x.slots > 0 && (x.used || x.inside > 0) && x.waited(now) && left < part*float64(x.length)
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

// Crowded reports whether limit or more wait for each slot of an address.
func (g *Gates) Crowded(addr netip.AddrPort, limit int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	x := g.at[addr]
	return x != nil && len(x.line) >= limit*max(x.slots, 1)
}

// InUse returns how many addresses are in use.
func (g *Gates) InUse() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.at)
}

// Leave gives the slot to the next in line, or back if others wait for it and this node has had its turn.
func (g *Gates) Leave(addr netip.AddrPort) {
	g.do(addr, func(x *gate, now time.Time) {
		if x.inside--; x.wanted && now.Sub(x.since) >= turn {
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

// Grant takes the answer to an Ask. One that answers an earlier Ask gives nothing: another will come, or if
// that is lost, tells what the other side believes.
func (g *Gates) Grant(addr netip.AddrPort, m Grant) {
	g.do(addr, func(x *gate, now time.Time) {
		x.wanted = m.Wanted
		switch {
		case m.Number == x.last.Number: // fetchers count from asking
			if m.Slots > x.slots {
				x.since = now
			}
			x.slots, x.until, x.length, x.told, x.last.Wants = m.Slots, x.asked.Add(m.For), m.For, m.Slots, 0
			if x.wait > 0 {
				g.takes = max(now.Sub(x.asked), g.takes-g.takes/8)
			}
			x.wait = 0
		case x.waited(now):
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

// Tick asks again for what was not answered or lapses soon, and lets those go who wait no more. It is called
// once a second, and when some may wait no more.
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

// Wait blocks until a slot is taken or ctx is done.
func (g *Gates) Wait(ctx context.Context, addr netip.AddrPort, d crawl.Domain) error {
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
