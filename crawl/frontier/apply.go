package frontier

import (
	"bytes"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

const (
	// MaxLeaseTasks is the most tasks a lease may hold. Doubled, a lost
	// lease costs twice the waiting; halved, a quick site costs twice the commits.
	MaxLeaseTasks = 128

	// maxQueued is the budget of a frontier in queued URLs. What is beyond is
	// dropped and counted.
	maxQueued = 1_000_000

	// maxFailures and maxRefusals are how many attempts a task gets.
	maxFailures = 3
	maxRefusals = 10

	// maxLevel is where the back-off of a domain has reached its longest wait:
	// by then it was left alone for a day and a half in all.
	maxLevel = 13
)

// Applied says what became of one entry.
type Applied struct {
	// Lease is the lease that a Grant began, 0 if it was refused.
	Lease crawl.LeaseID
	// Settled says that a Settle found its task and closed or requeued it.
	Settled bool
	// New is how many URLs were taken into the queue.
	New int
}

// machine applies the entries of one transaction. Records are read once,
// changed in memory and written at the end.
type machine struct {
	b       buckets
	now     int64 // Unix nanoseconds, this member's own
	today   int64 // the same by the calendar
	cfg     *Config
	meta    metaRecord
	domains map[crawl.Domain]*domainRecord
	awake   map[string]bool // hosts known to be ready or held
	filters *bloom.Batch
	taken   []string // URLs that are in the filters once this is committed
	prefix  []byte
}

func newMachine(tx *storage.Tx, cfg *Config) (*machine, error) {
	b, err := openBuckets(tx, cfg.LogID)
	if err != nil {
		return nil, err
	}
	m := &machine{
		b: b, now: cfg.Now().UnixNano(), today: cfg.Calendar().UnixNano(), cfg: cfg,
		domains: make(map[crawl.Domain]*domainRecord), awake: make(map[string]bool), filters: bloom.NewBatch(b.filters),
	}
	m.meta, err = b.readMeta()
	return m, err
}

// apply brings encoded entries into the store.
func (m *machine) apply(data []byte) ([]Applied, error) {
	entries, err := decodeEntries(data)
	if err != nil {
		return nil, err
	}
	results := make([]Applied, len(entries))
	for i, e := range entries {
		if results[i], err = m.applyOne(e); err != nil {
			return nil, err
		}
		m.meta.Applied++
	}
	return results, nil
}

func (m *machine) applyOne(e Entry) (Applied, error) {
	switch {
	case e.Enqueue != nil:
		n, err := m.enqueueAll(e.Enqueue.Links, found{})
		return Applied{New: n}, err
	case e.Grant != nil:
		id, err := m.grant(e.Grant)
		return Applied{Lease: id}, err
	case e.Settle != nil:
		return m.settle(e.Settle)
	case e.Release != nil:
		return Applied{}, m.release(e.Release)
	case e.Recall != nil:
		return Applied{}, m.recall(e.Recall)
	default:
		return Applied{}, m.revive(e.Revive)
	}
}

// flush writes the records that changed.
func (m *machine) flush() error {
	for d, r := range m.domains {
		if err := putRecord(m.b.domains, []byte(d), r); err != nil {
			return fmt.Errorf("write domain %s: %w", d, err)
		}
	}
	if err := m.filters.Flush(); err != nil {
		return fmt.Errorf("write filters: %w", err)
	}
	return putRecord(m.b.meta, keyState, &m.meta)
}

func (m *machine) domain(d crawl.Domain) (*domainRecord, error) {
	if r, ok := m.domains[d]; ok {
		return r, nil
	}
	r, ok, err := m.b.readDomain(d)
	if err != nil {
		return nil, err
	}
	if !ok {
		m.meta.Totals.Domains++
	}
	m.domains[d] = &r
	return &r, nil
}

// found says where links come from.
type found struct {
	domain crawl.Domain // "" for seeds
	date   int64        // of the visit, Unix seconds
}

func (m *machine) enqueueAll(links []Link, from found) (added int, err error) {
	for _, l := range links {
		u, err := crawl.ParseURL(l.URL)
		if err != nil {
			continue // not canonical by our rules, so no task of ours
		}
		isNew, err := m.enqueue(u, l, from)
		if err != nil {
			return added, err
		}
		if isNew {
			added++
		}
	}
	return added, nil
}

// enqueue makes a task of a URL that was never seen before.
func (m *machine) enqueue(u crawl.URL, l Link, from found) (bool, error) {
	name := u.Domain()
	if !validDomain(name) || len(u.Hostname()) > maxHostname {
		return false, nil
	}
	foreign := from.domain != "" && from.domain != name
	if foreign {
		if ok, err := m.mayBring(from.domain, name); err != nil || !ok {
			return false, err
		}
	}
	d, err := m.domain(name)
	if err != nil {
		return false, err
	}
	d.linkedFrom(name, from.domain)
	if foreign {
		m.taken = append(m.taken, linkPair(from.domain, name))
	}
	m.prefix = append(append(m.prefix[:0], name...), 0)
	hash := bloom.HashOf(u.SeenKey())
	if m.filters.Has(m.prefix, hash) {
		m.taken = append(m.taken, l.URL)
		if l.Modified > 0 {
			return false, m.modified(name, d, l, from)
		}
		return false, nil
	}
	if room, err := m.hasRoom(name, d, u, foreign); err != nil || !room {
		d.Dropped++
		m.meta.Totals.Dropped++
		return false, err
	}
	if _, err := m.filters.Add(m.prefix, hash); err != nil {
		return false, fmt.Errorf("filter of %s: %w", name, err)
	}
	m.taken = append(m.taken, l.URL)
	d.Known++
	m.meta.Totals.Known++
	kind := kindOf(l.Redirects, l.Source)
	if foreign {
		d.Foreign++
		kind |= kindForeign
	}
	return true, m.insert(hostKey(name, u.Origin()), d, l.Depth, validPriority(l.Priority), taskValue(0, kind, u.String()))
}

// mayBring reports whether a link of one domain may lead to another. Domains
// never heard of count against the budget of the one that links to them: else
// one site could fill the queue with names it made up.
func (m *machine) mayBring(from, to crawl.Domain) (bool, error) {
	if _, ok := m.domains[to]; ok {
		return true, nil
	}
	if m.b.domains.Get([]byte(to)) != nil {
		return true, nil
	}
	d, err := m.domain(from)
	if err != nil {
		return false, err
	}
	if d.Brought >= d.budget(m.cfg.Budget) {
		d.Dropped++
		m.meta.Totals.Dropped++
		return false, nil
	}
	d.Brought++
	return true, nil
}

func validPriority(p crawl.Priority) crawl.Priority {
	if p < crawl.PriorityHigh || p > crawl.PriorityLow {
		return crawl.PriorityNormal
	}
	return p
}

// insert puts a task into the queue of a host and wakes host and domain.
func (m *machine) insert(host []byte, d *domainRecord, depth uint8, prio crawl.Priority, value []byte) error {
	if err := m.b.queue.Put(queueKey(host, depth, prio, m.meta.NextTask), value); err != nil {
		return err
	}
	m.meta.NextTask++
	m.addQueued(d, value, 1)
	if m.awake[string(host)] {
		return nil
	}
	m.awake[string(host)] = true
	if m.b.ready.Get(host) != nil {
		return nil
	}
	if _, held := m.b.clock(host); held {
		return nil
	}
	return m.wake(host, d)
}

// addQueued changes the counts of queued tasks by one.
func (m *machine) addQueued(d *domainRecord, value []byte, by int) {
	n, t := uint64(by), &m.meta.Totals // adding ^0 takes one away
	d.Queued += n
	t.Queued += n
	if d.Parked {
		t.Parked += n
	}
	if taskKind(value[1]).isRevisit() {
		d.Revisiting += n
		t.Revisiting += n
	}
}

// wake makes a host ready and gives its domain a place in the order of time.
func (m *machine) wake(host []byte, d *domainRecord) error {
	if err := m.b.ready.Put(host, []byte{}); err != nil {
		return err
	}
	if d.Lease.ID != 0 || d.Parked {
		return nil // the end of the lease, or of the retirement, will
	}
	name, _ := splitHostKey(host)
	at, ok := m.b.clock([]byte(name))
	if !ok {
		at = m.now
	}
	return m.b.setClock([]byte(name), at, true)
}

// remove takes a task out of the queue of its host.
func (m *machine) remove(key, value, host []byte, d *domainRecord) error {
	if err := m.b.queue.Delete(key); err != nil {
		return err
	}
	m.addQueued(d, value, -1)
	if m.b.hasTasks(host) {
		return nil
	}
	delete(m.awake, string(host))
	if err := m.b.ready.Delete(host); err != nil || d.Lease.ID != 0 {
		return err
	}
	name, _ := splitHostKey(host)
	at, ok := m.b.clock([]byte(name))
	if !ok {
		at = m.now
	}
	return m.b.setClock([]byte(name), at, !d.Parked && m.b.hasReady(name))
}

// grant begins a lease. It is refused, without an error, if the domain has a
// live one or a task is no longer there: the proposer saw an older state.
func (m *machine) grant(g *Grant) (crawl.LeaseID, error) {
	d, err := m.domain(g.Domain)
	if err != nil || d.Lease.ID != 0 || d.Parked {
		return 0, err
	}
	host := hostKey(g.Domain, g.Origin)
	for _, tail := range g.Tasks {
		if m.b.queue.Get(append(append(bytes.Clone(host), 0), tail...)) == nil {
			return 0, nil
		}
	}
	id := m.meta.NextLease
	m.meta.NextLease++
	m.meta.Totals.Leases++
	d.Lease = leaseRecord{ID: id, Origin: g.Origin, Tasks: g.Tasks, For: g.For}
	d.NextHost = g.Origin + "\x00"
	if err := m.b.leases.Put(leaseKey(id), []byte(g.Domain)); err != nil {
		return 0, err
	}
	// Members count a lease a tenth longer than its holder may.
	return id, m.b.setClock([]byte(g.Domain), m.now+int64(g.For+g.For/10), true)
}

// release ends a lease; a lease that is over already is no error.
func (m *machine) release(r *Release) error {
	d, err := m.domain(r.Domain)
	if err != nil || d.Lease.ID != r.Lease || r.Lease == 0 {
		return err
	}
	d.Lease = leaseRecord{}
	if r.CrawlDelay > 0 {
		d.CrawlDelay = r.CrawlDelay
	}
	m.meta.Totals.Leases--
	if err := m.b.leases.Delete(leaseKey(r.Lease)); err != nil {
		return err
	}
	polite := m.cfg.Politeness
	gap := max(polite.Gap(d.CrawlDelay, d.Took, polite.Backoff(d.Level, 0)), polite.Backoff(d.Level, d.Asked))
	if d.Parked {
		gap = d.retiredFor() // what the site asked for may outlast it by the calendar
	} else {
		d.Asked = 0
	}
	return m.b.setClock([]byte(r.Domain), m.now+int64(gap), !d.Parked && m.b.hasReady(r.Domain))
}

// unhold ends the hold of a host whose time has come.
func (m *machine) unhold(host []byte) error {
	if err := m.b.dropClock(host); err != nil {
		return err
	}
	if !m.b.hasTasks(host) {
		return nil
	}
	name, _ := splitHostKey(host)
	d, err := m.domain(name)
	if err != nil {
		return err
	}
	return m.wake(host, d)
}
