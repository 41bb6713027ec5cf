package frontier

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/forage-net/forage/crawl"
)

// laterPart is about how many pages are matched with the order of visits to
// come at a time, so that memory does not grow with the pages.
const laterPart = 500_000

// checkLater makes the order of visits that are days away agree with pages and
// retired domains.
func (r *repairer) checkLater(ctx context.Context) error {
	retired, err := r.dropLater(ctx)
	if err != nil {
		return err
	}
	for d, t := range r.domains {
		if t.parked && !retired[d] {
			r.found[lostLater]++
			r.put(r.b.later, dueKey(r.today+int64(retireFor), []byte(d)), []byte{})
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	parts := uint64(r.pages/laterPart + 1)
	for part := range parts {
		mine := func(page []byte) bool { return binary.BigEndian.Uint64(page[len(page)-pageHash:])%parts == part }
		if err := r.planMissing(ctx, mine); err != nil {
			return err
		}
	}
	return nil
}

// dropLater drops the visits of nothing, and returns the retired domains that
// have one.
func (r *repairer) dropLater(ctx context.Context) (retired map[crawl.Domain]bool, err error) {
	retired = make(map[crawl.Domain]bool)
	err = r.sweep(ctx, r.b.later, strayLater, func(key, _ []byte) error {
		page, domain, formed := splitLaterKey(key)
		ok := formed
		if ok && page != nil {
			if _, _, ok = readPage(page, r.b.pages.Get(page)); !ok { // or it is put aside, and comes back
				d, hash, _ := bytes.Cut(page, []byte{0})
				ok = r.b.aside.Get(asideKey(crawl.Domain(d), asidePage, hash)) != nil
			}
		} else if ok {
			t := r.domains[domain]
			if ok = t != nil && t.parked; ok {
				retired[domain] = true
			}
		}
		if !ok {
			if !formed || !r.mayHaveMoved(page, domain) {
				r.found[strayLater]++
			}
			r.delete(r.b.later, key)
		}
		return nil
	})
	return retired, err
}

// mayHaveMoved reports whether a visit is planned of something that may have
// moved away since, so that it is no damage.
func (r *repairer) mayHaveMoved(page []byte, domain crawl.Domain) bool {
	t := r.domains[domain]
	return page != nil || validDomain(domain) && (t == nil || !t.seen)
}

// splitLaterKey returns the page or the domain that is to be visited.
func splitLaterKey(key []byte) (page []byte, domain crawl.Domain, ok bool) {
	if len(key) <= 8 {
		return nil, "", false
	}
	_, name := splitDueKey(key)
	d, hash, isPage := bytes.Cut(name, []byte{0})
	if !isPage {
		return nil, crawl.Domain(d), true
	}
	return name, "", len(hash) == pageHash
}

// planMissing plans a visit of those of some pages that should have one and have
// none.
func (r *repairer) planMissing(ctx context.Context, mine func(page []byte) bool) error {
	planned := make(map[uint64]struct{})
	err := r.sweep(ctx, r.b.later, uncounted, func(key, _ []byte) error {
		if page, _, ok := splitLaterKey(key); ok && page != nil && mine(page) {
			planned[r.mark(page)] = struct{}{}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.sweep(ctx, r.b.pages, uncounted, func(key, raw []byte) error {
		rec, _, ok := readPage(key, raw)
		if !ok || !mine(key) || rec.Every <= 0 || r.isPassing(key) {
			return nil
		}
		_, queued := r.again[r.mark(key)]
		if _, is := planned[r.mark(key)]; is || queued {
			return nil
		}
		r.found[lostLater]++
		r.put(r.b.later, dueKey(r.visitAt(&rec), key), []byte{})
		return nil
	})
}

// visitAt returns when a page should be visited again, in Unix nanoseconds, at
// most the longest wait from now.
func (r *repairer) visitAt(rec *pageRecord) int64 {
	wait := int64(r.cfg.Revisit.orDefaults().Most / time.Second)
	today, every := r.today/int64(time.Second), rec.Every/1000
	if rec.Date >= 0 && rec.Date <= math.MaxInt64-every {
		wait = min(max(rec.Date+every-today, 0), wait)
	}
	return (today + wait) * int64(time.Second)
}
