package frontier

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// Delivery is a batch of links on pages of one domain that are to be taken to other domains.
type Delivery struct {
	// From is the domain of the pages.
	From crawl.Domain
	// Links are in the order in which they were found.
	Links []Link
	// Until goes to Delivered when all links have arrived.
	Until time.Time
}

// Outgoing returns the links of the next domain after the given one that are not known to be delivered, the oldest first: about
// limit of them, and all of a second or none. Pages that were settled within this second are left for later. ok is false if no domain
// after the given one has links.
func (f *Frontier) Outgoing(tx *storage.Tx, after crawl.Domain, limit int) (x Delivery, ok bool, err error) {
	today := f.today()
	for {
		d, more := store.NextOutgoing(tx, after)
		if !more {
			return Delivery{}, false, nil
		}
		x = f.delivery(tx, d, today, limit)
		if !x.Until.IsZero() {
			return x, true, nil
		}
		after = d
	}
}

func (f *Frontier) delivery(tx *storage.Tx, d crawl.Domain, today int64, limit int) Delivery {
	x := Delivery{From: d}
	until := int64(0)
	for key, date := range store.Outgoing(tx, d) {
		if date >= today || date != until && len(x.Links) >= limit {
			break
		}
		until = date
		l, err := store.DecodeLinks(f.cfg.Items.Get(tx, d, key))
		if err != nil {
			continue // such items are not indexed
		}
		for _, to := range l.Urls {
			if o, ok := to.Outlink(); ok && o.URL.Domain() != d {
				x.Links = append(x.Links, o)
			}
		}
	}
	if until > 0 {
		x.Until = time.Unix(until, 0)
	}
	return x
}

// Delivered notes that all links of a domain's pages up to a date have arrived, and returns the item to merge.
func (f *Frontier) Delivered(tx *storage.Tx, d crawl.Domain, until time.Time) ([]Item, error) {
	w, err := f.open(tx, d)
	if err != nil {
		return nil, fmt.Errorf("deliver links of %s: %w", d, err)
	}
	w.rec.Delivered = max(w.rec.Delivered, min(until.Unix(), w.today))
	items, _, err := w.close()
	return items, err
}
