package frontier

import (
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// retireFor is how long a domain is left alone that was in trouble for
	// days; each retirement in a row doubles it, up to retireMost.
	retireFor  = 30 * 24 * time.Hour
	retireMost = 360 * 24 * time.Hour
	// secondPatience is the level at which a domain retires again that did
	// not do well since: four failures in a row.
	secondPatience = 4
)

// patience returns the level at which one failure more retires a domain in trouble.
func (d *domainRecord) patience() uint8 {
	if d.Retired > 0 {
		return secondPatience
	}
	return maxLevel
}

const (
	// silentFor and silentTries are how long, and how often, the robots.txt of
	// a domain's hosts cannot be had before it retires. Both, since one domain may have
	// many hosts, and a computer may be off for weeks.
	silentFor   = 20 * 24 * time.Hour
	silentTries = 20
)

// isSilent counts an attempt to get a robots.txt that came to nothing, at that
// time in Unix seconds, and reports whether it was one too many.
func (d *domainRecord) isSilent(at int64) bool {
	if d.Unheard == 0 {
		d.Silent = at
	}
	if d.Unheard < silentTries {
		d.Unheard++
	}
	return d.Unheard >= silentTries && at-d.Silent >= int64(silentFor/time.Second)
}

// retire makes the live lease of a domain its last for a long time. Its queue
// stays, new links are dropped.
func (m *machine) retire(name crawl.Domain, d *domainRecord) error {
	if d.Parked {
		return nil
	}
	d.Parked = true
	m.meta.Totals.Parked += d.Queued
	d.Retired = min(d.Retired, 254) + 1
	if d.Lease.ID == 0 { // by a late outcome; else the end of the lease sets the clock
		if err := m.b.setClock([]byte(name), m.now+int64(d.retiredFor()), false); err != nil {
			return err
		}
	}
	d.Until = m.meta.At + int64(d.retiredFor())
	m.visitLater(m.today+int64(d.retiredFor()), []byte(name))
	return nil
}

// restsUntil returns when the retirement of a domain ends, and whether that is still to come at a time of the calendar. If it is further off
// than any is long, the calendar was set back.
func (d *domainRecord) restsUntil(now time.Time) (at time.Time, is bool) {
	at = unixTime(d.Until)
	return at, at.After(now.Add(laterSlack)) && at.Before(now.Add(retireMost+laterSlack))
}

// retiredFor returns how long the retirement of a domain lasts.
func (d *domainRecord) retiredFor() time.Duration {
	return min(retireFor<<min(d.Retired-1, 4), retireMost)
}

// revive ends a retirement.
func (m *machine) revive(r *Revive) error {
	d, ok, err := m.domain(r.Domain)
	if err != nil || !ok || !d.Parked || d.Arriving != nil {
		return err
	}
	at := m.now
	if clock, ok := m.b.clock([]byte(r.Domain)); ok { // the calendar may have run ahead of the clock of gaps
		at = max(at, clock-int64(d.retiredFor())+int64(m.cfg.Politeness.Backoff(d.Level, d.Asked)))
	}
	d.Parked, d.Level, d.Weight, d.Asked = false, 1, 0, 0
	m.meta.Totals.Parked -= d.Queued
	if d.Lease.ID != 0 {
		return nil
	}
	return m.b.setClock([]byte(r.Domain), at, !d.asleep() && m.b.hasReady(r.Domain))
}
