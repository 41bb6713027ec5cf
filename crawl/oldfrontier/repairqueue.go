package frontier

import (
	"bytes"
	"context"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// maxNumber bounds the numbers of tasks and leases: a larger one is damage, for
// no log has counted so far.
const maxNumber = 1 << 56

// checkFilters drops blocks that no filter has. It comes before anything is put
// into the filters.
func (r *repairer) checkFilters(ctx context.Context) error {
	return r.sweep(ctx, r.b.filters, damagedFilter, func(key, block []byte) error {
		if r.isPassing(key) {
			return nil
		}
		d, path, ok := bytes.Cut(key, []byte{0})
		if !ok || !validDomain(crawl.Domain(d)) || bloom.CheckBlock(path, block) != nil {
			r.found[damagedFilter]++
			r.delete(r.b.filters, key)
		}
		return nil
	})
}

func (r *repairer) checkShapes(ctx context.Context) error {
	return r.sweep(ctx, r.b.shapes, damagedShape, func(key, counts []byte) error {
		d, hash, _ := bytes.Cut(key, []byte{0})
		if !validDomain(crawl.Domain(d)) || len(hash) != pageHash || len(counts) != 2*len(shapeLimits) {
			r.found[damagedShape]++
			r.delete(r.b.shapes, key)
		}
		return nil
	})
}

// known puts a URL into the filter of its domain if it is not there.
func (r *repairer) known(u crawl.URL) error {
	prefix, hash := append([]byte(u.Domain()), 0), bloom.HashOf(u.SeenKey())
	if r.filters.Has(prefix, hash) {
		return nil
	}
	r.found[lostKnown]++
	if r.dry {
		return nil
	}
	r.added++
	_, err := r.filters.Add(prefix, hash)
	return err
}

// checkPages drops the records of visits that cannot be those of their keys.
func (r *repairer) checkPages(ctx context.Context) error {
	return r.sweep(ctx, r.b.pages, damagedPage, func(key, raw []byte) error {
		if r.isPassing(key) {
			return nil
		}
		rec, u, ok := readPage(key, raw)
		if !ok {
			r.found[damagedPage]++
			r.delete(r.b.pages, key)
			return nil
		}
		r.pages++
		t := r.tally(u.Domain())
		if rec.Result == crawl.Fetched || rec.Result == crawl.Unchanged {
			t.fetched++
		} else {
			t.other++
		}
		return r.known(u)
	})
}

// checkQueue drops what is no task, and counts the others.
func (r *repairer) checkQueue(ctx context.Context) error {
	return r.sweep(ctx, r.b.queue, damagedTask, func(key, value []byte) error {
		if r.isPassing(key) {
			return nil
		}
		t, ok := readWhole(key, value)
		if !ok {
			r.found[damagedTask]++
			r.delete(r.b.queue, key)
			return nil
		}
		kind := taskKind(value[1])
		fixed := kind
		if kind.isRevisit() {
			page := pageKey(t.URL.Domain(), t.URL.String())
			if _, twice := r.again[r.mark(page)]; twice {
				r.found[doubledVisit]++
				r.delete(r.b.queue, key)
				return nil
			}
			if _, _, ok := readPage(page, r.b.pages.Get(page)); ok {
				r.again[r.mark(page)] = struct{}{}
			} else {
				r.found[strayVisit]++
				fixed &^= kindRevisit
			}
		}
		if spelt := t.URL.String(); spelt != string(value[2:]) || fixed != kind {
			if spelt != string(value[2:]) {
				r.found[oddTask]++
			}
			r.put(r.b.queue, key, taskValue(value[0], fixed, spelt))
		}
		r.count(key, t.URL, fixed)
		return r.known(t.URL)
	})
}

// count adds a task to the counts of its host and domain.
func (r *repairer) count(key []byte, u crawl.URL, kind taskKind) {
	host, tail, _ := splitQueueKey(key)
	r.hosts[string(host)]++
	d := r.tally(u.Domain())
	d.queued++
	if kind.isRevisit() {
		d.revisiting++
	}
	r.nextTask = max(r.nextTask, rankOf(tail).number+1)
}

// readWhole reads a task; ok is false if it is damaged or in a queue that it
// does not belong to.
func readWhole(key, value []byte) (t crawl.Task, ok bool) {
	t, err := readTask(key, value)
	if err != nil || len(key) > maxKey {
		return t, false
	}
	host, tail, _ := splitQueueKey(key)
	d, origin := splitHostKey(host)
	r := rankOf(tail)
	ok = validDomain(d) && t.URL.Domain() == d && t.URL.Origin() == origin && r.number < maxNumber && r.attempts == t.Attempts
	return t, ok
}

// settleQueued makes the records of pages say which are queued.
func (r *repairer) settleQueued(ctx context.Context) error {
	return r.sweep(ctx, r.b.pages, uncounted, func(key, raw []byte) error {
		rec, _, ok := readPage(key, raw)
		_, queued := r.again[r.mark(key)]
		if !ok || rec.Queued == queued || r.isPassing(key) {
			return nil
		}
		r.found[wrongQueued]++
		rec.Queued = queued
		raw, err := rec.pack(domainOf(key))
		if err != nil {
			return err
		}
		r.put(r.b.pages, key, raw)
		return nil
	})
}
