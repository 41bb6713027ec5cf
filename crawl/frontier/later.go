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
		if !isPage {
			p.wakings = append(p.wakings, Entry{Revive: &Revive{Domain: crawl.Domain(domain)}})
		} else if due, ok, err := b.nextVisit(name); err != nil {
			return err
		} else if ok && due.After(now.Add(laterSlack)) && due.Before(now.Add(f.cfg.Revisit.Most+laterSlack)) {
			place.put = dueKey(due.UnixNano(), name)
		} else if ok {
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
