package group_test

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
)

// serverLog checks invariant 5: what the servers see.
type serverLog struct {
	w        *world
	ordinary map[crawl.Domain]request // the last
	recent   map[crawl.Domain][]request
	leases   map[crawl.Domain][]working
	parts    []partsAt
	requests int
}

// working is a lease at a fetcher.
type working struct {
	m     *machine
	boot  int
	lease group.Lease
}

// partsAt is how many parts the network had from a time on.
type partsAt struct {
	at    time.Duration
	parts int
}

// tolerance is how much shorter a gap may look by true time than by a clock that runs too fast.
const tolerance = 1 - maxDrift - 0.005

func newServerLog(w *world) serverLog {
	l := serverLog{w: w, ordinary: make(map[crawl.Domain]request), recent: make(map[crawl.Domain][]request), leases: make(map[crawl.Domain][]working)}
	w.every(w.times.Beat/2, func() { w.check.log.count() })
	return l
}

// count notes how many parts the network has.
func (l *serverLog) count() {
	p := max(l.w.net.parts(), 1)
	if n := len(l.parts); n == 0 || l.parts[n-1].parts != p {
		l.parts = append(l.parts, partsAt{l.w.now, p})
	}
}

// most is the greatest number of parts since a time.
func (l *serverLog) most(since time.Duration) int {
	most := 1
	for i := len(l.parts) - 1; i >= 0; i-- {
		most = max(most, l.parts[i].parts)
		if l.parts[i].at < since {
			break
		}
	}
	return most
}

// skip reports whether the design allows more than the invariant says.
func (l *serverLog) skip(d crawl.Domain) bool {
	return l.w.check.forced || l.w.check.lied(d)
}

// accepted checks that no two ordinary leases of a domain live at once.
func (l *serverLog) accepted(m *machine, lease group.Lease) {
	d := lease.Domain
	still := l.leases[d][:0]
	for _, o := range l.leases[d] {
		if o.m.up && o.m.boot == o.boot && o.m.node.Live(o.lease) && l.w.load.works(o.m, o.lease) {
			still = append(still, o)
		}
	}
	for _, o := range still {
		if o.m.live() && !o.lease.Careful && !lease.Careful && m.node.Live(lease) && !l.skip(d) {
			l.w.fail("", d, "invariant 5: %s has a live lease of %s from %s, %s already one from %s", m.name, d, l.w.name(lease.Leader), o.m.name, l.w.name(o.lease.Leader))
		}
	}
	l.leases[d] = append(still, working{m, m.boot, lease})
}

// request checks gaps, and the rate where careful leaders are at work.
func (l *serverLog) request(d crawl.Domain, r request) {
	l.requests++
	if !r.careful {
		if last, ok := l.ordinary[d]; ok && float64(r.at-last.at) < tolerance*float64(l.w.gap) && !l.skip(d) {
			l.w.fail("", d, "invariant 5: %s and %s request %s within %v, the gap is %v", last.fetcher.name, r.fetcher.name, d, r.at-last.at, l.w.gap)
		}
		l.ordinary[d] = r
	}
	l.rate(d, r)
}

// window is over how long rates are judged.
func (l *serverLog) window() time.Duration { return max(l.w.times.Lease, 20*l.w.gap) }

// rate checks that p parts together send at most 1 + (p-1)/3 of the allowed rate, and one request each for the edges.
func (l *serverLog) rate(d crawl.Domain, r request) {
	from := r.at - l.window()
	recent := l.recent[d]
	for len(recent) > 0 && recent[0].at < from {
		recent = recent[1:]
	}
	recent = append(recent, r)
	l.recent[d] = recent
	p := l.most(from - l.w.times.Lease*3/2 - l.w.times.Careful)
	allowed := (1+float64(p-1)/3)*float64(l.window())/(float64(l.w.gap)*tolerance) + float64(p)
	if float64(len(recent)) > allowed && !l.skip(d) {
		l.w.fail("", d, "invariant 5: %d requests of %s within %v; the gap is %v and there were %d parts", len(recent), d, l.window(), l.w.gap, p)
	}
}

// lied reports whether a liar is in the shard that leads a domain, or in any that had it.
func (c *checker) lied(d crawl.Domain) bool {
	if len(c.untrusted) == 0 {
		return false
	}
	s, _ := c.w.roster.layoutOf(c.w.founder).Home(d)
	a := c.ruling[d]
	return c.untrusted[s] || a != nil && c.untrusted[a.shard]
}

// works reports whether a crawler still uses a lease.
func (l *load) works(m *machine, lease group.Lease) bool {
	h := l.crawler[m.index].leases[lease.Domain]
	return h != nil && h.lease.ID == lease.ID
}
