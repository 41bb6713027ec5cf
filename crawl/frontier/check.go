package frontier

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// maxFaults bounds how many faults Check describes.
const maxFaults = 20

// Check reads the whole frontier and returns what contradicts its invariants,
// joined, or nil: every count matches what it counts, every lease is known to
// its domain and the reverse, a host is ready exactly if it has tasks and no
// hold, and a domain that has something to do has its place in the order of
// due times.
func (f *Frontier) Check() error { return f.db.View(f.checkIn) }

func (f *Frontier) checkIn(tx *storage.Tx) error {
	b, err := openBuckets(tx, f.cfg.LogID)
	if err != nil {
		return err
	}
	c := checker{b: &b}
	c.queues()
	c.records()
	c.leases()
	c.times()
	c.totals()
	return errors.Join(c.faults...)
}

type checker struct {
	b       *buckets
	faults  []error
	hosts   map[string]uint64 // tasks found in the queue, by host
	domains map[crawl.Domain]uint64
	sum     Totals
}

func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, fmt.Errorf(format, args...))
	}
}

func (c *checker) queues() {
	c.hosts, c.domains = make(map[string]uint64), make(map[crawl.Domain]uint64)
	c.b.queue.ForEach(func(key, value []byte) error {
		host, _, ok := splitQueueKey(key)
		t, err := readTask(key, value)
		if !ok || err != nil {
			c.fault("queue: %v", err)
			return nil
		}
		domain, origin := splitHostKey(host)
		if t.URL.Origin() != origin || t.URL.Domain() != domain {
			c.fault("queue: %s stands in the queue of %s, %s", t.URL, domain, origin)
		}
		c.hosts[string(host)]++
		c.domains[domain]++
		return nil
	})
}

func (c *checker) records() {
	c.b.hosts.ForEach(func(key, _ []byte) error {
		var r hostRecord
		if _, err := getRecord(c.b.hosts, key, &r); err != nil {
			c.fault("host: %v", err)
			return nil
		}
		if found := c.hosts[string(key)]; found != r.Queued {
			c.fault("host %q: counts %d tasks, has %d", key, r.Queued, found)
		}
		at, held := c.b.clock(key)
		if held && c.b.due.Get(dueKey(at, key)) == nil {
			c.fault("host %q: held, but not in the order of due times", key)
		}
		if ready := c.b.ready.Get(key) != nil; ready != (r.Queued > 0 && !held) {
			c.fault("host %q: ready is %v with %d tasks, held %v", key, ready, r.Queued, held)
		}
		delete(c.hosts, string(key))
		return nil
	})
	for key := range c.hosts {
		c.fault("host %q has tasks and no record", key)
	}
	c.b.domains.ForEach(func(key, _ []byte) error {
		d := crawl.Domain(key)
		r, _, err := c.b.readDomain(d)
		if err != nil {
			c.fault("domain: %v", err)
			return nil
		}
		c.domain(d, &r)
		return nil
	})
}

func (c *checker) domain(d crawl.Domain, r *domainRecord) {
	if found := c.domains[d]; found != r.Queued {
		c.fault("domain %s: counts %d tasks, has %d", d, r.Queued, found)
	}
	if closed := r.Fetched + r.Failed + r.Forbidden + r.Other; closed+r.Queued != r.Known {
		c.fault("domain %s: %d URLs known, %d queued and %d closed", d, r.Known, r.Queued, closed)
	}
	at, ok := c.b.clock([]byte(d))
	work := r.Lease.ID != 0 || c.b.hasReady(d)
	if inOrder := ok && c.b.due.Get(dueKey(at, []byte(d))) != nil; inOrder != work {
		c.fault("domain %s: in the order of due times is %v, has work is %v", d, inOrder, work)
	}
	if r.Lease.ID != 0 && string(c.b.leases.Get(leaseKey(r.Lease.ID))) != string(d) {
		c.fault("domain %s: lease %d is not in the list of leases", d, r.Lease.ID)
	}
	for _, tail := range r.Lease.Tasks {
		if c.b.queue.Get(append(append(hostKey(d, r.Lease.Origin), 0), tail...)) == nil {
			c.fault("domain %s: lease %d holds a task that is not queued", d, r.Lease.ID)
		}
	}
	c.sum.Domains++
	c.sum.Queued += r.Queued
	c.sum.Known += r.Known
	c.sum.Fetched += r.Fetched
	c.sum.Duplicates += r.Duplicates
	c.sum.Failed += r.Failed
	c.sum.Forbidden += r.Forbidden
	c.sum.Dropped += r.Dropped
	c.sum.Other += r.Other
}

func (c *checker) leases() {
	c.b.leases.ForEach(func(key, name []byte) error {
		c.sum.Leases++
		r, _, err := c.b.readDomain(crawl.Domain(name))
		if err != nil || !bytes.Equal(leaseKey(r.Lease.ID), key) {
			c.fault("lease % x: domain %s does not know it", key, name)
		}
		return nil
	})
}

func (c *checker) times() {
	c.b.due.ForEach(func(key, _ []byte) error {
		at, name := splitDueKey(key)
		if clock, ok := c.b.clock(name); !ok || clock != at {
			c.fault("due %q at %d: its clock says %d", name, at, clock)
		}
		return nil
	})
}

func (c *checker) totals() {
	meta, err := c.b.readMeta()
	if err != nil {
		c.fault("totals: %v", err)
	} else if meta.Totals != c.sum {
		c.fault("totals: %+v counted, %+v found", meta.Totals, c.sum)
	}
}
