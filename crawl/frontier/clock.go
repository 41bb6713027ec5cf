package frontier

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// Begun notes that a lease of a domain began which nobody counts as live after a time, by Config.Now. Before
// that the domain is not picked, unless Ended says that the lease is over. It may come after the lease's first
// outcomes.
func (f *Frontier) Begun(tx *storage.Tx, d crawl.Domain, origin string, until time.Time) error {
	if !store.Indexed(tx, d) {
		return nil // it is led no more
	}
	p, err := store.ReadPlace(tx, d)
	if err != nil {
		return fmt.Errorf("begin a lease of %s: %w", d, err)
	}
	p.Clock = until.UnixNano()
	p.Turns++
	if err := store.WritePlace(tx, d, p); err != nil {
		return fmt.Errorf("begin a lease of %s: %w", d, err)
	}
	at := f.cfg.Now().UnixNano()
	if hold := store.HostTime(tx, d, origin); hold > at && hold-at <= int64(crawl.MaxWait) {
		at = hold // an outcome of the lease came first; a later time is of a clock that was set back
	}
	return store.SetHost(tx, d, origin, at)
}

// Ended notes that a lease of a domain is over, after its outcomes were settled. The domain is left alone for
// one gap at least. The crawl delay is the one that the lease found in robots.txt, 0 if it found none.
func (f *Frontier) Ended(tx *storage.Tx, d crawl.Domain, crawlDelay time.Duration) error {
	if !store.Indexed(tx, d) {
		return nil // it is led no more
	}
	p, err := store.ReadPlace(tx, d)
	if err != nil {
		return fmt.Errorf("end a lease of %s: %w", d, err)
	}
	rec := f.record(tx, d)
	p.CrawlDelay = milliseconds(crawlDelay)
	p.Clock = f.cfg.Now().Add(f.gap(&rec, &p)).UnixNano()
	return store.WritePlace(tx, d, p)
}

// Gap returns the time between two requests of a domain, as far as this node knows.
func (f *Frontier) Gap(tx *storage.Tx, d crawl.Domain) (time.Duration, error) {
	p, err := store.ReadPlace(tx, d)
	if err != nil {
		return 0, fmt.Errorf("gap of %s: %w", d, err)
	}
	rec := f.record(tx, d)
	_, delay, took := pace(&rec, &p)
	return f.cfg.Politeness.Gap(delay, took, 0), nil
}

// gap returns how long a domain is left alone after a lease.
func (f *Frontier) gap(rec *store.Record, p *store.Place) time.Duration {
	level, delay, took := pace(rec, p)
	polite := f.cfg.Politeness
	gap := max(polite.Gap(delay, took, polite.Backoff(level, 0)), polite.Backoff(level, f.asked(rec)))
	return min(gap, crawl.MaxWait)
}

// pace returns the numbers from which gaps are computed.
func pace(rec *store.Record, p *store.Place) (level uint8, crawlDelay, took time.Duration) {
	a := &rec.Answer
	delay := min(max(a.CrawlDelay, p.CrawlDelay), maxMilliseconds)
	return a.Level, time.Duration(delay) * time.Millisecond,
		time.Duration(min(a.Took, maxMilliseconds)) * time.Millisecond
}

// asked returns for how long a site still wants to be left alone.
func (f *Frontier) asked(rec *store.Record) time.Duration {
	left := rec.Wait - f.today()
	if left <= 0 || left > seconds(crawl.MaxWait) {
		return 0
	}
	return time.Duration(left) * time.Second
}

// leaseSize is how many tasks fit into half the time of a lease at the pace the domain is visited; one for a
// domain in trouble.
func (f *Frontier) leaseSize(rec *store.Record, p *store.Place) int {
	level, delay, took := pace(rec, p)
	if level > 0 {
		return 1
	}
	step := f.cfg.Politeness.Gap(delay, took, 0) + took
	if step <= 0 {
		return MaxLeaseTasks
	}
	return int(min(max(f.cfg.LeaseFor/2/step, 1), MaxLeaseTasks))
}
