package frontier

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// work is a domain while a call changes it.
type work struct {
	f      *Frontier
	tx     *storage.Tx
	d      crawl.Domain
	now    time.Time // by the clock of gaps
	today  int64     // by the calendar, Unix seconds
	rec    store.Record
	place  store.Place
	counts store.Counts
	totals store.Totals
	filter *store.Filter

	before  string            // the record as it was
	changed bool              // the place did
	met     map[string]bool   // keys of URLs that this call has looked at
	shapes  map[string]uint64 // URLs of a path that this call takes in
	items   []Item
	applied Applied
}

// open reads the record, counts and place of a domain. The error is ErrNotLed if it has no complete indexes.
func (f *Frontier) open(tx *storage.Tx, d crawl.Domain) (*work, error) {
	facts, err := store.ReadFacts(tx, d)
	if err != nil {
		return nil, err
	}
	if !facts.Indexed {
		return nil, ErrNotLed
	}
	w := &work{
		f: f, tx: tx, d: d, now: f.cfg.Now(), today: f.today(), rec: f.record(tx, d),
		filter: store.OpenFilter(tx, d), met: make(map[string]bool), place: facts.Place, counts: facts.Counts,
	}
	w.before = string(w.rec.Encode())
	w.totals, err = store.ReadTotals(tx)
	return w, err
}

// close writes the place and the filter, and returns the items to merge.
func (w *work) close() ([]Item, Applied, error) {
	if err := w.filter.Flush(); err != nil {
		return nil, Applied{}, err
	}
	if w.changed {
		if err := store.WritePlace(w.tx, w.d, w.place); err != nil {
			return nil, Applied{}, err
		}
	}
	if value := w.rec.Encode(); string(value) != w.before {
		w.items = append(w.items, Item{Domain: w.d, Key: store.RecordKey, Value: value})
	}
	return w.items, w.applied, nil
}

// put adds a URL's item to those that are to be merged; met sees to it that none is there twice.
func (w *work) put(key string, u store.URL) {
	w.items = append(w.items, Item{Domain: w.d, Key: key, Value: u.Encode(w.d)})
}

// today returns the date by the calendar in Unix seconds, at least 1.
func (f *Frontier) today() int64 { return max(f.cfg.Calendar().Unix(), 1) }

// dated returns a date from outside in Unix seconds. One that lies in the future is today's.
func (w *work) dated(t time.Time) int64 {
	if t.IsZero() {
		return w.today
	}
	return min(max(t.Unix(), 1), w.today)
}

// seconds returns a duration in whole seconds, at least 1 if it is positive.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
