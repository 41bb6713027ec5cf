package frontier

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

const (
	// maxLevel is where the back-off of a domain has reached its longest wait (crawl.Politeness.Backoff): by then it
	// was left alone for a day and a half in all.
	maxLevel = 13
	// retireFor is how long a domain is left alone that was in trouble for days; each retirement in a row
	// doubles it, up to retireMost.
	retireFor  = 30 * 24 * time.Hour
	retireMost = 360 * 24 * time.Hour
	// secondPatience is the level at which a domain retires again that did not do well since: four failures in a row.
	secondPatience = 4
	// silentFor and silentTries are how long, and how often, the robots.txt of a domain's hosts cannot be had before it
	// retires. Both, since one domain may have many hosts, and a computer may be off for weeks.
	silentFor   = 20 * 24 * time.Hour
	silentTries = 20
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

// isRetired reports whether a domain is left alone for long at a date.
func isRetired(a *store.Answer, today int64) bool {
	return a.Until > today && a.Until <= today+seconds(retireMost)+slack
}

func (w *work) isRetired() bool { return isRetired(&w.rec.Answer, w.today) }

// moveClock keeps the numbers from which the next gap is computed. A site that asks for less is left alone for
// longer each time, and so is one in trouble; a page that fails is its own trouble. One success takes back one
// refusal: a site that asked us to slow down sees us speed up slowly.
func (w *work) moveClock(o *crawl.Outcome, retry bool) error {
	if o.Result == crawl.Refused {
		if err := w.ask(o); err != nil {
			return err
		}
	}
	if o.Lease == 0 {
		return nil
	}
	a := w.rec.Answer
	a.CrawlDelay = crawlDelay(&a, o)
	if !w.isRetired() {
		a.Until = 0
	}
	if o.Status > 0 {
		a.Unheard, a.Silent = 0, 0
	}
	if isAnswer(o) {
		w.note(o, retry)
	}
	switch {
	case isTrouble(o):
		w.trouble(&a, o)
	case o.Result == crawl.Deferred || o.Result == crawl.Blocked:
		w.silence(&a, o)
	case isAnswer(o):
		a.Level, a.Took = max(a.Level, 1)-1, milliseconds(o.Took)
		if a.Level == 0 && a.Until == 0 {
			a.Reason, a.Retired = "", 0
		}
	}
	w.answer(a)
	return nil
}

// ask keeps how long the site wants to be left alone.
func (w *work) ask(o *crawl.Outcome) error {
	wait := w.f.cfg.Politeness.Backoff(w.rec.Answer.Level, o.Wait)
	if o.Lease == 0 && !w.isRetired() { // else the end of the lease moves the clock
		if at := w.now.Add(wait).UnixNano(); at > w.place.Clock {
			w.place.Clock, w.changed = at, true
		}
	}
	if asked := min(max(o.Wait, 0), crawl.MaxWait); asked > 0 {
		w.date() // no wait ends later than crawl.MaxWait after it
		w.rec.Wait = max(w.rec.Wait, w.today+seconds(asked))
	}
	return nil
}

func crawlDelay(a *store.Answer, o *crawl.Outcome) uint64 {
	delay := milliseconds(o.CrawlDelay)
	switch o.Result {
	case crawl.Declined, crawl.Deferred, crawl.Blocked: // robots.txt need not have been read
		return max(a.CrawlDelay, delay)
	}
	return delay
}

// maxMilliseconds bounds the durations of a record: longer ones make no difference.
const maxMilliseconds = 7 * 24 * 3600 * 1000

func milliseconds(d time.Duration) uint64 {
	return uint64(min(max(d.Milliseconds(), 0), maxMilliseconds))
}

// note adds an answer to the last ones.
func (w *work) note(o *crawl.Outcome, retry bool) {
	last := answers{w.place.Answers, w.place.Failed}
	last.add(o.Task.URL.String(), isTrouble(o), retry && o.Result != crawl.Refused)
	w.place.Answers, w.place.Failed, w.changed = last.bits, last.pages, true
}

// trouble takes an answer in that says that the next visit can wait.
func (w *work) trouble(a *store.Answer, o *crawl.Outcome) {
	if o.Took > 0 {
		a.Took = milliseconds(o.Took)
	}
	last := answers{w.place.Answers, w.place.Failed}
	inTrouble := last.inTrouble()
	if !inTrouble && o.Result != crawl.Refused {
		return
	}
	a.Reason = cut(o.Reason, store.MaxReason)
	patience := uint8(maxLevel)
	if a.Retired > 0 {
		patience = secondPatience
	}
	if inTrouble && a.Level >= patience {
		w.retire(a)
		return
	}
	a.Level = min(a.Level+1, maxLevel)
	w.place.Backoffs++
}

// silence takes in that a host may not be visited, which need not be the site's fault.
func (w *work) silence(a *store.Answer, o *crawl.Outcome) {
	if o.Reason != "" {
		a.Reason = cut(o.Reason, store.MaxReason)
	}
	if !o.NoRobots {
		return
	}
	date := w.dated(o.Date)
	if a.Unheard == 0 {
		a.Silent = date
	}
	a.Unheard = min(a.Unheard+1, silentTries)
	if a.Unheard == silentTries && date-a.Silent >= seconds(silentFor) {
		w.retire(a)
	}
}

// retire makes the live lease of a domain its last for a long time. Its queue stays, new links are dropped.
// When it is over the domain is one in trouble.
func (w *work) retire(a *store.Answer) {
	if isRetired(a, w.today) {
		return
	}
	a.Retired = min(a.Retired, 254) + 1
	a.Until = w.today + seconds(min(retireFor<<min(a.Retired-1, 4), retireMost))
	a.Level, a.Weight = 1, w.counts.Received
}

// quick is the time of a request, in milliseconds, below which the gap is the same.
const quick = 400

// answer makes a the site's last answer, if it differs enough from the one before: a site that goes on as it
// did costs no item.
func (w *work) answer(a store.Answer) {
	last := w.rec.Answer
	if x, y := max(a.Took, quick), max(last.Took, quick); x/2 <= y && y/2 <= x {
		last.Took = a.Took
	}
	if a == last {
		return
	}
	a.Version, a.Date = w.rec.Answer.Version, w.rec.Answer.Date
	w.rec.Answer = a
	w.date()
}

// date makes the record's answer later than the one that is stored. If that lies in the future, only a version can win.
func (w *work) date() {
	a := &w.rec.Answer
	if a.Date > w.today+slack {
		a.Version, a.Date, w.rec.Wait = min(a.Version+1, store.MaxVersion), w.today, 0
		return
	}
	a.Date = max(w.today, a.Date+1)
}

// isAnswer reports whether the site was asked, or could not be, and not by a fault of ours.
func isAnswer(o *crawl.Outcome) bool {
	switch o.Result {
	case crawl.Forbidden, crawl.Deferred, crawl.Blocked, crawl.Declined:
		return false
	}
	return true
}

// isTrouble reports whether the site is unwell or does not want us: the next visit can wait. A name that DNS
// does not know is gone with all its pages.
func isTrouble(o *crawl.Outcome) bool {
	return o.Result == crawl.Failed || o.Result == crawl.Refused || o.Status == 403 || o.Result == crawl.Gone &&
		o.Status == 0
}

// today returns the date by the calendar in Unix seconds, at least 1.
func (f *Frontier) today() int64 { return max(f.cfg.Calendar().Unix(), 1) }

// dated returns a date from outside in Unix seconds. One that lies in the future is today's.
func (w *work) dated(t time.Time) int64 {
	if t.IsZero() {
		return w.today
	}
	return min(max(t.Unix(), 1), w.today)
}

// seconds returns a duration in whole seconds, at least 1 if it is positive.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
