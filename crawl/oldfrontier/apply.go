package frontier

import (
	"fmt"
	"time"

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
	// Lease is the lease that a Grant began or a Renew prolonged, 0 if it was
	// refused.
	Lease crawl.LeaseID
	// Settled says that a Settle found its task and closed or requeued it.
	// Revisit says that the page had been visited before.
	Settled, Revisit bool
	// New is how many URLs were taken into the queue.
	New int
	// N is the number of the move that a Close began.
	N uint64
	// Domains is how many a Confirm, Close, Gone, Reopen or Forget has changed.
	Domains int
	// Move is how far the move of a Chunk, Opened or Abort has come, and Seq the
	// last of its chunks that was applied.
	Move MoveState
	Seq  uint64
	// Granted says that a Slot was granted or renewed. If not, Wait is how long one will be taken at
	// most, by this member's own clocks.
	Granted bool
	Wait    time.Duration
	// Again says that a Chunk was not applied, since a domain of it is being
	// deleted here, put aside or on another move, or that an Opened or Abort goes on:
	// the same may be proposed again.
	Again bool
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
	used    map[crawl.Domain]bool   // those that the entry of the log has read or made
	sealed  map[crawl.Domain][]byte // records to be written, as they were at the end of an entry
	awake   map[string]bool         // hosts known to be ready or held
	filters *bloom.Batch
	taken   []string // URLs that are in the filters once this is committed
	prefix  []byte
	ask     bool // domains that an entry makes are to be asked about
	forgot  bool // what was known of links may be so no more
	touched map[crawl.Domain]bool
	came    int      // domains that became this log's
	later   [][]byte // keys that are to come into b.later
}

func newMachine(tx *storage.Tx, cfg *Config) (*machine, error) {
	b, err := openBuckets(tx, cfg.LogID)
	if err != nil {
		return nil, err
	}
	m := &machine{
		b: b, now: cfg.Now().UnixNano(), today: cfg.Calendar().UnixNano(), cfg: cfg,
		domains: make(map[crawl.Domain]*domainRecord), used: make(map[crawl.Domain]bool), sealed: make(map[crawl.Domain][]byte),
		touched: make(map[crawl.Domain]bool), awake: make(map[string]bool), filters: bloom.NewBatch(b.filters),
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
	return m.applyAll(entries)
}

func (m *machine) applyAll(entries []Entry) ([]Applied, error) {
	results := make([]Applied, len(entries))
	for i, e := range entries {
		m.meta.Applied++
		if e == (Entry{}) {
			continue // what it is about is over
		}
		var err error
		if results[i], err = m.applyOne(e); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func (m *machine) applyOne(e Entry) (Applied, error) {
	switch {
	case e.Enqueue != nil:
		return m.take(e.Enqueue)
	case e.Grant != nil:
		return m.grant(e.Grant)
	case e.Settle != nil:
		return m.settle(e.Settle)
	case e.Release != nil:
		return Applied{}, m.release(e.Release)
	case e.Recall != nil:
		return Applied{}, m.recall(e.Recall)
	case e.Revive != nil:
		return Applied{}, m.revive(e.Revive)
	case e.Renew != nil:
		return m.renew(e.Renew)
	case e.Sent != nil:
		return Applied{}, m.sent(e.Sent)
	case e.Confirm != nil:
		return m.confirm(e.Confirm)
	case e.Anew != nil:
		m.anew(e.Anew)
		return Applied{}, nil
	case e.Slot != nil:
		return m.slot(e.Slot)
	case e.Unslot != nil:
		return Applied{}, m.unslot(e.Unslot)
	default:
		return m.applyMove(e)
	}
}

// seal ends an entry of the log.
func (m *machine) seal() error {
	if err := m.sealDomains(); err != nil {
		return err
	}
	if err := m.filters.Flush(); err != nil {
		return fmt.Errorf("write filters: %w", err)
	}
	clear(m.used)
	clear(m.touched)
	clear(m.awake)
	return nil
}

// flush writes the records that changed.
func (m *machine) flush() error {
	if err := m.seal(); err != nil {
		return err
	}
	for name, raw := range m.sealed {
		if err := m.b.domains.Put([]byte(name), raw); err != nil {
			return fmt.Errorf("write domain %s: %w", name, err)
		}
	}
	if err := m.writeLater(); err != nil {
		return fmt.Errorf("write times of visits: %w", err)
	}
	return putRecord(m.b.meta, keyState, &m.meta)
}

// domain returns the record of a domain; ok is false if there is none.
func (m *machine) domain(d crawl.Domain) (r *domainRecord, ok bool, err error) {
	m.used[d] = true
	if r, ok := m.domains[d]; ok {
		return r, true, nil
	}
	rec, ok, err := m.b.readDomain(d)
	if err != nil || !ok {
		return nil, false, err
	}
	m.domains[d] = &rec
	return &rec, true, nil
}

// begin makes the record of a domain.
func (m *machine) begin(name crawl.Domain, d *domainRecord) {
	m.domains[name], m.used[name] = d, true
	m.meta.Totals.add(d)
}

// insert puts a task into the queue of a host and wakes host and domain.
func (m *machine) insert(host []byte, d *domainRecord, depth uint8, prio crawl.Priority, value []byte) error {
	if err := m.b.queue.Put(m.newKey(host, depth, prio, value), value); err != nil {
		return err
	}
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

// newKey returns the queue key of a new task.
func (m *machine) newKey(host []byte, depth uint8, prio crawl.Priority, value []byte) []byte {
	number := m.meta.NextTask
	m.meta.NextTask++
	return queueKey(host, rank{attempts: value[0], depth: depth, prio: prio, number: number})
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
	if d.Lease.ID != 0 || d.asleep() {
		return nil // the end of the lease, or of the sleep, will
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
	return m.b.setClock([]byte(name), at, !d.asleep() && m.b.hasReady(name))
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
	d, ok, err := m.domain(name)
	if err != nil || !ok {
		return err
	}
	return m.wake(host, d)
}
