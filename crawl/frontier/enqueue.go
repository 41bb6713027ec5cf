package frontier

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// cheapLookup is up to how many known URLs of a domain items are read to see whether a URL is known. Those of
// larger domains are spread over many pages of the store: their Bloom filter tells.
const cheapLookup = 10_000

// Found says where links come from.
type Found struct {
	// Domain is that of the page, "" for seeds.
	Domain crawl.Domain
	// Date is that of the visit.
	Date time.Time
}

// Enqueue decides which links to a domain are taken in, and returns the items to merge. Links to other domains
// are ignored. The error is ErrNotLed, or of the store.
func (f *Frontier) Enqueue(tx *storage.Tx, d crawl.Domain, links []Link, from Found) ([]Item, Applied, error) {
	w, err := f.open(tx, d)
	if err != nil {
		return nil, Applied{}, fmt.Errorf("enqueue links to %s: %w", d, err)
	}
	own, _ := f.splitLinks(d, links)
	isNew := w.counts.Known == 0
	if err := w.enqueue(own, from); err != nil {
		return nil, Applied{}, fmt.Errorf("enqueue links to %s: %w", d, err)
	}
	if isNew && w.applied.New > 0 {
		w.applied.Domains = 1
	}
	return w.close()
}

// enqueue takes links to the domain in.
func (w *work) enqueue(links []Link, from Found) error {
	w.f.seen.begin(w.tx)
	foreign := from.Domain != "" && from.Domain != w.d
	if foreign && len(links) > 0 {
		hash := bloom.HashOf(string(from.Domain))
		w.rec.Inlinks |= 1 << (hash[0] & 63) // of groups of domains: beyond a few dozen their count is a lower bound
	}
	for _, l := range links {
		if err := w.take(l, foreign, w.dated(from.Date)); err != nil {
			return err
		}
	}
	return nil
}

// take makes an item of a URL that was never seen before.
func (w *work) take(l Link, foreign bool, date int64) error {
	link, hash := store.LinkOf(l, date), w.f.seen.hash(l)
	if w.f.seen.has(hash, link) {
		return nil
	}
	id := store.Identify(l.URL)
	if w.met[id.Key] {
		return nil
	}
	w.met[id.Key] = true
	if w.isKnown(id, link) {
		w.f.seen.add(hash, link.Depth)
		return nil
	}
	if by := w.keepsOut(l.URL, foreign); by != LimitNone {
		return w.drop(l.URL, by)
	}
	link.Foreign = foreign
	w.put(id.Key, store.URL{Link: link})
	w.f.seen.add(hash, link.Depth)
	w.counts.Known++
	w.counts.Queued++
	w.totals.Queued++
	if foreign {
		w.counts.Foreign++
	}
	w.applied.New++
	return nil
}

// isKnown reports whether a URL is known. If its item is read, it learns that the URL is nearer to the seeds
// than was known and still waits, or that its page changed since the last visit.
func (w *work) isKnown(id store.ID, l store.Link) bool {
	if w.counts.Known > cheapLookup {
		if known := w.filter.Has(id); !known || l.Modified == 0 {
			return known
		}
	}
	u, ok := w.f.url(w.tx, w.d, id.Key)
	if !ok {
		return false
	}
	due := u.Due()
	nearer := u.State == store.Waiting && l.Depth < u.Link.Depth
	u.Link.Depth = min(u.Link.Depth, l.Depth)
	if !w.isRetired() {
		u.Link.Modified = max(u.Link.Modified, l.Modified)
	}
	if nearer || u.Due() != due {
		w.put(id.Key, u)
	}
	return true
}

// splitLinks returns the links to a domain itself, which are good until the next call, and those to others.
func (f *Frontier) splitLinks(d crawl.Domain, links []Link) (own, others []Link) {
	own = f.own[:0]
	for _, l := range links {
		switch {
		case l.URL.IsZero() || len(l.URL.Hostname()) > maxHostname:
		case l.URL.Domain() == d:
			own = append(own, l)
		default:
			others = append(others, l)
		}
	}
	f.own = own
	return own, others
}

// reachable returns the links to other domains that the domain may bring. The different ones count against the
// budget of the domain that links to them: else one site could fill the crawl with names it made up. Its filter
// remembers them.
func (w *work) reachable(links []Link) (list []Link, err error) {
	for _, l := range links {
		name := "domain\x00" + string(l.URL.Domain())
		switch {
		case w.filter.Noted(name):
		case w.rec.Brought >= w.budget():
			if err := w.drop(l.URL, LimitBrought); err != nil {
				return nil, err
			}
			continue
		default:
			w.rec.Brought++
			if _, err := w.filter.Note(name); err != nil {
				return nil, fmt.Errorf("filter of %s: %w", w.d, err)
			}
		}
		list = append(list, l)
	}
	return list, nil
}

// takeHere takes links in to other domains that are here, and returns those to others.
func (w *work) takeHere(links []Link, here func(crawl.Domain) bool) (others []Link, err error) {
	by := make(map[crawl.Domain][]Link)
	for _, l := range links {
		by[l.URL.Domain()] = append(by[l.URL.Domain()], l)
	}
	for _, d := range slices.Sorted(maps.Keys(by)) {
		if !validDomain(d) || !here(d) {
			others = append(others, by[d]...)
			continue
		}
		for led := false; !led; {
			if led, err = w.f.Led(w.tx, d); err != nil {
				return nil, err
			}
		}
		items, applied, err := w.f.Enqueue(w.tx, d, by[d], Found{Domain: w.d, Date: time.Unix(w.today, 0)})
		if err != nil {
			return nil, err
		}
		w.items = append(w.items, items...)
		w.applied.Add(applied)
		w.applied.Here += len(by[d])
	}
	return others, nil
}
