package frontier

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// maxFaults bounds how many faults Check describes.
const maxFaults = 20

// Check reads the whole frontier and returns what contradicts its invariants,
// joined, or nil: every count matches what it counts, every lease is known to
// its domain and the reverse, a host is ready exactly if it has tasks and no
// hold, a domain that has something to do has its place in the order of due
// times, every URL known is in its filter, a page waits for another visit at
// most once in the queue, and what is listed of moves is what the domains say.
func (f *Frontier) Check() error { return f.db.View(f.checkIn) }

func (f *Frontier) checkIn(tx *storage.Tx) error {
	b, err := openBuckets(tx, f.cfg.LogID)
	if err != nil {
		return err
	}
	c := checker{b: &b, filters: bloom.NewBatch(b.filters), passing: make(map[crawl.Domain]bool)}
	c.moves()
	c.outbox()
	c.queues()
	c.records()
	c.leases()
	c.times()
	c.pages()
	c.slots()
	c.totals()
	return errors.Join(c.faults...)
}

type checker struct {
	b        *buckets
	faults   []error
	hosts    map[string]uint64 // tasks found in the queue, by host
	domains  map[crawl.Domain]uint64
	revisits map[crawl.Domain]uint64 // of those, the tasks that are revisits
	filters  *bloom.Batch
	// passing are domains of which things are being deleted or put elsewhere.
	passing map[crawl.Domain]bool
	meta    metaRecord // what is found of its counts
	sum     Totals
}

func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, fmt.Errorf(format, args...))
	}
}

func (c *checker) queues() {
	c.hosts, c.domains, c.revisits = make(map[string]uint64), make(map[crawl.Domain]uint64), make(map[crawl.Domain]uint64)
	c.b.queue.ForEach(func(key, value []byte) error {
		if c.isPassing(key) {
			return nil
		}
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
		c.known(domain, t.URL)
		if taskKind(value[1]).isRevisit() {
			c.revisits[domain]++
			c.revisit(domain, t.URL)
		}
		return nil
	})
}

func (c *checker) records() {
	for key := range c.hosts {
		_, held := c.b.clock([]byte(key))
		if ready := c.b.ready.Get([]byte(key)) != nil; ready == held {
			c.fault("host %q: ready is %v with tasks, held %v", key, ready, held)
		}
	}
	c.b.ready.ForEach(func(key, _ []byte) error {
		if c.isPassing(key) {
			return nil
		}
		if c.hosts[string(key)] == 0 {
			c.fault("host %q: is ready without tasks", key)
		}
		return nil
	})
	c.b.clocks.ForEach(func(key, _ []byte) error {
		name, origin := splitHostKey(key)
		if r, _, err := c.b.readDomain(name); err != nil || r.Arriving != nil {
			return nil
		}
		if at, held := c.b.clock(key); held && origin != "" && c.b.due.Get(dueKey(at, key)) == nil {
			c.fault("host %q: held, but not in the order of due times", key)
		}
		return nil
	})
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
	c.sum.add(r)
	if c.passing[d] {
		return
	}
	if found := c.domains[d]; found != r.Queued {
		c.fault("domain %s: counts %d tasks, has %d", d, r.Queued, found)
	}
	if closed := r.closed(); r.Arriving == nil && closed+r.Queued-r.Revisiting != r.Known {
		c.fault("domain %s: %d URLs known, %d queued (%d of them once more) and %d closed", d, r.Known, r.Queued, r.Revisiting, closed)
	}
	if found := c.revisits[d]; found != r.Revisiting {
		c.fault("domain %s: counts %d tasks for another visit, has %d", d, r.Revisiting, found)
	}
	at, ok := c.b.clock([]byte(d))
	work := r.Lease.ID != 0 || !r.asleep() && c.b.hasReady(d)
	if inOrder := ok && c.b.due.Get(dueKey(at, []byte(d))) != nil; inOrder != work {
		c.fault("domain %s: in the order of due times is %v, has work is %v", d, inOrder, work)
	}
	if r.Lease.ID != 0 && string(c.b.leases.Get(leaseKey(r.Lease.ID))) != string(d) {
		c.fault("domain %s: lease %d is not in the list of leases", d, r.Lease.ID)
	}
	for _, tail := range r.Lease.open() {
		if c.b.queue.Get(append(append(hostKey(d, r.Lease.Origin), 0), tail...)) == nil {
			c.fault("domain %s: lease %d holds a task that is not queued", d, r.Lease.ID)
		}
	}
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

// known finds fault with a URL that the filter of its domain does not hold: it would be taken in
// again.
func (c *checker) known(d crawl.Domain, u crawl.URL) {
	if !c.filters.Has(append([]byte(d), 0), bloom.HashOf(u.SeenKey())) {
		c.fault("filter of %s: does not hold %s", d, u)
	}
}

// revisit finds fault with a task for another visit of a page that does not know of it.
func (c *checker) revisit(d crawl.Domain, u crawl.URL) {
	if r, ok, err := c.b.page(pageKey(d, u.String())); err != nil || !ok || !r.Queued {
		c.fault("queue: %s is to be visited again, but its page record does not say so", u)
	}
}

// pages checks the records of visits, and the order of those to come.
func (c *checker) pages() {
	queued := make(map[crawl.Domain]uint64)
	c.b.pages.ForEach(func(key, _ []byte) error {
		if c.isPassing(key) {
			return nil
		}
		d, _ := splitHostKey(key)
		r, _, err := c.b.page(key)
		if err != nil {
			c.fault("page: %v", err)
			return nil
		}
		if !bytes.Equal(key, pageKey(d, r.URL)) {
			c.fault("page %s: stands under the key % x", r.URL, key)
		}
		if u, err := crawl.ParseURL(r.URL); err != nil || u.Domain() != d {
			c.fault("page %q: is no URL of %s", r.URL, d)
		} else {
			c.known(d, u)
		}
		if r.Queued {
			queued[d]++
		}
		return nil
	})
	for d, n := range queued {
		if c.revisits[d] != n {
			c.fault("domain %s: %d pages say that they are queued for another visit, %d are", d, n, c.revisits[d])
		}
	}
	c.b.later.ForEach(func(key, _ []byte) error {
		_, name := splitDueKey(key) // it may have moved away since
		if d, hash, isPage := bytes.Cut(name, []byte{0}); len(d) == 0 || isPage && len(hash) != pageHash {
			c.fault("later % x: is no page and no domain", name)
		}
		return nil
	})
}

func (c *checker) totals() {
	meta, err := c.b.readMeta()
	c.sum.Dropped += meta.Lost
	if err != nil {
		c.fault("totals: %v", err)
	} else if meta.Totals != c.sum {
		c.fault("totals: %+v counted, %+v found", meta.Totals, c.sum)
	}
	if meta.Gone != c.meta.Gone || meta.Moves != c.meta.Moves || meta.MovesOver != c.meta.MovesOver {
		c.fault("moves: %d gone, %d live and %d over counted, %d, %d and %d found",
			meta.Gone, meta.Moves, meta.MovesOver, c.meta.Gone, c.meta.Moves, c.meta.MovesOver)
	}
}
