package frontier

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
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
