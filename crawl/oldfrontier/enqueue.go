package frontier

import (
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// found says where links come from.
type found struct {
	domain crawl.Domain // "" for seeds
	date   int64        // of the visit, Unix seconds
	afar   bool         // another owner has counted what the domain brings
}

func (m *machine) take(e *Enqueue) (Applied, error) {
	m.ask = e.Ask
	from := found{domain: e.From, date: e.Date, afar: true}
	if err := m.sendAll(e.Out, from); err != nil {
		return Applied{}, err
	}
	n, err := m.enqueueAll(e.Links, from)
	return Applied{New: n}, err
}

func (m *machine) enqueueAll(links []Link, from found) (added int, err error) {
	for _, l := range links {
		u, err := crawl.ParseURL(l.URL)
		if err != nil {
			continue // not canonical by our rules, so no task of ours
		}
		isNew, err := m.enqueue(u, l, from)
		if err != nil {
			return added, err
		}
		if isNew {
			added++
		}
	}
	return added, nil
}

// enqueue makes a task of a URL that was never seen before.
func (m *machine) enqueue(u crawl.URL, l Link, from found) (bool, error) {
	name := u.Domain()
	if !validDomain(name) || len(u.Hostname()) > maxHostname {
		return false, nil
	}
	foreign := from.domain != "" && from.domain != name
	d, ok, err := m.domain(name)
	if err != nil {
		return false, err
	}
	own := from.domain == name && !from.afar // an outcome is taken as long as a domain is here
	if ok && !d.isHome() && !own || !ok && m.b.hasMoved(name) {
		return false, m.send(u, l, from)
	}
	if !ok {
		if foreign && !from.afar {
			if ok, err := m.mayBring(from.domain, u); err != nil || !ok {
				return false, err
			}
		}
		if d, err = m.beginAnew(name); err != nil {
			return false, err
		}
	}
	d.linkedFrom(name, from.domain)
	if foreign {
		m.taken = append(m.taken, linkPair(from.domain, name))
	}
	m.prefix = append(append(m.prefix[:0], name...), 0)
	hash := bloom.HashOf(u.SeenKey())
	if m.filters.Has(m.prefix, hash) {
		m.taken = append(m.taken, l.URL)
		if l.Modified > 0 {
			return false, m.modified(name, d, l, from)
		}
		return false, nil
	}
	switch by, err := m.keepsOut(name, d, u, foreign); {
	case err != nil:
		return false, err
	case by != LimitNone:
		return false, m.drop(name, d, u, by)
	}
	if _, err := m.filters.Add(m.prefix, hash); err != nil {
		return false, fmt.Errorf("filter of %s: %w", name, err)
	}
	m.taken = append(m.taken, l.URL)
	d.Known++
	m.meta.Totals.Known++
	kind := kindOf(l.Redirects, l.Source)
	if foreign {
		d.Foreign++
		kind |= kindForeign
	}
	return true, m.insert(hostKey(name, u.Origin()), d, l.Depth, validPriority(l.Priority), taskValue(0, kind, u.String()))
}

// mayBring reports whether a link of one domain may lead to one never heard of.
// Those count against the budget of the one that links to them: else one site
// could fill the queue with names it made up.
func (m *machine) mayBring(from crawl.Domain, u crawl.URL) (bool, error) {
	d, ok, err := m.domain(from)
	if err != nil || !ok {
		return false, err
	}
	if d.Brought >= d.budget(m.cfg.Budget) {
		return false, m.drop(from, d, u, LimitBrought)
	}
	d.Brought++
	return true, nil
}

func validPriority(p crawl.Priority) crawl.Priority {
	if p < crawl.PriorityHigh || p > crawl.PriorityLow {
		return crawl.PriorityNormal
	}
	return p
}
