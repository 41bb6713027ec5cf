package frontier

import (
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

const (
	// scanLimit bounds how many due domains one Pick looks at.
	scanLimit = 1024
	// visitLimit bounds at how many due revisits of a domain it looks for those of one host.
	visitLimit = 256
	// calendarMost is how far ahead anything is planned at most. A later time comes of a clock that was set back,
	// or of a date that nobody can have seen.
	calendarMost = 400 * 24 * time.Hour
	// clockMost is the same for gaps, holds and leases.
	clockMost = crawl.MaxWait + time.Hour
)

// Due is a domain that may be visited now.
type Due struct {
	Domain crawl.Domain
	// Queued is how many URLs of it wait for their first visit.
	Queued uint64
}

// Picked holds the domains that are due now.
type Picked struct {
	Due []Due
	// Next is when something becomes due that is not yet, by Config.Now; zero if nothing is waiting for a time.
	Next time.Time
}

// Pick looks for at most limit domains that may be visited now: the clock of the domain has come, and a host
// without a hold has something to visit. It changes nothing. Domains for which skip returns true are left out; it
// may be nil.
func (f *Frontier) Pick(tx *storage.Tx, limit int, skip func(crawl.Domain) bool) (Picked, error) {
	p := picker{f: f, tx: tx, skip: skip, limit: limit, now: f.cfg.Now(), today: f.cfg.Calendar()}
	var from, next looked
	if l := f.looked.Swap(nil); l != nil {
		from = *l
	}
	steps := []func() error{
		func() error { return p.stranded(store.Due, p.now.Add(clockMost)) },
		func() error { return p.stranded(store.Calendar, p.today.Add(calendarMost)) },
		func() (err error) { next.calendar, err = p.order(store.Calendar, from.calendar, p.today); return err },
		func() (err error) { next.due, err = p.order(store.Due, from.due, p.now); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return Picked{}, fmt.Errorf("pick: %w", err)
		}
	}
	if next != (looked{}) {
		f.looked.Store(&next)
	}
	if from != (looked{}) {
		p.again(p.now) // the domains before it were not looked at
	}
	return p.picked, nil
}

// Choose returns the lease of a domain that could be granted now, with its tasks, all of one origin, and its gap; it
// has no tasks if none could. Tasks of the domain that are not in its queue may come with it.
func (f *Frontier) Choose(tx *storage.Tx, d crawl.Domain, also ...crawl.Task) (crawl.Lease, error) {
	p := picker{f: f, tx: tx, now: f.cfg.Now(), today: f.cfg.Calendar()}
	l := crawl.Lease{Domain: d}
	x, due, err := p.look(d)
	if err != nil {
		return l, fmt.Errorf("choose tasks of %s: %w", d, err)
	}
	if !due {
		return l, nil
	}
	level, delay, took := pace(&x.rec, &x.place)
	l.Gap = f.cfg.Politeness.Floor(level, delay, took)
	origin, keys := p.keys(d, &x.place, f.leaseSize(&x.rec, &x.place))
	l.Tasks = p.tasks(d, origin, keys, also)
	return l, nil
}

// looked is where a Pick goes on in the two orders after one that looked at a great deal in vain.
type looked struct{ due, calendar store.Mark }

type picker struct {
	f          *Frontier
	tx         *storage.Tx
	skip       func(crawl.Domain) bool
	limit      int
	now, today time.Time
	picked     Picked
}

// candidate is a domain that a picker looks at.
type candidate struct {
	rec    store.Record
	place  store.Place
	queued uint64
}

// again notes that something is due at a time.
func (p *picker) again(at time.Time) {
	if p.picked.Next.IsZero() || at.Before(p.picked.Next) {
		p.picked.Next = at
	}
}

func (p *picker) full() bool { return len(p.picked.Due) >= p.limit }

// order looks at the domains of an order whose time has come. If it looked at a great deal in vain, it returns
// where the next Pick should go on.
func (p *picker) order(o store.Order, from store.Mark, until time.Time) (next store.Mark, err error) {
	scanned := 0
	for m, at := range store.InOrder(p.tx, o, from) {
		if at.After(until) {
			p.again(p.now.Add(at.Sub(until)))
			return "", nil
		}
		if p.full() {
			p.again(p.now)
			return "", nil
		}
		if scanned++; scanned > scanLimit {
			p.again(p.now)
			return m, nil
		}
		if err := p.domain(m.Domain()); err != nil {
			return "", err
		}
	}
	return "", nil
}

// stranded looks at the domains that are due later than anything is planned.
func (p *picker) stranded(o store.Order, latest time.Time) error {
	scanned := 0
	for m, at := range store.Backwards(p.tx, o) {
		if scanned++; !at.After(latest) || p.full() || scanned > scanLimit {
			return nil
		}
		if err := p.domain(m.Domain()); err != nil {
			return err
		}
	}
	return nil
}

// domain adds a domain, if it may be visited and has something to visit.
func (p *picker) domain(d crawl.Domain) error {
	if p.skip != nil && p.skip(d) {
		return nil
	}
	x, due, err := p.look(d)
	if err != nil || !due {
		return err
	}
	if _, keys := p.keys(d, &x.place, 1); len(keys) > 0 {
		p.picked.Due = append(p.picked.Due, Due{d, x.queued})
	}
	return nil
}

// look reads what decides about a domain. It is due if its clock has come and it has not retired.
func (p *picker) look(d crawl.Domain) (x candidate, due bool, err error) {
	facts, err := store.ReadFacts(p.tx, d)
	if err != nil {
		return x, false, err
	}
	if clock := time.Unix(0, facts.Place.Clock); clock.After(p.now) && clock.Before(p.now.Add(clockMost)) {
		p.again(clock)
		return x, false, nil
	}
	x = candidate{p.f.record(p.tx, d), facts.Place, facts.Counts.Queued}
	return x, !isRetired(&x.rec.Answer, p.today.Unix()), nil
}

// tasks returns the tasks of a lease, all of one origin: those with some keys, and of others those that fit.
func (p *picker) tasks(d crawl.Domain, origin string, keys []string, also []crawl.Task) (list []crawl.Task) {
	for _, t := range also {
		if o := t.URL.Origin(); origin == "" && p.isFree(store.HostTime(p.tx, d, o)) {
			origin = o
		}
	}
	for _, key := range keys {
		u, ok := p.f.url(p.tx, d, key)
		if !ok {
			continue
		}
		if t, ok := u.Task(d, key); ok {
			list = append(list, t)
		}
	}
	for _, t := range also {
		if key := store.URLKey(t.URL); t.URL.Origin() == origin && !slices.Contains(keys, key) {
			t.ID = crawl.TaskID(key)
			list = slices.Insert(list, placeOf(list, t), t)
		}
	}
	return list
}

// placeOf returns where among tasks one would stand if it waited like those.
func placeOf(tasks []crawl.Task, t crawl.Task) int {
	i := slices.IndexFunc(tasks, func(o crawl.Task) bool {
		return o.Prior == nil &&
			(o.Attempts > 0 || o.Depth > t.Depth)
	})
	if i < 0 {
		return len(tasks)
	}
	return i
}

// keys returns the URLs of a domain that are to be visited: at most size, all of one host, by the keys of their
// items. Hosts take turns. So do leases that begin with first visits and leases that begin with revisits.
func (p *picker) keys(d crawl.Domain, place *store.Place, size int) (origin string, keys []string) {
	due, again := p.revisits(d), place.Turns%2 == 1
	for o, at := range store.Ready(p.tx, d) {
		if p.isFree(at) { // else all have a hold
			origin = o
		}
		break
	}
	if again = len(due) > 0 && (again || origin == ""); again {
		origin = due[0].Origin
	} else if origin == "" {
		return "", nil
	}
	var old, fresh []string
	for _, r := range due {
		if r.Origin == origin {
			old = append(old, r.Key)
		}
	}
	for key := range store.Queue(p.tx, d, origin) {
		if fresh = append(fresh, key); len(fresh) >= size {
			break
		}
	}
	if keys = append(fresh, old...); again {
		keys = append(old, fresh...)
	}
	return origin, keys[:min(len(keys), size)]
}

// isFree reports whether a host may be visited that has this time.
func (p *picker) isFree(at int64) bool {
	t := time.Unix(0, at)
	return !t.After(p.now) || t.After(p.now.Add(clockMost))
}

// revisits returns the visits of a domain that are due, of hosts without a hold, as far as it looks.
func (p *picker) revisits(d crawl.Domain) (list []store.Revisit) {
	free := make(map[string]bool)
	add := func(r store.Revisit) {
		if _, known := free[r.Origin]; !known {
			free[r.Origin] = p.isFree(store.HostTime(p.tx, d, r.Origin))
		}
		if free[r.Origin] {
			list = append(list, r)
		}
	}
	looked := 0
	for r := range store.Revisits(p.tx, d) {
		if looked++; r.Date > p.today.Unix() || looked > visitLimit {
			break
		}
		add(r)
	}
	if r, ok := store.LastRevisit(p.tx, d); ok && r.Date > p.today.Add(calendarMost).Unix() {
		add(r)
	}
	return list
}
