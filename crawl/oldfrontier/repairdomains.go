package frontier

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

// validHost reports whether a key names a host of its domain.
func validHost(key []byte) bool {
	d, origin := splitHostKey(key)
	u, err := crawl.ParseURL(origin + "/")
	return err == nil && validDomain(d) && u.Domain() == d && u.Origin() == origin
}

// checkLeases drops leases that their domain does not know. Those that only the
// domain knows are put back by checkDomains: what they led to may be in the archive.
func (r *repairer) checkLeases(ctx context.Context) error {
	return r.sweep(ctx, r.b.leases, wrongLease, func(key, name []byte) error {
		if len(key) == 8 && validDomain(crawl.Domain(name)) {
			id := crawl.LeaseID(binary.BigEndian.Uint64(key))
			rec, ok := r.readable(crawl.Domain(name))
			if ok && id != 0 && id < maxNumber && rec.Lease.ID == id {
				r.leases[id] = crawl.Domain(name)
				r.nextLease = max(r.nextLease, id+1)
				return nil
			}
		}
		r.found[wrongLease]++
		r.delete(r.b.leases, key)
		return nil
	})
}

func (r *repairer) checkDomains(ctx context.Context) error {
	err := r.sweep(ctx, r.b.domains, damagedDomain, func(key, raw []byte) error {
		d := crawl.Domain(key)
		if !validDomain(d) {
			r.found[damagedDomain]++
			r.delete(r.b.domains, key)
			return nil
		}
		var rec domainRecord
		if decode.Unmarshal(raw, &rec) != nil || rec.isAbsurd() {
			if r.domains[d] == nil {
				r.found[damagedDomain]++
				r.delete(r.b.domains, key)
			}
			return nil // made anew below
		}
		return r.checkDomain(d, &rec, false)
	})
	if err != nil {
		return err
	}
	for d, t := range r.domains {
		if t.seen {
			continue
		}
		r.found[damagedDomain]++
		rec := domainRecord{Fetched: t.fetched, Other: t.other, Queued: t.queued, Revisiting: t.revisiting}
		rec.Known = rec.closed() + rec.Queued - rec.Revisiting
		if err := r.checkDomain(d, &rec, true); err != nil {
			return err
		}
	}
	return nil
}

// isAbsurd reports whether a record has counts that no domain reaches, or answers that nothing counts.
func (d *domainRecord) isAbsurd() bool {
	for _, n := range []uint64{
		d.Known, d.Fetched, d.Duplicates, d.Failed, d.Forbidden, d.Dropped, d.Other, d.Received, d.Gone, d.Revisits, d.Changed,
		d.Foreign, d.Brought, d.Weight, d.Refusals, d.Challenges, d.Backoffs,
	} {
		if n >= maxNumber {
			return true
		}
	}
	return !d.Answers.valid() || len(d.Drops) > limits || slices.ContainsFunc(d.Drops, func(n uint64) bool { return n >= maxNumber })
}

// checkDomain makes a record agree with the rest, adds it to the totals, and
// writes it if it has changed.
func (r *repairer) checkDomain(d crawl.Domain, rec *domainRecord, changed bool) error {
	t := r.tally(d)
	t.seen = true
	if rec.fixState(r.moving[d]) {
		r.found[wrongMove]++
		changed = true
	}
	if !r.passing[d] && rec.recount(t) {
		r.found[wrongDomainCount]++
		changed = true
	}
	if r.checkLease(d, &rec.Lease) {
		changed = true
	}
	t.parked = rec.Parked && rec.Arriving == nil
	t.unasked, t.closing = rec.Unasked && rec.Arriving == nil, rec.Closing != nil
	t.work = rec.Lease.ID != 0 || !rec.asleep() && t.ready
	r.totals.add(rec)
	if _, ok := r.clock([]byte(d)); !ok && (t.work || rec.wasTimed()) {
		if r.b.clocks.Get([]byte(d)) == nil {
			r.found[lostClock]++
		}
		at := r.now + int64(r.caution(rec))
		r.put(r.b.clocks, []byte(d), binary.BigEndian.AppendUint64(nil, uint64(max(at, 0))))
	}
	if !changed {
		return nil
	}
	return r.putRecord(r.b.domains, []byte(d), rec)
}

// wasTimed reports whether a domain must have had a time of its next visit.
func (d *domainRecord) wasTimed() bool {
	return d.Known > 0 && d.Arriving == nil && (!d.Unasked || d.closed() > 0)
}

// caution is how long a domain is left alone whose last visit may have been a
// moment ago.
func (r *repairer) caution(rec *domainRecord) time.Duration {
	gap := rec.gap(r.cfg.Politeness)
	if rec.Lease.ID != 0 {
		gap = max(gap, DefaultLeaseFor+DefaultLeaseFor/10)
	}
	return gap
}

// recount corrects the counts that follow from others, and reports whether one
// was wrong.
func (d *domainRecord) recount(t *tally) bool {
	was := [...]uint64{d.Queued, d.Revisiting, d.Known, d.Duplicates, d.Gone, uint64(d.Asked), uint64(d.Took), uint64(d.CrawlDelay)}
	d.Queued, d.Revisiting = t.queued, t.revisiting
	if d.Arriving == nil {
		d.Known = d.closed() + d.Queued - d.Revisiting
	}
	d.Duplicates, d.Gone = min(d.Duplicates, d.Fetched), min(d.Gone, d.Other)
	d.Asked, d.Took, d.CrawlDelay = max(d.Asked, 0), max(d.Took, 0), max(d.CrawlDelay, 0)
	return was != [...]uint64{d.Queued, d.Revisiting, d.Known, d.Duplicates, d.Gone, uint64(d.Asked), uint64(d.Took), uint64(d.CrawlDelay)}
}

// checkLease makes the lease of a domain agree with the list of leases and with
// the queue, and reports whether it has changed.
func (r *repairer) checkLease(d crawl.Domain, l *leaseRecord) (changed bool) {
	if l.ID == 0 {
		return false
	}
	holder, listed := r.leases[l.ID]
	if l.ID >= maxNumber || listed && holder != d {
		r.found[wrongLease]++
		*l = leaseRecord{}
		return true
	}
	if !listed {
		r.found[wrongLease]++
		r.leases[l.ID] = d
		r.nextLease = max(r.nextLease, l.ID+1)
		r.put(r.b.leases, leaseKey(l.ID), []byte(d))
	}
	for i, tail := range l.Tasks {
		if !l.done(i) && !r.isTask(d, l.Origin, tail) {
			r.found[wrongLeaseTask]++
			l.finish(i)
			changed = true
		}
	}
	return changed
}

// isTask reports whether a whole task is queued at the end of a lease's key.
func (r *repairer) isTask(d crawl.Domain, origin string, tail []byte) bool {
	if len(tail) != tailSize {
		return false
	}
	key := append(append(hostKey(d, origin), 0), tail...)
	value := r.b.queue.Get(key)
	if value == nil {
		return false
	}
	_, ok := readWhole(key, value)
	return ok
}
