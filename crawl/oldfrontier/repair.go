package frontier

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// Repair brings a log that nobody serves back to the invariants that Check
// states, and returns what it met, nil if all was well: records that cannot be
// read are dropped, and what can be told from what is left is made anew, counts
// and orders above all. Tasks and pages that are whole stay. Where the time of the last
// visit of a domain is lost, it is left alone for a while.
//
// Everything is one transaction. With dryRun there is none, the store may be
// open for reading, and what is returned is what would be done. cfg needs the
// name of the log; its clock and politeness are used where they are set.
//
// Whatever bytes are in the buckets, Repair does not panic. Its memory grows
// with the hosts and with the pages queued for another visit.
func Repair(ctx context.Context, db *storage.DB, cfg Config, dryRun bool) ([]Mended, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Calendar == nil {
		cfg.Calendar = cfg.Now
	}
	run := db.Update
	if dryRun {
		run = db.View
	}
	var mended []Mended
	err := run(func(tx *storage.Tx) (err error) {
		mended, err = repair(ctx, tx, &cfg, dryRun)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("repair frontier: %w", err)
	}
	return mended, nil
}

// repairer is one run of Repair. Facts are gathered in memory and changes take
// effect a little later, so that a dry run, which makes none, finds the same.
type repairer struct {
	b          buckets
	cfg        *Config
	dry        bool
	now, today int64

	meta metaRecord
	head

	found   [troubles]int
	domains map[crawl.Domain]*tally
	hosts   map[string]uint64   // tasks, by host key
	again   map[uint64]struct{} // pages that are queued for another visit, by mark of their key
	pages   int
	leases  map[crawl.LeaseID]crawl.Domain

	// moving are the domains that arrive, passing those of which things are being
	// deleted or put elsewhere, so that nothing need agree.
	moving  map[crawl.Domain]*arriving
	passing map[crawl.Domain]bool

	filters *bloom.Batch
	added   int // to filters, not flushed
	pending []change
	seed    maphash.Seed
}

// tally is what the queue and the pages tell of a domain.
type tally struct {
	queued, revisiting uint64
	fetched, other     uint64 // pages, by their last visit
	ready              bool
	seen               bool // has a record
	parked             bool
	unasked, closing   bool
	work               bool // has a place in the order of due times
}

// change is one change of a bucket that is still to be made. A nil value
// deletes, and so does bucket, a bucket where a value should be.
type change struct {
	in         *storage.Bucket
	key, value []byte
	bucket     bool
}

// pendingLimit bounds how many changes are remembered.
const pendingLimit = 4096

func repair(ctx context.Context, tx *storage.Tx, cfg *Config, dry bool) ([]Mended, error) {
	r := &repairer{
		cfg: cfg, dry: dry, now: cfg.Now().UnixNano(), today: cfg.Calendar().UnixNano(), domains: make(map[crawl.Domain]*tally), hosts: make(map[string]uint64),
		again: make(map[uint64]struct{}), leases: make(map[crawl.LeaseID]crawl.Domain), seed: maphash.MakeSeed(),
		moving: make(map[crawl.Domain]*arriving), passing: make(map[crawl.Domain]bool),
	}
	if ok, err := r.open(tx); err != nil || !ok {
		return r.report(), err
	}
	r.filters = bloom.NewBatch(r.b.filters)
	r.readMeta()
	for _, step := range []func(context.Context) error{
		r.checkGone, r.checkMoves, r.checkOutbox, r.checkFilters, r.checkShapes, r.checkPages, r.checkQueue, r.settleQueued, r.checkClocks, r.checkReady,
		r.checkLeases, r.checkDomains, r.checkLists, r.checkDue, r.checkLater, r.checkSlots, r.checkSlotTimes, r.checkMeta,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if err := r.flush(); err != nil {
			return nil, err
		}
	}
	mended := r.report()
	if len(mended) > 0 && !dry && cfg.Mended != nil {
		return mended, cfg.Mended(tx)
	}
	return mended, nil
}

// Unsure makes every domain of a log one that is looked at key by key when the log is copied from another
// member: the records do not tell any more what belongs to them.
func Unsure(tx *storage.Tx, logID string) error {
	b, err := openBuckets(tx, logID)
	if err != nil {
		return err
	}
	for _, name := range keysOf(b.domains) {
		var rec domainRecord
		if ok, err := getRecord(b.domains, name, &rec); err != nil || !ok {
			continue // such a one is like no other
		}
		rec.Index = 0
		if err := putRecord(b.domains, name, &rec); err != nil {
			return fmt.Errorf("mark domain %s: %w", name, err)
		}
	}
	return nil
}

// open opens the buckets and makes those that are missing. ok is false if there
// is nothing more to look at.
func (r *repairer) open(tx *storage.Tx) (ok bool, err error) {
	logs := tx.Bucket(storage.BucketLogs)
	if logs == nil || logs.Bucket([]byte(r.cfg.LogID)) == nil && logs.Get([]byte(r.cfg.LogID)) == nil {
		return false, nil // no node has run yet
	}
	log := logs.Bucket([]byte(r.cfg.LogID))
	if log == nil {
		return r.openNew(logs)
	}
	ok = true
	for _, p := range r.b.list() {
		if *p.place = log.Bucket(p.name); *p.place != nil {
			continue
		}
		r.found[missingBucket]++
		if ok = ok && !r.dry; r.dry {
			continue
		}
		if err := log.Delete(p.name); err != nil { // a value where a bucket should be
			return false, err
		}
		if *p.place, err = log.CreateBucket(p.name); err != nil {
			return false, err
		}
	}
	return ok, nil
}

// openNew begins a log anew of which nothing is left.
func (r *repairer) openNew(logs *storage.Bucket) (bool, error) {
	r.found[missingBucket]++
	if r.dry {
		return false, nil
	}
	if err := logs.Delete([]byte(r.cfg.LogID)); err != nil {
		return false, err
	}
	log, err := logs.CreateBucket([]byte(r.cfg.LogID))
	if err != nil {
		return false, err
	}
	for _, p := range r.b.list() {
		if *p.place, err = log.CreateBucket(p.name); err != nil {
			return false, err
		}
	}
	return true, nil
}

// put, delete and drop remember a change. Later changes of a key win.
func (r *repairer) put(b *storage.Bucket, key, value []byte) {
	r.pending = append(r.pending, change{in: b, key: bytes.Clone(key), value: value})
}

func (r *repairer) delete(b *storage.Bucket, key []byte) {
	r.pending = append(r.pending, change{in: b, key: bytes.Clone(key)})
}

func (r *repairer) putRecord(b *storage.Bucket, key []byte, record any) error {
	raw, err := encode.Marshal(record)
	if err == nil {
		r.put(b, key, raw)
	}
	return err
}

// flush makes the changes that are pending. A dry run forgets them.
func (r *repairer) flush() error {
	pending := r.pending
	r.pending = r.pending[:0]
	if r.dry {
		return nil
	}
	r.added = 0
	if err := r.filters.Flush(); err != nil {
		return err
	}
	for _, c := range pending {
		var err error
		switch {
		case c.bucket:
			err = c.in.DeleteBucket(c.key)
		case c.value == nil:
			err = c.in.Delete(c.key)
		default:
			err = c.in.Put(c.key, c.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sweep calls fn for all keys of a bucket. fn may change the bucket by put and
// delete. A bucket where a value should be is dropped and counted as t.
func (r *repairer) sweep(ctx context.Context, b *storage.Bucket, t trouble, fn func(key, value []byte) error) error {
	c := b.Cursor()
	for key, value := c.First(); key != nil; {
		if value == nil && b.Bucket(key) != nil {
			r.found[t]++
			r.pending = append(r.pending, change{in: b, key: bytes.Clone(key), bucket: true})
		} else if err := fn(key, value); err != nil {
			return err
		}
		if len(r.pending) < pendingLimit && r.added < pendingLimit {
			key, value = c.Next()
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		behind := append(bytes.Clone(key), 0)
		if err := r.flush(); err != nil {
			return err
		}
		c = b.Cursor() // the changes have moved what it stands on
		key, value = c.Seek(behind)
	}
	return ctx.Err()
}

// tally returns what is known of a domain.
func (r *repairer) tally(d crawl.Domain) *tally {
	t := r.domains[d]
	if t == nil {
		t = new(tally)
		r.domains[d] = t
	}
	return t
}

// mark stands for a page key in a set. Two keys having the same costs one visit.
func (r *repairer) mark(page []byte) uint64 { return maphash.Bytes(r.seed, page) }
