package worker

import (
	"context"
	"net/netip"
	"strconv"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/uplink"
)

const (
	// maxAddresses is how many addresses of a host are tried for one task.
	maxAddresses = 3
	// defaultLine is how many leases may wait for one address. A longer line
	// would take leases from sites that could be visited.
	defaultLine = 4
	// refusedWait is how long a domain rests that the user does not want visited: so long nothing of it is fetched
	// after the user has changed their mind. Others may be lent it meanwhile.
	refusedWait = 10 * time.Minute
	// lineWait is how long a host is left alone that found the line too long; with a shorter gap, as in some
	// labs, as long as that, and at least shortLine.
	lineWait  = 2 * time.Second
	shortLine = 250 * time.Millisecond
)

// state is where a turn goes after a step, or what comes next within one.
type state int

const (
	again   state = iota // to the schedule
	over                 // home to the owner
	parked               // into the line of an address; others may have it already
	settled              // on with its next task: the one at hand needed no request
	proceed              // on with the task at hand
)

// visitor does what tasks need: it asks for a robots.txt or requests a page, has the answer archived and reports the
// outcome. A turn is in the hands of one fetcher. What all turns share has locks of its own.
type visitor struct {
	cfg      *Config
	clocks   *clocks
	bounds   *bounds
	flights  *flights
	slow     *slowness
	uplink   *uplink.Uplink
	requests *requests
	back     chan<- *turn // to the schedule
	rest     answer.Rest
	sources  chan struct{} // full while as many sitemaps are requested as may be
	maxLine  int           // leases that may wait for each slot of an address
}

func newVisitor(cfg *Config, c *clocks, b *bounds, f *flights) *visitor {
	return &visitor{
		cfg: cfg, clocks: c, bounds: b, flights: f,
		uplink: uplink.New(cfg.Now, cfg.Lab), requests: newRequests(cfg),
		sources: make(chan struct{}, sourcesAtOnce), maxLine: defaultLine,
	}
}

// host is what is known of the host of a task.
type host struct {
	addrs  []netip.AddrPort
	record *robots.Record
	rules  *robots.Rules
}

// advance does what the turn's next task needs: at most one request.
func (v *visitor) advance(ctx context.Context, t *turn) state {
	t.paged = false
	if !v.awaitRequest(ctx, t) {
		return over
	}
	if v.bounds.isSurplus() && !t.recalled && !v.flights.resting() && !v.clocks.isClosing(t) {
		return again // the bound has been lowered: another time
	}
	for t.next < len(t.Tasks) {
		if s := v.visit(ctx, t); s != settled {
			return s
		}
	}
	return over
}

// visit does what the task at hand needs.
func (v *visitor) visit(ctx context.Context, t *turn) state {
	u := t.current()
	if s := v.permit(ctx, t, u); s != proceed {
		return s
	}
	age := v.cfg.Latest()
	record, rules, fresh := v.cfg.Robots.Get(age, u.Origin())
	delay := time.Duration(0) // that is known
	if fresh {
		if s := v.obey(ctx, t, u, age, &record, rules); s != proceed {
			return s
		}
		delay = rules.CrawlDelay()
	}
	addrs, s := v.lookUp(ctx, t, u, delay)
	if s != proceed {
		return s
	}
	if fresh {
		return v.request(ctx, t, host{addrs, &record, rules})
	}
	if s := v.enterGate(ctx, t, addrs[0]); s != proceed {
		return s
	}
	return v.readRobots(ctx, t, u, record)
}

// permit settles the task at hand, or puts it off, if this node is not to visit it.
func (v *visitor) permit(ctx context.Context, t *turn, u crawl.URL) state {
	if v.flights.resting() || t.recalled || v.clocks.isClosing(t) {
		return over
	}
	if wait := v.uplink.Closed(); wait > 0 {
		v.report(ctx, t, uplink.PutOff(wait))
		return over
	}
	if why := v.cfg.RefusesDomain(t.Domain); why != "" {
		v.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: refusedWait, Reason: why})
		return over // what is queued stays: the user may change their mind
	}
	if why := v.cfg.Refuses(u); why != "" {
		return v.settle(ctx, t, crawl.Outcome{Result: crawl.Declined, Reason: why})
	}
	return proceed
}

// obey settles the task at hand, or puts it off, if its robots.txt does not want it visited.
func (v *visitor) obey(
	ctx context.Context, t *turn, u crawl.URL, age time.Time, record *robots.Record, rules *robots.Rules,
) state {
	switch verdict, wait := record.Verdict(age, rules, u); verdict {
	case robots.Deferred:
		v.requests.leftOut(t, u, crawl.Deferred, record, rules)
		v.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: wait, Reason: robotsTrouble(record),
			NoRobots: true})
		return over // all tasks of a lease are of one host
	case robots.Forbidden:
		v.requests.leftOut(t, u, crawl.Forbidden, record, rules)
		return v.settle(ctx, t, crawl.Outcome{Result: crawl.Forbidden, CrawlDelay: rules.CrawlDelay()})
	}
	return proceed
}

// robotsTrouble says why a host's robots.txt could not be had.
func robotsTrouble(r *robots.Record) string {
	if r.Status == 0 {
		return words.New("said.visit.robots-txt-could-not-be-reached", nil).Stored()
	}
	return words.New("said.visit.robots-txt-answered", words.Args{"status": strconv.Itoa(r.Status)}).Stored()
}

// lookUp returns the addresses of the host of the task at hand, or settles that if it has none.
func (v *visitor) lookUp(ctx context.Context, t *turn, u crawl.URL, delay time.Duration) ([]netip.AddrPort, state) {
	flight, land, ok := v.flights.takeOff(ctx, t)
	if !ok {
		return nil, over
	}
	addrs, err := v.cfg.Client.Addrs(flight, u)
	cut := flight.Err() != nil
	land()
	if err == nil {
		return addrs, proceed
	}
	if cut {
		return nil, over
	}
	o := v.uplink.Failure(err)
	o.CrawlDelay = delay
	if o.Result == crawl.Blocked {
		return nil, v.settle(ctx, t, o)
	}
	v.report(ctx, t, o)
	return nil, over // all tasks of a lease are of one host: what has no name has none for the others
}

// enterGate takes a slot of an address for a turn and returns proceed; or it
// leaves the turn in its line and returns parked: the turn then belongs to
// others. If the line is long it returns over: leases that wait would keep
// others from being worked.
func (v *visitor) enterGate(ctx context.Context, t *turn, addr netip.AddrPort) state {
	gate := v.gateOf(addr)
	if t.gate == gate {
		return proceed
	}
	v.leaveGate(t)
	if v.flights.gates.Crowded(gate, v.maxLine) {
		// Else, without a gap, the domain would be leased again at once, for nothing.
		v.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: min(max(t.Gap, shortLine), lineWait)})
		return over
	}
	if v.flights.gates.Enter(gate, t.Domain, gates.Waiter{
		In: func(ok bool) {
			// Those behind it wait for this turn, so it goes before all others.
			if t.at = (time.Time{}); ok {
				t.gate = gate
			}
			v.back <- t
		},
		Quits: func() bool { return v.flights.resting() || v.clocks.isClosing(t) },
	}) {
		t.gate = gate
		return proceed
	}
	return parked
}

func (v *visitor) leaveGate(t *turn) {
	if t.gate.IsValid() {
		v.flights.gates.Leave(t.gate)
		t.gate = netip.AddrPort{}
	}
}

// gateOf returns what stands for a server: an IPv4 address or an IPv6 /64; in a
// lab, where all share one address, also the port.
func (v *visitor) gateOf(addr netip.AddrPort) netip.AddrPort {
	if v.cfg.Lab {
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
func (v *visitor) used(addr netip.AddrPort, o crawl.Outcome) {
	if bad := o.Result == crawl.Refused || o.Result == crawl.Failed || o.Challenged; bad || o.Status != 0 {
		v.flights.gates.Note(v.gateOf(addr), bad)
	}
}

// allowed tells whether a request of a lease may still be sent.
func (v *visitor) allowed(t *turn) func() bool {
	return func() bool { return !v.clocks.isOver(t) }
}

// settle reports the outcome of the task at hand and takes the turn to its next one.
func (v *visitor) settle(ctx context.Context, t *turn, o crawl.Outcome) state {
	if !v.report(ctx, t, o) {
		return over
	}
	t.done()
	return settled
}

// report settles the task at hand; false means the owner cannot be told now.
func (v *visitor) report(ctx context.Context, t *turn, o crawl.Outcome) bool {
	o.Lease, o.Domain, o.Granter, o.Task, o.Connect = t.ID, t.Domain, t.Granter, t.Tasks[t.next], t.connect
	if o.Date.IsZero() {
		o.Date = time.Now()
	}
	if err := v.cfg.Owner.Settle(ctx, o); err != nil {
		if ctx.Err() == nil {
			v.cfg.Log.Warn("Outcome not settled; the task stays queued", "url", o.Task.URL.String(), "error", err)
		}
		return false
	}
	if o.Result == crawl.Fetched {
		t.fetched++
	}
	t.received += o.Received
	t.connect = 0
	return true
}

// leftOut returns the outcome of a task that is not to be requested; is is false for any other.
func (v *visitor) leftOut(u crawl.URL, h host) (o crawl.Outcome, is bool) {
	if why := v.cfg.Refuses(u); why != "" {
		return crawl.Outcome{Result: crawl.Declined, Reason: why}, true
	}
	verdict, _ := h.record.Verdict(v.cfg.Latest(), h.rules, u)
	return crawl.Outcome{Result: crawl.Forbidden, CrawlDelay: h.rules.CrawlDelay()}, verdict == robots.Forbidden
}

// anyWanted reports whether a task that a turn has left is to be requested. It looks from the end, and
// remembers what it found.
func (v *visitor) anyWanted(t *turn, h host) bool {
	if t.wanted >= t.next && t.wanted > 0 {
		return true
	}
	for i := len(t.Tasks) - 1; i >= t.next; i-- {
		if _, is := v.leftOut(t.Tasks[i].URL, h); !is {
			t.wanted = i
			return true
		}
	}
	return false
}

// leaveRest settles what a turn has left, none of which is to be requested.
func (v *visitor) leaveRest(ctx context.Context, t *turn, h host) {
	for ; t.next < len(t.Tasks); t.next++ {
		u := t.Tasks[t.next].URL
		o, is := v.leftOut(u, h)
		if !is {
			return
		}
		if o.Result == crawl.Forbidden {
			v.requests.leftOut(t, u, crawl.Forbidden, h.record, h.rules)
		}
		if !v.report(ctx, t, o) {
			return
		}
	}
}
