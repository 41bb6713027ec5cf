package frontier

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// Revisit says how often pages are visited again: the wait grows by half with each visit that finds a page as
// it was, and halves with each that does not.
type Revisit struct {
	// First is the wait after the first visit, 0 means DefaultRevisitFirst; negative means that nothing is
	// visited again.
	First time.Duration
	// Least and Most bound the wait; 0 means DefaultRevisitLeast and -Most. None is longer than 400 days.
	Least, Most time.Duration
}

const (
	// DefaultRevisitFirst, DefaultRevisitLeast and DefaultRevisitMost suit the public web.
	DefaultRevisitFirst = 7 * 24 * time.Hour
	DefaultRevisitLeast = 24 * time.Hour
	DefaultRevisitMost  = 30 * 24 * time.Hour

	// maxMisses is how many visits in a row may fail before a page is given up.
	maxMisses = 3
)

func (r Revisit) orDefaults() Revisit {
	if r.First == 0 {
		r.First = DefaultRevisitFirst
	}
	if r.Least == 0 {
		r.Least = DefaultRevisitLeast
	}
	if r.Most == 0 {
		r.Most = DefaultRevisitMost
	}
	return r
}

// after returns the wait after a visit of a page that was visited before.
func (r Revisit) after(last time.Duration, result crawl.Result, changed bool) time.Duration {
	switch {
	case r.First < 0:
		return 0
	case result != crawl.Fetched && result != crawl.Unchanged:
		last *= 2
	case changed:
		last /= 2
	default:
		last += last / 2
	}
	return min(max(last, r.Least), r.Most)
}

// every returns a wait as items hold it.
func every(wait time.Duration) uint32 { return uint32(min(max(seconds(wait), 0), store.MaxEvery)) }

// visited returns what is known of a URL after an outcome.
func (w *work) visited(u store.URL, o *crawl.Outcome, verified bool) store.URL {
	last := u.Visit
	if last.Date > w.today+slack {
		u.Version++ // else a date that nobody can have seen would win for years
	}
	if u.State == store.Done {
		u.Visit = w.nextVisit(last, o)
		if !verified {
			u.Version++
		}
	} else {
		u.Visit = w.firstVisit(o)
	}
	u.Visit.Date = w.after(last.Date, o.Date)
	u.Version = min(u.Version, store.MaxVersion)
	limit := uint8(MaxFailures)
	if o.Result == crawl.Refused {
		limit = maxRefusals
	}
	switch {
	case u.State != store.Done && !o.Result.Final() && last.Tries+1 < limit:
		u.State, u.Visit.Tries = store.Waiting, last.Tries+1
	case verified:
		u.State = store.Done
	default:
		u.State = store.Unverified
	}
	return u
}

// slack is by how much clocks may differ, in seconds.
const slack = 3600

// after returns the date of a visit that came after another: never before that, unless it lies in the future.
func (w *work) after(last int64, t time.Time) int64 {
	date := w.dated(t)
	if last <= w.today+slack {
		date = max(date, last)
	}
	return date
}

// firstVisit returns the visit of a URL that was not done.
func (w *work) firstVisit(o *crawl.Outcome) store.Visit {
	v := store.Visit{Result: o.Result, Status: status(o), Duplicate: o.Duplicate, Size: uint64(max(o.Received, 0))}
	take(&v, o)
	switch {
	case w.f.cfg.Revisit.First < 0:
	case o.Result == crawl.Fetched:
		v.Every = every(w.f.cfg.Revisit.First)
	case o.Result == crawl.Declined:
		v.Every = every(w.f.cfg.Revisit.Most)
	}
	return v
}

// nextVisit returns the visit of a URL that was done. An answer without content leaves the known content as it is,
// until the page is given up.
func (w *work) nextVisit(v store.Visit, o *crawl.Outcome) store.Visit {
	changed := o.Result != crawl.Unchanged && o.Digest != v.Digest
	w.place.Revisits++
	if w.changed = true; o.Result == crawl.Fetched && changed {
		w.place.Changed++
	}
	v.Every = every(w.f.cfg.Revisit.after(time.Duration(v.Every)*time.Second, o.Result, changed))
	switch o.Result {
	case crawl.Fetched:
		v.Tries, v.Result, v.Status, v.Duplicate, v.Size = 0, o.Result, status(o), o.Duplicate,
			uint64(max(o.Received, 0))
	case crawl.Unchanged:
		v.Tries = 0
	case crawl.Declined: // nobody looked
		v.Every = every(w.f.cfg.Revisit.Most)
	default:
		if v.Tries = min(v.Tries, maxMisses) + 1; v.Tries >= maxMisses {
			v.Result, v.Status, v.Every = o.Result, status(o), 0
		}
	}
	take(&v, o)
	return v
}

func status(o *crawl.Outcome) int { return min(max(o.Status, 0), 999) }

// take keeps the part of an answer that is about the content.
func take(v *store.Visit, o *crawl.Outcome) {
	etag, modified := validator(o.ETag), validator(o.LastModified)
	switch o.Result {
	case crawl.Fetched:
		v.Digest, v.ETag, v.LastModified = o.Digest, etag, modified
	case crawl.Unchanged:
		if etag != "" {
			v.ETag = etag
		}
		if modified != "" {
			v.LastModified = modified
		}
	}
}

// Confirm makes the unverified outcomes of URLs of a domain count, by the keys of their items, and returns the
// items to merge.
func (f *Frontier) Confirm(tx *storage.Tx, d crawl.Domain, keys ...string) ([]Item, error) {
	return f.judge(tx, d, keys, func(it *store.URL) bool {
		is := it.State == store.Unverified
		it.State = store.Done
		return is
	})
}

// Undo makes URLs of a domain that were visited ones that wait, by the keys of their items, and returns the
// items to merge.
func (f *Frontier) Undo(tx *storage.Tx, d crawl.Domain, keys ...string) ([]Item, error) {
	return f.judge(tx, d, keys, func(it *store.URL) bool {
		is := it.State != store.Waiting
		it.Version, it.State, it.Visit = min(it.Version+1, store.MaxVersion), store.Waiting, store.Visit{}
		return is
	})
}

func (f *Frontier) judge(tx *storage.Tx, d crawl.Domain, keys []string, change func(*store.URL) bool) ([]Item, error) {
	w, err := f.open(tx, d)
	if err != nil {
		return nil, fmt.Errorf("judge outcomes of %s: %w", d, err)
	}
	for _, key := range keys {
		if it, ok := w.f.url(w.tx, w.d, key); ok && !w.met[key] && change(&it) {
			w.met[key] = true
			w.put(key, it)
		}
	}
	return w.items, nil
}
