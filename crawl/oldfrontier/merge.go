package frontier

import (
	"bytes"

	"github.com/forage-net/forage/crawl"
)

// merge joins what was put aside of a domain with what has come, as far as there
// is room, and reports whether it is done. Outcomes win over queued tasks.
func (m *machine) merge(name crawl.Domain, d *domainRecord, room *int) (bool, error) {
	m.touch(name)
	if err := m.mergePages(name, d, room); err != nil || *room <= 0 {
		return false, err
	}
	prefix := asideKey(name, asideTask, nil)
	for _, key := range keysWith(m.b.aside, prefix, room) {
		value := bytes.Clone(m.b.aside.Get(key))
		if err := m.mergeTask(append(hostKey(name, ""), key[len(prefix):]...), value, d); err != nil {
			return false, err
		}
		if err := m.b.aside.Delete(key); err != nil {
			return false, err
		}
	}
	if *room <= 0 {
		return false, nil
	}
	key := asideKey(name, asideRecord, nil)
	var own domainRecord
	if _, err := getRecord(m.b.aside, key, &own); err != nil {
		return false, err
	}
	d.join(&own)
	d.Arriving.Aside = false
	return true, m.b.aside.Delete(key)
}

// join adds what another log knew of a domain, but for what it counts of URLs.
func (d *domainRecord) join(o *domainRecord) {
	d.Level, d.Asked, d.Took, d.CrawlDelay = max(d.Level, o.Level), max(d.Asked, o.Asked), max(d.Took, o.Took), max(d.CrawlDelay, o.CrawlDelay)
	d.Unasked = d.Unasked && o.Unasked // else one of the logs has asked, or began it
	d.Inlinks |= o.Inlinks
	d.Careful = max(d.Careful, o.Careful)
	d.Foreign, d.Brought, d.Dropped = d.Foreign+o.Foreign, d.Brought+o.Brought, d.Dropped+o.Dropped
	for i, n := range o.Drops {
		d.addDrops(Limit(i+1), n)
	}
	d.Received, d.Weight = d.Received+o.Received, d.Weight+o.Weight
	d.Refusals, d.Challenges, d.Backoffs = d.Refusals+o.Refusals, d.Challenges+o.Challenges, d.Backoffs+o.Backoffs
	d.Revisits, d.Changed = d.Revisits+o.Revisits, d.Changed+o.Changed
	if o.Answers.len() > d.Answers.len() {
		d.Answers = o.Answers
	}
	if d.Over.ID == 0 {
		d.Over, d.Former = o.Over, o.Former
	}
	if d.Title == "" {
		d.Title, d.TitleDepth = o.Title, o.TitleDepth
	}
}

// mergePages takes visits in that were put aside: a page that has not come is
// known from now on, and of one that has, the later visit counts.
func (m *machine) mergePages(name crawl.Domain, d *domainRecord, room *int) error {
	prefix := asideKey(name, asidePage, nil)
	visited := make(map[string]*pageRecord) // here, and perhaps queued by what has come
	for _, key := range keysWith(m.b.aside, prefix, room) {
		page := append(hostKey(name, ""), key[len(prefix):]...)
		rec, u, ok := readPage(page, m.b.aside.Get(key))
		if err := m.b.aside.Delete(key); err != nil {
			return err
		}
		if !ok {
			continue
		}
		there, has, err := m.b.page(page)
		if err != nil {
			return err
		}
		if has && there.Date >= rec.Date {
			continue
		}
		queued := rec.Queued // by a task that is put aside too, and dropped
		rec.Queued = has && there.Queued
		if err := m.b.putPage(page, &rec); err != nil {
			return err
		}
		if queued && !rec.Queued {
			m.visitLater(m.today, page)
		} else {
			m.visitAgain(page, &rec)
		}
		if has {
			continue
		}
		isNew, err := m.know(u)
		if err != nil {
			return err
		}
		if isNew {
			d.countVisit(rec.Result)
		} else {
			visited[rec.URL] = &rec
		}
	}
	return m.unqueue(name, d, visited)
}

// countVisit counts a URL that is done with, by its last visit.
func (d *domainRecord) countVisit(r crawl.Result) {
	switch r {
	case crawl.Fetched, crawl.Unchanged:
		d.Fetched++
	case crawl.Forbidden:
		d.Forbidden++
	case crawl.Failed, crawl.Refused, crawl.Blocked:
		d.Failed++
	default:
		d.Other++
	}
}

// unqueue takes the tasks of URLs out of the queue that were visited. It goes
// through the whole queue of the domain.
func (m *machine) unqueue(name crawl.Domain, d *domainRecord, visited map[string]*pageRecord) error {
	if len(visited) == 0 {
		return nil
	}
	var over [][]byte
	prefix := hostKey(name, "")
	c := m.b.queue.Cursor()
	for key, value := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = c.Next() {
		if len(value) > 2 && !taskKind(value[1]).isRevisit() && visited[string(value[2:])] != nil {
			over = append(over, bytes.Clone(key))
		}
	}
	for _, key := range over {
		d.countVisit(visited[string(m.b.queue.Get(key)[2:])].Result)
		if err := m.displace(key, d); err != nil {
			return err
		}
	}
	return nil
}

// displace takes a first visit out of the queue of a domain that is arriving.
func (m *machine) displace(key []byte, d *domainRecord) error {
	if err := m.b.queue.Delete(key); err != nil {
		return err
	}
	d.Queued--
	host, _, _ := splitQueueKey(key)
	if m.b.hasTasks(host) {
		return nil
	}
	return m.b.ready.Delete(bytes.Clone(host))
}

// mergeTask puts a task back into the queue, under its old number, whose URL has
// not come.
func (m *machine) mergeTask(key, value []byte, d *domainRecord) error {
	t, ok := readWhole(key, value)
	if !ok || taskKind(value[1]).isRevisit() { // the page says when it is visited again
		return nil
	}
	if isNew, err := m.know(t.URL); err != nil || !isNew {
		return err
	}
	host, _, _ := splitQueueKey(key)
	return m.place(key, value, host, d)
}
