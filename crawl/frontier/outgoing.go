package frontier

import (
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// Delivery is a batch of links on pages of one domain that are to be taken to other domains.
type Delivery struct {
	// From is the domain of the pages.
	From crawl.Domain
	// Links are in the order of the items that have them.
	Links []Link
	// Of are the items that have the links. They go to Delivered when all have arrived.
	Of []Sent
}

// Sent is an item with links, and its date in Unix seconds.
type Sent struct {
	Key  string
	Date int64
}

// Outgoing returns the links of the next domain after the given one that are not known to be delivered, the
// oldest first: about limit of them, and all of an item or none. ok is false if no domain after the given one
// has links.
func (f *Frontier) Outgoing(tx *storage.Tx, after crawl.Domain, limit int) (x Delivery, ok bool) {
	d, more := store.NextOutgoing(tx, after)
	if !more {
		return Delivery{}, false
	}
	x = Delivery{From: d}
	for key, date := range store.Outgoing(tx, d) {
		if len(x.Links) >= limit {
			break
		}
		l, err := store.DecodeLinks(f.cfg.Items.Get(tx, d, key))
		if err != nil {
			continue // such items are not indexed
		}
		x.Of = append(x.Of, Sent{key, date})
		for _, to := range l.Urls {
			if o, ok := to.Outlink(); ok && o.URL.Domain() != d {
				x.Links = append(x.Links, o)
			}
		}
	}
	return x, true
}

// Delivered notes that links of a domain's pages have arrived, and returns the items to merge. What has changed
// since is left.
func (f *Frontier) Delivered(tx *storage.Tx, d crawl.Domain, sent []Sent) ([]Item, error) {
	if !store.Indexed(tx, d) {
		return nil, fmt.Errorf("deliver links of %s: %w", d, ErrNotLed)
	}
	var items []Item
	for _, s := range sent {
		l, err := store.DecodeLinks(f.cfg.Items.Get(tx, d, s.Key))
		if store.IsLinks(s.Key) && err == nil && l.Date == s.Date && len(l.Urls) > 0 {
			items = append(items, Item{Domain: d, Key: s.Key, Value: store.Links{Date: l.Date}.Encode()})
		}
	}
	return items, nil
}
