package frontier

import (
	"bytes"
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// settle records an outcome. One that comes late, of a task that nobody else
// holds, settles it all the same, but only the holder of the live lease moves
// clocks. An outcome of a task that is settled already changes nothing.
func (m *machine) settle(s *Settle) (Applied, error) {
	host, tail, ok := splitQueueKey(s.Task)
	name, _ := splitHostKey(host)
	value := m.b.queue.Get(s.Task)
	if !ok || name != s.Domain || len(value) < 3 || string(value[2:]) != s.URL {
		return Applied{}, nil
	}
	value = bytes.Clone(value)
	d, err := m.domain(s.Domain)
	if err != nil {
		return Applied{}, err
	}
	live := d.Lease.ID == s.Lease && s.Lease != 0
	at := slices.IndexFunc(d.Lease.Tasks, func(t []byte) bool { return bytes.Equal(t, tail) })
	leased := at >= 0 && hostIs(host, d.Lease.Origin)
	if leased && !live {
		return Applied{}, nil
	}
	if live && leased {
		d.Lease.Tasks = slices.Delete(d.Lease.Tasks, at, at+1)
		m.moveClock(d, s)
	}
	if err := m.close(s, d, host, tail, value); err != nil {
		return Applied{}, err
	}
	if s.Result == crawl.Deferred && live {
		if err := m.hold(host, s); err != nil {
			return Applied{}, err
		}
	}
	added, err := m.enqueueAll(s.Links)
	return Applied{Settled: true, New: added}, err
}

// hostIs reports whether a host key has that origin.
func hostIs(host []byte, origin string) bool {
	_, o := splitHostKey(host)
	return o == origin
}

// moveClock keeps what the next gap is computed from. One success takes back
// one refusal: a site that asked us to slow down sees us speed up slowly.
func (m *machine) moveClock(d *domainRecord, s *Settle) {
	d.CrawlDelay = s.CrawlDelay
	switch {
	case s.Result == crawl.Failed || s.Result == crawl.Refused || s.Status == 403:
		d.Level = min(d.Level+1, maxLevel)
		d.Reason = s.Reason
	case s.Result == crawl.Deferred || s.Result == crawl.Blocked:
		d.Reason = s.Reason
	case s.Result != crawl.Forbidden:
		d.Level = max(d.Level, 1) - 1
		d.Took = s.Took
		if d.Level == 0 {
			d.Reason = ""
		}
	}
	if s.Result == crawl.Refused {
		d.Asked = max(d.Asked, s.Wait)
	}
}

// close takes a task out of its queue, or puts it back for another attempt.
func (m *machine) close(s *Settle, d *domainRecord, host, tail, value []byte) error {
	depth, attempts, redirects := tail[0], value[0], value[1]
	if s.Result == crawl.Deferred {
		return nil // stays where it is
	}
	if err := m.remove(s.Task, host, d); err != nil {
		return err
	}
	limit := uint8(maxFailures)
	if s.Result == crawl.Refused {
		limit = maxRefusals
	}
	if !s.Result.Final() && attempts+1 < limit {
		return m.insert(host, d, depth, crawl.PriorityLow, taskValue(attempts+1, redirects, s.URL))
	}
	m.count(s, d)
	d.Received += uint64(max(s.Received, 0))
	if s.Title != "" && (d.Title == "" || depth < d.TitleDepth) {
		d.Title, d.TitleDepth = s.Title, depth
	}
	if s.Status == 0 {
		return nil
	}
	hash := bloom.HashOf(s.URL)
	return putRecord(m.b.pages, append(append([]byte(s.Domain), 0), hash[:8]...), &pageRecord{
		URL: s.URL, Date: s.Date, Result: s.Result, Status: s.Status, Digest: s.Digest,
		ETag: s.ETag, LastModified: s.LastModified,
	})
}

// count adds a closed task to the counters of its domain and of the log.
func (m *machine) count(s *Settle, d *domainRecord) {
	t := &m.meta.Totals
	switch s.Result {
	case crawl.Fetched:
		d.Fetched++
		t.Fetched++
		if s.Duplicate {
			d.Duplicates++
			t.Duplicates++
		}
	case crawl.Forbidden:
		d.Forbidden++
		t.Forbidden++
	case crawl.Failed, crawl.Refused, crawl.Blocked:
		d.Failed++
		t.Failed++
	default:
		d.Other++
		t.Other++
	}
}

// hold keeps a host from being visited for as long as its robots.txt cannot
// be had.
func (m *machine) hold(host []byte, s *Settle) error {
	if err := m.b.ready.Delete(host); err != nil {
		return err
	}
	return m.b.setClock(host, m.now+int64(min(s.Wait, crawl.MaxWait)), true)
}
