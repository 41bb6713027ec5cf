package frontier

import (
	"cmp"
	"fmt"
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
	isNew := w.counts.Known == 0
	if err := w.enqueue(links, from); err != nil {
		return nil, Applied{}, fmt.Errorf("enqueue links to %s: %w", d, err)
	}
	if isNew && w.applied.New > 0 {
		w.applied.Domains = 1
	}
	return w.close()
}

// enqueue takes those of some links in that lead to the domain.
func (w *work) enqueue(links []Link, from Found) error {
	w.f.seen.begin(w.tx)
	foreign, date := from.Domain != "" && from.Domain != w.d, w.dated(from.Date)
	for _, l := range links {
		if domainOf(l) != w.d {
			continue
		}
		if foreign {
			hash := bloom.HashOf(string(from.Domain))
			w.rec.Inlinks |= 1 << (hash[0] & 63) // of groups of domains: beyond a few dozen a lower bound
		}
		if err := w.take(l, foreign, date); err != nil {
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

// keepsOut returns the limit that keeps one URL more of the domain from being taken in.
func (w *work) keepsOut(u crawl.URL, foreign bool) Limit {
	budget := w.budget()
	switch {
	case w.isRetired():
		return LimitRetired
	case w.isFull():
		return LimitFull
	case w.counts.Known >= budget:
		return LimitBudget
	case foreign && w.counts.Foreign >= budget/2: // else a list of pages that a site does not have uses up its budget
		return LimitForeign
	case !w.takeTrap(u):
		return LimitTrap
	case !w.takeShape(u):
		return LimitShape
	}
	return LimitNone
}

// isFull reports whether the frontier has as many tasks as it may. Those of retired domains count apart, up to
// as many again: else a few large ones would keep everything else out for a month.
func (w *work) isFull() bool { return w.totals.Queued-min(w.totals.Parked, maxQueued) >= maxQueued }

// shapeLimits are how many URLs of one path with two, three, and more query parameters are taken in: forums and
// wikis need two, and only machines combine more. With one or none the budget of the domain is all.
var shapeLimits = [...]uint64{2000, 500, 100}

// takeShape counts a URL with parameters against the limit of its path.
func (w *work) takeShape(u crawl.URL) bool {
	n, class, name := store.ShapeCount(w.tx, w.d, u)
	if class < 0 {
		return true
	}
	if n+w.shapes[name] >= shapeLimits[class] {
		return false
	}
	if w.shapes == nil {
		w.shapes = make(map[string]uint64)
	}
	w.shapes[name]++
	return true
}

// MaxTraps is how many URLs of a domain that look like traps are taken in: some are pages, as a chronicle or a
// town that is called twice the same, and of an endless site these many cost little.
const MaxTraps = 50

// takeTrap counts a URL that looks like a trap against their limit.
func (w *work) takeTrap(u crawl.URL) bool {
	if u.Trap(time.Unix(w.today, 0)) == "" || w.f.cfg.Untrapped(u) {
		return true
	}
	if w.place.Traps >= MaxTraps {
		return false
	}
	w.place.Traps++
	w.changed = true
	return true
}

// drop counts a URL that a limit keeps out, once.
func (w *work) drop(u crawl.URL, by Limit) error {
	if dropped(&w.place) >= MaxDropped {
		return nil
	}
	isNew, err := w.filter.Note(droppedName(u))
	if err != nil {
		return fmt.Errorf("filter of %s: %w", w.d, err)
	}
	if isNew {
		w.place.Drops[by-1]++
		w.changed = true
	}
	return nil
}

// takeAll takes the links of a page in. Those to domains that are not here become items of the page.
func (w *work) takeAll(o *crawl.Outcome, here func(crawl.Domain) bool) error {
	slices.SortStableFunc(o.Outlinks, func(a, b Link) int { return cmp.Compare(domainOf(a), domainOf(b)) })
	var list []store.Link
	for rest := o.Outlinks; len(rest) > 0; {
		d, n := domainOf(rest[0]), 1
		for n < len(rest) && domainOf(rest[n]) == d {
			n++
		}
		away, err := w.takeTo(d, rest[:n], o.Date, here)
		if err != nil {
			return err
		}
		for _, l := range away {
			list = append(list, store.LinkOf(l, w.today))
		}
		rest = rest[n:]
	}
	w.items = append(w.items, store.LinkItems(w.d, o.Task.URL, w.today, list)...)
	w.applied.Elsewhere = len(list)
	return nil
}

// domainOf returns the domain that a link leads to, "" if nothing can be known of it.
func domainOf(l Link) crawl.Domain {
	if l.URL.IsZero() || len(l.URL.Hostname()) > maxHostname {
		return ""
	}
	return l.URL.Domain()
}

// takeTo takes links of a page to one domain in, and returns those that are to be delivered.
func (w *work) takeTo(
	d crawl.Domain, links []Link, date time.Time, here func(crawl.Domain) bool,
) (away []Link, err error) {
	if d == w.d {
		return nil, w.enqueue(links, Found{Domain: d, Date: date})
	}
	if ok, err := w.mayBring(d, links); err != nil || !ok {
		return nil, err
	}
	if here == nil || !here(d) {
		return links, nil
	}
	for led := false; !led; {
		if led, err = w.f.Led(w.tx, d); err != nil {
			return nil, err
		}
	}
	items, applied, err := w.f.Enqueue(w.tx, d, links, Found{Domain: w.d, Date: time.Unix(w.today, 0)})
	w.items = append(w.items, items...)
	w.applied.Add(applied)
	w.applied.Here += len(links)
	return nil, err
}

// mayBring reports whether the domain may bring links to another one. The different ones count against the budget of
// the domain that links to them: else one site could fill the crawl with names it made up. Its filter remembers them.
func (w *work) mayBring(to crawl.Domain, links []Link) (bool, error) {
	name := "domain\x00" + string(to)
	switch {
	case !validDomain(to):
		return false, nil
	case w.filter.Noted(name):
		return true, nil
	case w.rec.Brought < w.budget():
		w.rec.Brought++
		if _, err := w.filter.Note(name); err != nil {
			return false, fmt.Errorf("filter of %s: %w", w.d, err)
		}
		return true, nil
	}
	for _, l := range links {
		if err := w.drop(l.URL, LimitBrought); err != nil {
			return false, err
		}
	}
	return false, nil
}
