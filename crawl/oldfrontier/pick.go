package frontier

import (
	"bytes"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// scanLimit bounds how many due entries one Pick looks at.
const scanLimit = 1024

// Picked is what is due now.
type Picked struct {
	// Grants are leases that could be granted, one a domain.
	Grants []Grant
	// Last says for each of them who held the last lease of its domain, "" for
	// this node or nobody.
	Last []string
	// Former says which leases that lapsed covered tasks of the grant of a domain, as far as
	// they are remembered: who held them may have visited those.
	Former map[crawl.Domain][]Release
	// Lapsed are leases whose time is over.
	Lapsed []Lapse
	// held are hosts whose hold is over, later the pages and retired domains
	// whose time has come, wakings the entries that those make.
	held    [][]byte
	later   []laterPlace
	wakings []Entry
	// Next is when something becomes due that is not yet; zero if nothing is
	// waiting for a time.
	Next time.Time
}

// Pick looks for at most limit domains that may be visited now: their gap is
// over, no lease is live, and a host without a hold has tasks. It changes
// nothing; a grant takes effect when it is proposed. Of domains for which busy
// returns true only a lease that is over is returned.
func (f *Frontier) Pick(limit int, busy func(crawl.Domain) bool) (Picked, error) {
	return f.PickFirst(nil, limit, busy)
}

// PickFirst is Pick, but looks at some domains before all others, however many others have been due for longer. There
// should be few of them; each that may be visited counts against the limit.
func (f *Frontier) PickFirst(first []crawl.Domain, limit int, busy func(crawl.Domain) bool) (Picked, error) {
	var p Picked
	now := f.cfg.Now()
	err := f.db.View(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, f.cfg.LogID)
		if err != nil {
			return err
		}
		if err := f.pickNamed(&b, &p, now, first, busy); err != nil {
			return err
		}
		if len(first) > 0 {
			others := busy
			busy = func(d crawl.Domain) bool { return slices.Contains(first, d) || others(d) }
		}
		if err := f.pickStranded(&b, &p, now, limit, busy); err != nil {
			return err
		}
		if err := f.pickLater(&b, &p); err != nil {
			return err
		}
		return f.pickDue(&b, &p, now, limit, busy)
	})
	return p, err
}

// pickDue looks at what is due, in its order. Where it has looked at a great deal in vain, the next call goes on behind that.
func (f *Frontier) pickDue(b *buckets, p *Picked, now time.Time, limit int, busy func(crawl.Domain) bool) error {
	var from []byte
	if behind := f.looked.Swap(nil); behind != nil {
		from = *behind
	}
	c := b.due.Cursor()
	scanned := 0
	for key, _ := c.Seek(from); key != nil; key, _ = c.Next() {
		at, name := splitDueKey(key)
		if at > now.UnixNano() {
			p.Next = unixTime(at)
			break
		}
		if len(p.Grants) >= limit {
			p.Next = now
			return nil
		}
		if scanned++; scanned > scanLimit {
			p.Next = now
			if len(p.Grants) == 0 {
				f.looked.Store(new(bytes.Clone(key)))
			}
			return nil
		}
		if err := f.pickOne(b, p, name, busy); err != nil {
			return err
		}
	}
	if from != nil {
		p.Next = now // what is before it was not looked at
	}
	return nil
}

// pickNamed looks at the domains that go before all others.
func (f *Frontier) pickNamed(b *buckets, p *Picked, now time.Time, names []crawl.Domain, busy func(crawl.Domain) bool) error {
	latest := now.Add(crawl.MaxWait + time.Hour).UnixNano() // see pickStranded
	for _, d := range names {
		at, ok := b.clock([]byte(d))
		if !ok || at > now.UnixNano() && at <= latest || b.due.Get(dueKey(at, []byte(d))) == nil {
			continue
		}
		if err := f.pickOne(b, p, []byte(d), busy); err != nil {
			return err
		}
	}
	return nil
}

// pickStranded looks for what is due later than any wait is long: the clock
// was set back, and it would wait for years.
func (f *Frontier) pickStranded(b *buckets, p *Picked, now time.Time, limit int, busy func(crawl.Domain) bool) error {
	latest := now.Add(crawl.MaxWait + time.Hour).UnixNano()
	c := b.due.Cursor()
	scanned := 0
	for key, _ := c.Last(); key != nil && scanned < scanLimit && len(p.Grants) < limit; key, _ = c.Prev() {
		at, name := splitDueKey(key)
		if at <= latest {
			return nil
		}
		scanned++
		if err := f.pickOne(b, p, name, busy); err != nil {
			return err
		}
	}
	return nil
}

func (f *Frontier) pickOne(b *buckets, p *Picked, name []byte, busy func(crawl.Domain) bool) error {
	domain, origin := splitHostKey(name)
	if origin != "" {
		p.held = append(p.held, bytes.Clone(name))
		return nil
	}
	r, ok, err := b.readDomain(domain)
	if err != nil || !ok {
		return err
	}
	if r.Lease.ID != 0 { // it ends in a busy domain too, which may wait for just that
		p.Lapsed = append(p.Lapsed, r.lapse(domain))
		return nil
	}
	if busy(domain) {
		return nil
	}
	if r.asleep() {
		return nil // only its lease has a time
	}
	if g, ok := f.chooseTasks(b, domain, &r); ok {
		p.Grants, p.Last = append(p.Grants, g), append(p.Last, r.Last)
		if former := r.covering(&g); len(former) > 0 {
			if p.Former == nil {
				p.Former = make(map[crawl.Domain][]Release)
			}
			p.Former[domain] = former
		}
	}
	return nil
}

// chooseTasks takes the first tasks of the domain's next host: hosts take
// turns, a lease each.
func (f *Frontier) chooseTasks(b *buckets, domain crawl.Domain, r *domainRecord) (Grant, bool) {
	prefix := hostKey(domain, "")
	ready := b.ready.Cursor()
	host, _ := ready.Seek(hostKey(domain, r.NextHost))
	if !bytes.HasPrefix(host, prefix) {
		if host, _ = ready.Seek(prefix); !bytes.HasPrefix(host, prefix) {
			return Grant{}, false
		}
	}
	_, origin := splitHostKey(host)
	g := Grant{Domain: domain, Origin: origin, For: f.cfg.LeaseFor}
	tasks := append(bytes.Clone(host), 0)
	meta, err := b.readMeta()
	if err != nil {
		return Grant{}, false // the next commit tells
	}
	size := f.leaseSize(r, f.cfg.politenessFor(r, &meta))
	c := b.queue.Cursor()
	for key, _ := c.Seek(tasks); bytes.HasPrefix(key, tasks) && len(g.Tasks) < size; key, _ = c.Next() {
		g.Tasks = append(g.Tasks, bytes.Clone(key[len(key)-tailSize:]))
	}
	return g, len(g.Tasks) > 0
}

// leaseSize is how many tasks fit into half the time of a lease at the pace
// the domain is visited; one for a domain in trouble.
func (f *Frontier) leaseSize(r *domainRecord, polite crawl.Politeness) int {
	if r.Level > 0 {
		return 1
	}
	pace := polite.Gap(r.CrawlDelay, r.Took, 0) + r.Took
	if pace <= 0 {
		return MaxLeaseTasks
	}
	return int(min(max(f.cfg.LeaseFor/2/pace, 1), MaxLeaseTasks))
}

// Tasks returns the tasks of a grant, and the gap the owner knows of.
func (f *Frontier) Tasks(g Grant) (tasks []crawl.Task, gap time.Duration, err error) {
	err = f.db.View(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, f.cfg.LogID)
		if err != nil {
			return err
		}
		r, _, err := b.readDomain(g.Domain)
		if err != nil {
			return err
		}
		meta, err := b.readMeta()
		if err != nil {
			return err
		}
		gap = f.cfg.politenessFor(&r, &meta).Floor(r.Level, r.CrawlDelay, r.Took)
		tasks, err = b.readTasks(hostKey(g.Domain, g.Origin), g.Tasks)
		return err
	})
	return tasks, gap, err
}

// readTasks reads tasks by their tails; those no longer queued are left out.
func (b *buckets) readTasks(host []byte, tails [][]byte) ([]crawl.Task, error) {
	tasks := make([]crawl.Task, 0, len(tails))
	for _, tail := range tails {
		key := append(append(bytes.Clone(host), 0), tail...)
		value := b.queued(key)
		if value == nil {
			continue
		}
		t, err := readTask(key, value)
		if err != nil {
			continue // Check finds it, and Repair drops it
		}
		if taskKind(value[1]).isRevisit() {
			if t.Prior, err = b.readPrior(t.URL); err != nil {
				return nil, err
			}
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}
