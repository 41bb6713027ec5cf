package frontier

import (
	"bytes"
	"time"

	"github.com/forage-net/forage/crawl"
)

// grant begins a lease. It is refused, without an error, if the domain has a
// live one: the proposer saw an older state. Tasks that are queued no more do not refuse it, they
// are done already. Queues of members may differ in what is no task by today's rules, for who copies a log
// gets none of those; their leases must not differ, since any of these members may have to grant the next.
func (m *machine) grant(g *Grant) (Applied, error) {
	d, ok, err := m.domain(g.Domain)
	if err != nil || !ok || d.Lease.ID != 0 || d.asleep() {
		return Applied{}, err
	}
	id := m.meta.NextLease
	m.meta.NextLease++
	m.meta.Totals.Leases++
	d.Lease = leaseRecord{ID: id, Origin: g.Origin, Tasks: g.Tasks, For: g.For, Holder: g.Holder}
	d.NextHost, d.Last = g.Origin+"\x00", g.Holder
	for i, tail := range g.Tasks {
		if isTask, err := m.checkLeased(d, hostKey(g.Domain, g.Origin), tail); err != nil {
			return Applied{}, err
		} else if !isTask {
			d.Lease.finish(i)
		}
	}
	if err := m.b.leases.Put(leaseKey(id), []byte(g.Domain)); err != nil {
		return Applied{}, err
	}
	return Applied{Lease: id}, m.countLease(g.Domain, d)
}

// checkLeased reports whether a task that a lease begins with is queued. What is queued and no task, such as one whose URL is
// another domain's by a newer list of public suffixes, leaves the queue: at its head, it would take the place of
// others in lease after lease.
func (m *machine) checkLeased(d *domainRecord, host, tail []byte) (bool, error) {
	key := append(append(host, 0), tail...)
	host = key[:len(host)]
	value := m.b.queued(key)
	if value == nil {
		return false, nil
	}
	if _, ok := readWhole(key, value); ok {
		return true, nil
	}
	value = bytes.Clone(value)
	if len(value) < 2 {
		value = taskValue(0, 0, "")
	}
	if err := m.remove(key, value, host, d); err != nil {
		return false, err
	}
	name, _ := splitHostKey(host)
	m.touch(name)
	if !taskKind(value[1]).isRevisit() {
		d.Other++
		m.meta.Totals.Other++
		return false, nil
	}
	page := pageKey(name, string(value[2:]))
	rec, ok, err := m.b.page(page)
	if err != nil || !ok {
		return false, nil // Check finds it, and Repair drops it
	}
	rec.Queued = false
	return false, m.b.putPage(page, &rec)
}

// countLease sets the clock of a domain to the end of its lease. Members count a
// lease a tenth longer than its holder may.
func (m *machine) countLease(name crawl.Domain, d *domainRecord) error {
	return m.b.setClock([]byte(name), m.now+int64(d.Lease.For+d.Lease.For/10), true)
}

// isLive reports whether somebody holds a lease of a domain.
func (d *domainRecord) isLive(id crawl.LeaseID, by string) bool {
	return id != 0 && d.Lease.ID == id && d.Lease.Holder == by
}

// renew counts a lease anew.
func (m *machine) renew(r *Renew) (Applied, error) {
	d, ok, err := m.domain(r.Domain)
	if err != nil || !ok || !d.isLive(r.Lease, r.By) || d.asleep() {
		return Applied{}, err
	}
	m.touch(r.Domain) // it may be the same as before, but a member that misses it must not go on counting
	return Applied{Lease: r.Lease}, m.countLease(r.Domain, d)
}

// release ends a lease; a lease that is over already is no error.
func (m *machine) release(r *Release) error {
	d, ok, err := m.domain(r.Domain)
	if err != nil || !ok || !d.isLive(r.Lease, r.By) {
		return err
	}
	if r.CrawlDelay > 0 {
		d.CrawlDelay = r.CrawlDelay
	}
	if err := m.endLease(r.Domain, d, r.Lapsed); err != nil {
		return err
	}
	gap := max(m.gapOf(d)-min(max(r.Ago, 0), longestPatience), 0)
	if d.Parked {
		gap = d.retiredFor() // what the site asked for may outlast it by the calendar
	} else {
		d.Asked = 0
	}
	return m.b.setClock([]byte(r.Domain), m.now+int64(gap), !d.asleep() && m.b.hasReady(r.Domain))
}

// endLease makes a domain one without a lease, and remembers the one it had, and those before it that
// lapsed, if their holders may still report tasks of them.
func (m *machine) endLease(name crawl.Domain, d *domainRecord, lapsed bool) error {
	id, before := d.Lease.ID, d.Over
	d.Over = leaseRecord{}
	if len(d.Lease.open()) > 0 {
		d.Over = d.Lease
		d.Over.Lapsed = lapsed
	}
	d.Former = m.formerOf(name, d, before)
	d.Lease = leaseRecord{}
	m.meta.Totals.Leases--
	return m.b.leases.Delete(leaseKey(id))
}

// gap returns how long a domain is left alone behind a lease. It is never longer than a back-off is, however many times the gap is kept:
// what is due later than that is taken for due at once (pickStranded).
func (d *domainRecord) gap(polite crawl.Politeness) time.Duration {
	return min(max(polite.Gap(d.CrawlDelay, d.Took, polite.Backoff(d.Level, 0)), polite.Backoff(d.Level, d.Asked)), crawl.MaxWait)
}
