package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

var (
	nameMeta    = []byte("meta")
	nameDomains = []byte("domains")
	nameQueue   = []byte("queue")
	nameLeases  = []byte("leases")
	nameFilters = []byte("filters")
	namePages   = []byte("pages")
	nameClocks  = []byte("clocks")
	nameDue     = []byte("due")
	nameReady   = []byte("ready")
	nameLater   = []byte("later")
	nameShapes  = []byte("shapes")

	nameOutbox   = []byte("outbox")
	nameUnasked  = []byte("unasked")
	nameClosing  = []byte("closing")
	nameGone     = []byte("gone")
	nameArriving = []byte("arriving")
	nameAside    = []byte("aside")

	nameSlots     = []byte("slots")
	nameSlotTimes = []byte("slottimes")

	keyState = []byte("state")
)

// How full a page of the store is made when it is split, and twice as full as what is joined with the next one. Half is best for
// what comes in any order; what comes in the order of its keys, or nearly, never finds room in the first half again. In queues the order
// is that of each host.
const (
	fillLater  = 0.95
	fillQueues = 0.8
)

// buckets are those of one log within a transaction.
type buckets struct {
	meta, domains, queue, leases, filters, pages, clocks, due, ready, later, shapes *storage.Bucket
	outbox, unasked, closing, gone, arriving, aside                                 *storage.Bucket
	slots, slotTimes                                                                *storage.Bucket

	tasks *storage.Cursor // of queue, as atTask returns it
}

// bucketPlace is where one of them belongs.
type bucketPlace struct {
	name  []byte
	place **storage.Bucket
}

// list returns all. They are opened in each transaction, so it is an array: it costs no memory.
func (b *buckets) list() [19]bucketPlace {
	return [...]bucketPlace{
		{nameMeta, &b.meta}, {nameDomains, &b.domains}, {nameQueue, &b.queue}, {nameLeases, &b.leases},
		{nameFilters, &b.filters}, {namePages, &b.pages}, {nameClocks, &b.clocks}, {nameDue, &b.due}, {nameReady, &b.ready},
		{nameLater, &b.later}, {nameShapes, &b.shapes},
		{nameOutbox, &b.outbox}, {nameUnasked, &b.unasked}, {nameClosing, &b.closing}, {nameGone, &b.gone},
		{nameArriving, &b.arriving}, {nameAside, &b.aside},
		{nameSlots, &b.slots}, {nameSlotTimes, &b.slotTimes},
	}
}

// createBuckets makes the buckets of a log.
func createBuckets(tx *storage.Tx, logID string) error {
	log, err := tx.Bucket(storage.BucketLogs).CreateBucketIfNotExists([]byte(logID))
	if err != nil {
		return err
	}
	var b buckets
	for _, p := range b.list() {
		if _, err := log.CreateBucketIfNotExists(p.name); err != nil {
			return err
		}
	}
	return nil
}

// openBuckets returns the buckets of a log.
func openBuckets(tx *storage.Tx, logID string) (buckets, error) {
	var b buckets
	log := tx.Bucket(storage.BucketLogs).Bucket([]byte(logID))
	if log == nil {
		return b, fmt.Errorf("there is no log %q", logID)
	}
	for _, p := range b.list() {
		if *p.place = log.Bucket(p.name); *p.place == nil {
			return b, fmt.Errorf("log %q has no bucket %q", logID, p.name)
		}
	}
	b.later.FillPercent, b.queue.FillPercent = fillLater, fillQueues
	return b, nil
}

func (b *buckets) readMeta() (metaRecord, error) {
	m := metaRecord{NextTask: 1, NextLease: 1}
	_, err := getRecord(b.meta, keyState, &m)
	return m, err
}

func (b *buckets) readDomain(d crawl.Domain) (domainRecord, bool, error) {
	var r domainRecord
	ok, err := getRecord(b.domains, []byte(d), &r)
	return r, ok, err
}

// clock returns the time of a domain (when politeness allows the next request,
// or its lease lapses) or of a held host (when its hold ends).
func (b *buckets) clock(name []byte) (at int64, ok bool) {
	raw := b.clocks.Get(name)
	if len(raw) != 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(raw)), true
}

// setClock sets the time of a domain or host, and gives it its place in the order
// of due times if there is something to do then.
func (b *buckets) setClock(name []byte, at int64, work bool) error {
	at = max(at, 0)
	if old, ok := b.clock(name); ok && old != at {
		if err := b.due.Delete(dueKey(old, name)); err != nil {
			return err
		}
	}
	if err := b.clocks.Put(name, binary.BigEndian.AppendUint64(nil, uint64(at))); err != nil {
		return err
	}
	if work {
		return b.due.Put(dueKey(at, name), []byte{})
	}
	return b.due.Delete(dueKey(at, name))
}

// dropClock forgets the time of a host whose hold is over.
func (b *buckets) dropClock(name []byte) error {
	at, ok := b.clock(name)
	if !ok {
		return nil
	}
	if err := b.due.Delete(dueKey(at, name)); err != nil {
		return err
	}
	return b.clocks.Delete(name)
}

// hasReady reports whether a domain has a host with tasks and without a hold.
func (b *buckets) hasReady(d crawl.Domain) bool {
	prefix := hostKey(d, "")
	key, _ := b.ready.Cursor().Seek(prefix)
	return bytes.HasPrefix(key, prefix)
}

// hasTasks reports whether a host has tasks.
func (b *buckets) hasTasks(host []byte) bool {
	prefix := append(append(make([]byte, 0, len(host)+1), host...), 0)
	key, _ := b.atTask().Seek(prefix)
	return bytes.HasPrefix(key, prefix)
}

// onlyRetries reports whether a host has tasks, and all of them failed before.
func (b *buckets) onlyRetries(host []byte) bool {
	prefix := append(append(make([]byte, 0, len(host)+1), host...), 0)
	key, _ := b.atTask().Seek(prefix)
	_, tail, ok := splitQueueKey(key)
	return ok && bytes.HasPrefix(key, prefix) && rankOf(tail).attempts > 0
}

// atTask returns a cursor of the queue, the same each time: most of what is looked up is tasks, and one that has
// been used before needs no memory.
func (b *buckets) atTask() *storage.Cursor {
	if b.tasks == nil {
		b.tasks = b.queue.Cursor()
	}
	return b.tasks
}

// queued returns the value of a task in the queue, nil if it is not there.
func (b *buckets) queued(key []byte) []byte {
	found, value := b.atTask().Seek(key)
	if !bytes.Equal(found, key) {
		return nil
	}
	return value
}
