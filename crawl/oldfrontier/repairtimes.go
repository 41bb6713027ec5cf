package frontier

import (
	"bytes"
	"context"

	"github.com/forage-net/forage/crawl"
)

// checkClocks drops times that cannot be read. A host whose hold is lost asks
// for robots.txt again.
func (r *repairer) checkClocks(ctx context.Context) error {
	return r.sweep(ctx, r.b.clocks, damagedClock, func(key, _ []byte) error {
		_, ok := r.clock(key)
		if !ok || bytes.IndexByte(key, 0) >= 0 && !validHost(key) || bytes.IndexByte(key, 0) < 0 && !validDomain(crawl.Domain(key)) {
			r.found[damagedClock]++
			r.delete(r.b.clocks, key)
		}
		return nil
	})
}

// clock is as of buckets, but passes over times that nobody has set.
func (r *repairer) clock(name []byte) (at int64, ok bool) {
	at, ok = r.b.clock(name)
	return at, ok && at >= 0
}

// isReady reports whether a host has tasks and no hold.
func (r *repairer) isReady(host []byte) bool {
	_, held := r.clock(host)
	return r.hosts[string(host)] > 0 && !held
}

func (r *repairer) checkReady(ctx context.Context) error {
	err := r.sweep(ctx, r.b.ready, wrongReady, func(host, _ []byte) error {
		if !r.isReady(host) && !r.isPassing(host) {
			r.found[wrongReady]++
			r.delete(r.b.ready, host)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for name := range r.hosts {
		host := []byte(name)
		if !r.isReady(host) {
			continue
		}
		d, _ := splitHostKey(host)
		r.tally(d).ready = true
		if r.b.ready.Get(host) == nil {
			r.found[wrongReady]++
			r.put(r.b.ready, host, []byte{})
		}
	}
	return nil
}

// checkDue makes the order of due times agree with the times.
func (r *repairer) checkDue(ctx context.Context) error {
	err := r.sweep(ctx, r.b.due, wrongDue, func(key, _ []byte) error {
		if len(key) > 8 {
			at, name := splitDueKey(key)
			if clock, ok := r.clock(name); ok && clock == at && r.hasWork(name) {
				return nil
			}
		}
		r.found[wrongDue]++
		r.delete(r.b.due, key)
		return nil
	})
	if err != nil {
		return err
	}
	return r.sweep(ctx, r.b.clocks, uncounted, func(name, _ []byte) error {
		at, ok := r.clock(name)
		if ok && r.hasWork(name) && r.b.due.Get(dueKey(at, name)) == nil {
			r.found[wrongDue]++
			r.put(r.b.due, dueKey(at, name), []byte{})
		}
		return nil
	})
}

// hasWork reports whether there is something to do when the time of a domain or
// host comes.
func (r *repairer) hasWork(name []byte) bool {
	if bytes.IndexByte(name, 0) >= 0 {
		d, _ := splitHostKey(name)
		return validHost(name) && r.moving[d] == nil // held
	}
	t := r.domains[crawl.Domain(name)]
	return t != nil && t.work
}
