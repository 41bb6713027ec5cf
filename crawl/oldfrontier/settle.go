package frontier

import (
	"bytes"
	"time"

	"github.com/forage-net/forage/crawl"
)

// settle records an outcome. One that comes late, of a task that nobody else
// holds, settles it all the same, but only the holder of the live lease moves
// clocks. An outcome of a task that is settled already changes nothing.
func (m *machine) settle(s *Settle) (Applied, error) {
	d, ok, err := m.domain(s.Domain)
	if err != nil || !ok || d.Arriving != nil || d.isFrozen() {
		return Applied{}, err
	}
	host, tail, ok := splitQueueKey(s.Task)
	name, _ := splitHostKey(host)
	value := m.b.queued(s.Task)
	if !ok || name != s.Domain || len(value) < 3 || !spells(value[2:], s.URL) {
		return Applied{}, nil
	}
	value = bytes.Clone(value)
	revisit := taskKind(value[1]).isRevisit()
	live := d.isLive(s.Lease, s.By)
	at := d.Lease.find(tail)
	leased := at >= 0 && hostIs(host, d.Lease.Origin)
	if leased && !live {
		return Applied{}, nil
	}
	if live && leased {
		d.Lease.finish(at)
		if err := m.moveClock(d, s, value[0] > 0); err != nil {
			return Applied{}, err
		}
	}
	d.hear(s)
	if err := m.close(s, d, host, tail, value); err != nil {
		return Applied{}, err
	}
	if s.Result == crawl.Refused && !live {
		if err := m.refusedLate(s, d); err != nil {
			return Applied{}, err
		}
	}
	if live {
		if err := m.holdAfter(s, d, host, value[0]+1); err != nil {
			return Applied{}, err
		}
	}
	if m.isRepeat(d, s, value) {
		return Applied{Settled: true, Revisit: revisit}, nil
	}
	m.ask = s.Ask
	from := found{domain: s.Domain, date: s.Date}
	if err := m.sendAll(s.Out, from); err != nil {
		return Applied{}, err
	}
	added, err := m.enqueueAll(s.Links, from)
	return Applied{Settled: true, Revisit: revisit, New: added}, err
}

// spells reports whether the URL of a task is u, in today's spelling or in an
// older one.
func spells(task []byte, u string) bool {
	if string(task) == u {
		return true
	}
	parsed, err := crawl.ParseURL(string(task))
	return err == nil && parsed.String() == u
}

// hostIs reports whether a host key has that origin.
func hostIs(host []byte, origin string) bool {
	_, o := splitHostKey(host)
	return o == origin
}

// moveClock keeps what the next gap is computed from. A site that asks for less is left alone for longer each time, and so is
// one in trouble; a page that fails is its own trouble. One success takes back
// one refusal: a site that asked us to slow down sees us speed up slowly.
func (m *machine) moveClock(d *domainRecord, s *Settle, retry bool) error {
	switch s.Result {
	case crawl.Declined, crawl.Deferred, crawl.Blocked: // robots.txt need not have been read
		d.CrawlDelay = max(d.CrawlDelay, s.CrawlDelay)
	default:
		d.CrawlDelay = s.CrawlDelay
	}
	if s.Result == crawl.Refused {
		d.Asked = max(d.Asked, s.Wait)
	}
	if s.Status > 0 {
		d.Unheard, d.Silent = 0, 0
	}
	if s.isAnswer() {
		d.Answers.add(s.URL, s.isTrouble(), retry && s.Result != crawl.Refused)
	}
	switch {
	case s.isTrouble():
		if s.Took > 0 {
			d.Took = s.Took
		}
		trouble := d.Answers.inTrouble()
		if !trouble && s.Result != crawl.Refused {
			return nil
		}
		d.Reason = s.Reason
		if trouble && d.Level >= d.patience() {
			return m.retire(s.Domain, d)
		}
		d.Level = min(d.Level+1, maxLevel)
		d.Backoffs++
	case s.Result == crawl.Deferred || s.Result == crawl.Blocked:
		if s.Reason != "" {
			d.Reason = s.Reason
		}
		if s.NoRobots && d.isSilent(s.Date) {
			return m.retire(s.Domain, d)
		}
	case s.isAnswer():
		d.Level = max(d.Level, 1) - 1
		d.Took = s.Took
		if d.Level == 0 && !d.Parked {
			d.Reason, d.Retired = "", 0
		}
	}
	return nil
}

// refusedLate keeps what a site asked for in an answer that comes when its lease
// is over.
func (m *machine) refusedLate(s *Settle, d *domainRecord) error {
	d.Asked = max(d.Asked, s.Wait)
	if d.Lease.ID != 0 || d.Parked {
		return nil // the end of the lease, or of the retirement, counts it
	}
	at, _ := m.b.clock([]byte(s.Domain))
	at = max(at, m.now+int64(m.cfg.Politeness.Backoff(d.Level, d.Asked)))
	d.Asked = 0
	return m.b.setClock([]byte(s.Domain), at, !d.asleep() && m.b.hasReady(s.Domain))
}

// hear counts what a site has against us.
func (d *domainRecord) hear(s *Settle) {
	if s.Result == crawl.Refused || s.Status == 403 {
		d.Refusals++
	}
	if s.Challenged {
		d.Challenges++
	}
}

// isAnswer reports whether the site was asked, or could not be, for what is no fault of ours.
func (s *Settle) isAnswer() bool {
	switch s.Result {
	case crawl.Forbidden, crawl.Deferred, crawl.Blocked, crawl.Declined:
		return false
	}
	return true
}

// isTrouble reports whether the site is unwell or does not want us: the next
// visit can wait. A name that DNS does not know is gone with all its pages.
func (s *Settle) isTrouble() bool {
	return s.Result == crawl.Failed || s.Result == crawl.Refused || s.Status == 403 || s.Result == crawl.Gone && s.Status == 0
}

// close takes a task out of its queue, or puts it back for another attempt.
func (m *machine) close(s *Settle, d *domainRecord, host, tail, value []byte) error {
	depth, prio, attempts, kind := rankOf(tail).depth, rankOf(tail).prio, value[0], taskKind(value[1])
	if s.Result == crawl.Deferred {
		return nil // stays where it is
	}
	m.touch(s.Domain)
	if err := m.remove(s.Task, value, host, d); err != nil {
		return err
	}
	limit := uint8(maxFailures)
	if s.Result == crawl.Refused {
		limit = maxRefusals
	}
	if !s.Result.Final() && attempts+1 < limit {
		return m.insert(host, d, depth, prio, taskValue(attempts+1, kind, s.URL))
	}
	d.Received += uint64(max(s.Received, 0))
	if !kind.isRevisit() {
		d.Weight += uint64(max(s.Received, 0))
	}
	if d.Weight > d.budget(m.cfg.Budget)*perURL {
		d.Reason = "it sent more than its share"
		if err := m.retire(s.Domain, d); err != nil {
			return err
		}
	}
	if s.Title != "" && (d.Title == "" || depth < d.TitleDepth) {
		d.Title, d.TitleDepth = s.Title, depth
	}
	if kind.isRevisit() {
		return m.revisited(s, d, depth, kind)
	}
	m.count(s, d, kind)
	return m.visited(s, depth, kind)
}

// count adds a closed task to the counters of its domain and of the log.
func (m *machine) count(s *Settle, d *domainRecord, kind taskKind) {
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
		if s.Result == crawl.Gone && kind&kindForeign == 0 { // a site is not to blame for what others make up
			d.Gone++
		}
		d.Other++
		t.Other++
	}
}

// holdAfter keeps a host from being visited for as long as its robots.txt cannot be had, or, where only retries are left, until it is
// time for those.
func (m *machine) holdAfter(s *Settle, d *domainRecord, host []byte, attempts uint8) error {
	switch {
	case s.Result == crawl.Deferred:
		return m.hold(host, s.Wait)
	case s.Result.Final() || d.Parked || !m.b.onlyRetries(host):
		return nil
	}
	if s.Status == 0 {
		d.Reason = s.Reason
	}
	if wait := m.cfg.Politeness.Backoff(attempts, 0); wait > 0 {
		return m.hold(host, wait)
	}
	return nil
}

// hold keeps a host from being visited for a while.
func (m *machine) hold(host []byte, wait time.Duration) error {
	delete(m.awake, string(host))
	if err := m.b.ready.Delete(host); err != nil {
		return err
	}
	return m.b.setClock(host, m.now+int64(min(wait, crawl.MaxWait)), true)
}
