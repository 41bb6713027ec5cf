package frontier

import (
	"bytes"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Revisit says how often pages are visited again: the wait grows by half with
// each visit that finds a page as it was, and halves with each that does not.
type Revisit struct {
	// First is the wait after the first visit, 0 means DefaultRevisitFirst;
	// negative means that nothing is visited again.
	First time.Duration
	// Least and Most bound the wait; 0 means DefaultRevisitLeast and -Most.
	Least, Most time.Duration
}

const (
	DefaultRevisitFirst = 7 * 24 * time.Hour
	DefaultRevisitLeast = 24 * time.Hour
	DefaultRevisitMost  = 30 * 24 * time.Hour

	// maxMisses is how many visits in a row may fail before a page is given up.
	maxMisses = 3
	// recallAgain is the wait before a page is tried again that found the
	// queue full.
	recallAgain = 24 * time.Hour
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

// visited records the first visit of a URL. What was not requested leaves no
// record, unless it may be requested later.
func (m *machine) visited(s *Settle, depth uint8, kind taskKind) error {
	if s.Status == 0 && s.Result != crawl.Declined {
		return nil
	}
	rec := pageRecord{Depth: depth, Source: kind.source()}
	rec.take(s)
	var wait time.Duration
	switch {
	case m.cfg.Revisit.First < 0:
	case s.Result == crawl.Fetched:
		wait = m.cfg.Revisit.First
	case s.Result == crawl.Declined:
		wait = m.cfg.Revisit.Most
	}
	return m.record(s, &rec, wait)
}

// revisited records a later visit of a URL.
func (m *machine) revisited(s *Settle, d *domainRecord, depth uint8, kind taskKind) error {
	rec, _, err := m.b.page(pageKey(s.Domain, s.URL))
	if err != nil {
		return err
	}
	changed := s.Result != crawl.Unchanged && !bytes.Equal(s.Digest, rec.Digest)
	d.Revisits++
	m.meta.Totals.Revisits++
	if s.Result == crawl.Fetched && changed {
		d.Changed++
		m.meta.Totals.Changed++
	}
	wait := m.cfg.Revisit.after(time.Duration(rec.Every)*time.Millisecond, s.Result, changed)
	switch {
	case s.Result == crawl.Fetched || s.Result == crawl.Unchanged:
		rec.Misses = 0
	case s.Result == crawl.Declined: // nobody looked
		wait = m.cfg.Revisit.Most
	default:
		if rec.Misses++; rec.Misses >= maxMisses {
			wait = 0
		}
	}
	rec.Queued, rec.Depth, rec.Source = false, depth, kind.source()
	rec.take(s)
	return m.record(s, &rec, wait)
}

// take keeps what a visit has told. An answer without content leaves what is known
// of the content as it is.
func (r *pageRecord) take(s *Settle) {
	r.URL, r.Date, r.Result, r.Status = s.URL, s.Date, s.Result, s.Status
	switch s.Result {
	case crawl.Fetched:
		r.Digest, r.ETag, r.LastModified = s.Digest, s.ETag, s.LastModified
	case crawl.Unchanged:
		if s.ETag != "" {
			r.ETag = s.ETag
		}
		if s.LastModified != "" {
			r.LastModified = s.LastModified
		}
	}
}

// record writes the record of a page that was just visited, and gives it its place in the order of visits: again
// after a while; 0 means never.
func (m *machine) record(s *Settle, rec *pageRecord, wait time.Duration) error {
	rec.Every = wait.Milliseconds()
	key := pageKey(s.Domain, s.URL)
	raw, err := rec.pack(domainOf(key))
	if err != nil {
		return err
	}
	if err := m.b.pages.Put(key, raw); err != nil || wait <= 0 { // it is another than before, as its date is
		return err
	}
	m.visitLater(m.today+int64(wait), key)
	return nil
}

// recall puts pages into the queue for another visit.
func (m *machine) recall(r *Recall) error {
	d, ok, err := m.domain(r.Domain)
	if err != nil || !ok {
		return err
	}
	for _, hash := range r.Pages {
		key := append(append([]byte(r.Domain), 0), hash...)
		rec, ok, err := m.b.page(key)
		if err != nil {
			return err
		}
		if !ok || rec.Queued {
			continue
		}
		if d.Parked || !d.isHome() || m.isFull() {
			m.visitLater(rec.again(m.today), key)
			continue
		}
		if err := m.requeue(r.Domain, d, key, &rec); err != nil {
			return err
		}
	}
	return nil
}

// requeue makes a task of a page that was visited before.
func (m *machine) requeue(name crawl.Domain, d *domainRecord, key []byte, rec *pageRecord) error {
	u, err := crawl.ParseURL(rec.URL)
	if err != nil || u.String() != rec.URL || u.Domain() != name {
		return nil // no URL by today's rules
	}
	rec.Queued = true
	if err := m.b.putPage(key, rec); err != nil {
		return err
	}
	kind := kindOf(0, rec.Source) | kindRevisit
	return m.insert(hostKey(name, u.Origin()), d, rec.Depth, crawl.PriorityNormal, taskValue(0, kind, rec.URL))
}

// modified brings the next visit of a known page forward, because a sitemap or
// feed says that it changed since the last. That cannot make it more frequent
// than Revisit.Least.
func (m *machine) modified(name crawl.Domain, d *domainRecord, l Link, from found) error {
	least := int64(m.cfg.Revisit.Least / time.Second)
	if m.cfg.Revisit.First < 0 || d.Parked || l.Modified > from.date || m.isFull() {
		return nil
	}
	key := pageKey(name, l.URL)
	rec, ok, err := m.b.page(key)
	if err != nil || !ok || rec.Queued || rec.Every == 0 || rec.URL != l.URL || l.Modified <= rec.Date || from.date < rec.Date+least {
		return err
	}
	return m.requeue(name, d, key, &rec)
}
