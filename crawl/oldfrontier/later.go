package frontier

import (
	"bytes"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// laterLimit bounds how many pages one Pick calls back. It comes again
	// soon, and what is called back at once waits in the queue anyway.
	laterLimit = 256
	// laterSlack is how much early a visit may be: a page that would be
	// due in an hour is not worth another place in the order.
	laterSlack = time.Hour
	// staleAfter is for how long a place has been over that who leads the log must have dealt with, and staleAtOnce how many of those one
	// transaction looks at.
	staleAfter  = 48 * time.Hour
	staleAtOnce = 64
)

// laterPlace is a place in the order of visits that are days away.
type laterPlace struct {
	key []byte
	put []byte // where it is put instead, nil if nowhere
}

// pickLater looks for pages and retired domains whose time has come.
func (f *Frontier) pickLater(b *buckets, p *Picked) error {
	now := f.cfg.Calendar()
	latest := now.Add(retireMost + 24*time.Hour).UnixNano() // beyond it: the clock was set back
	recalls := make(map[crawl.Domain]*Recall)
	c := b.later.Cursor()
	take := func(key []byte) error {
		key = bytes.Clone(key)
		_, name := splitDueKey(key)
		place := laterPlace{key: key}
		domain, hash, isPage := bytes.Cut(name, []byte{0})
		at, due, err := b.dueAgain(name, now, f.cfg.Revisit.Most)
		switch {
		case err != nil:
			return err
		case at != 0:
			place.put = dueKey(at, name)
		case due && !isPage:
			p.wakings = append(p.wakings, Entry{Revive: &Revive{Domain: crawl.Domain(domain)}})
		case due:
			r := recalls[crawl.Domain(domain)]
			if r == nil {
				r = &Recall{Domain: crawl.Domain(domain)}
				recalls[r.Domain] = r
				p.wakings = append(p.wakings, Entry{Recall: r})
			}
			r.Pages = append(r.Pages, hash)
		}
		p.later = append(p.later, place)
		return nil
	}
	for key, _ := c.First(); key != nil && len(p.later) < laterLimit; key, _ = c.Next() {
		if at, _ := splitDueKey(key); at > now.UnixNano() {
			break
		}
		if err := take(key); err != nil {
			return err
		}
	}
	for key, _ := c.Last(); key != nil && len(p.later) < laterLimit; key, _ = c.Prev() {
		if at, _ := splitDueKey(key); at <= latest {
			break
		}
		if err := take(key); err != nil {
			return err
		}
	}
	return nil
}

// dueAgain reports whether a page or a retired domain whose place is over is due; if it is later, at is when, in Unix nanoseconds of
// the calendar, else 0.
func (b *buckets) dueAgain(name []byte, now time.Time, most time.Duration) (at int64, due bool, err error) {
	domain, _, isPage := bytes.Cut(name, []byte{0})
	if !isPage {
		d, ok, err := b.readDomain(crawl.Domain(domain))
		if err != nil || !ok || !d.Parked {
			return 0, false, err
		}
		if until, is := d.restsUntil(now); is {
			return until.UnixNano(), false, nil
		}
		return 0, true, nil
	}
	next, ok, err := b.nextVisit(name)
	if err != nil || !ok {
		return 0, false, err
	}
	if next.After(now.Add(laterSlack)) && next.Before(now.Add(most+laterSlack)) {
		return next.UnixNano(), false, nil
	}
	return 0, true, nil
}

// dropStale ends places that are long over, for a member that does not lead: who leads deals with its own. Those of what is due all the same, since it has no
// room in the queue, come together in one a day.
func (m *machine) dropStale() error {
	now := unixTime(m.today)
	var stale [][]byte
	c := m.b.later.Cursor()
	for key, _ := c.First(); key != nil && len(stale) < staleAtOnce; key, _ = c.Next() {
		if at, _ := splitDueKey(key); at > m.today-int64(staleAfter) {
			break
		}
		stale = append(stale, bytes.Clone(key))
	}
	for _, key := range stale {
		_, name := splitDueKey(key)
		at, due, err := m.b.dueAgain(name, now, m.cfg.Revisit.Most)
		if err != nil {
			continue // Check finds it, and Repair drops it
		}
		if due {
			at = m.today + int64(recallAgain)
			if rec, ok, err := m.b.page(name); ok && err == nil {
				at = rec.again(m.today)
			}
		}
		if err := m.b.later.Delete(key); err != nil {
			return err
		}
		if at != 0 {
			if err := m.b.later.Put(dueKey(at, name), []byte{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// visitLater gives a page or a retired domain its place in the order of visits; at is by the calendar, in Unix nanoseconds.
func (m *machine) visitLater(at int64, name []byte) { m.later = append(m.later, dueKey(at, name)) }

// visitAgain gives a page its place back that comes from where its visits were not planned, if it is to be visited again.
func (m *machine) visitAgain(page []byte, rec *pageRecord) {
	if rec.Every > 0 && !rec.Queued {
		m.visitLater(rec.next().UnixNano(), page)
	}
}

// next returns when a page should be visited again, if it should.
func (r *pageRecord) next() time.Time {
	return time.Unix(r.Date, 0).Add(time.Duration(r.Every) * time.Millisecond)
}

// again returns when a page should be visited again that is due and cannot be queued: whole days after it became due, so that every member
// has the same place for it; a time and what is returned are by the calendar, in Unix nanoseconds.
func (r *pageRecord) again(now int64) int64 {
	at := r.next().UnixNano()
	if at <= 0 || at > now+int64(retireMost) { // no date that can be
		return now + int64(recallAgain)
	}
	if late := now - at; late >= 0 {
		at += (late/int64(recallAgain) + 1) * int64(recallAgain)
	}
	return at
}

// writeLater writes the places that visitLater gave, in their order: nearly all come after what is there, and
// whatever comes last in a node of the tree is found and added for the least.
func (m *machine) writeLater() error {
	slices.SortFunc(m.later, bytes.Compare)
	for _, key := range m.later {
		if err := m.b.later.Put(key, []byte{}); err != nil {
			return err
		}
	}
	m.later = nil
	return nil
}

// nextVisit returns when a page should be visited again; ok is false if it
// should not, or is queued already.
func (b *buckets) nextVisit(page []byte) (at time.Time, ok bool, err error) {
	rec, ok, err := b.page(page)
	if err != nil || !ok || rec.Queued || rec.Every <= 0 {
		return at, false, err
	}
	return rec.next(), true, nil
}

// readPrior returns what is known of a page from its last visit.
func (b *buckets) readPrior(u crawl.URL) (*crawl.Prior, error) {
	rec, _, err := b.page(pageKey(u.Domain(), u.String()))
	if err != nil {
		return nil, err
	}
	p := &crawl.Prior{Date: time.Unix(rec.Date, 0), ETag: rec.ETag, LastModified: rec.LastModified}
	copy(p.Digest[:], rec.Digest)
	return p, nil
}
