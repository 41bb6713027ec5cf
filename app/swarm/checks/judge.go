package checks

import (
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Verdict is what follows from looks at pages. The zero value is: nothing.
type Verdict struct {
	// Count are held outcomes that count now.
	Count []crawl.Outcome
	// Confirm are pages that have failed for good.
	Confirm []crawl.URL
	// Undo are outcomes that are to be done again.
	Undo []Undo
	// Checked are the checks that were made.
	Checked []Checked
}

// Undo says that what a fetcher did of a site within a week is to be done again; of all sites if Site is "".
type Undo struct {
	Of   crawl.PeerID
	Site crawl.Domain
}

// Checked is a check that was made.
type Checked struct {
	Outcome crawl.Outcome // what By found
	By, Of  crawl.PeerID
	Differs bool // from what Of found
}

// taken returns what came together since it was called last.
func (l *Ledger) taken() (v Verdict) {
	v, l.verdict = l.verdict, Verdict{}
	return v
}

// look takes a look at a case in.
func (l *Ledger) look(now time.Time, by crawl.PeerID, c *Case, o *crawl.Outcome) {
	a := l.answerOf(o)
	differs := !c.first.agrees(&a)
	l.verdict.Checked = append(l.verdict.Checked, Checked{*o, by, c.Of, differs})
	if c.second == nil && !c.fails && differs {
		c.second, c.by, c.since = &a, by, now // a third is to look
		return
	}
	l.close(c)
	switch {
	case c.fails: // who gets the page settles it
		if a.class == classFailed {
			l.verdict.Confirm = append(l.verdict.Confirm, c.Task.URL)
		}
	case c.second == nil:
		l.agree(c.Of)
	case !differs:
		l.agree(c.Of)
		if !c.second.agrees(&a) {
			l.accuse(now, c.by, o.Domain, c.Of, by)
		}
	case c.second.agrees(&a):
		l.accuse(now, c.Of, o.Domain, c.by, by)
	default:
		l.mute(now, o.Domain)
	}
}

// agree notes that a check agreed. What is held of the fetcher counts, unless somebody contradicts, or it stood
// alone lately.
func (l *Ledger) agree(p crawl.PeerID) {
	f := l.fetchers[p]
	if f == nil {
		return
	}
	f.agreed++
	l.changed[p] = true
	if n := len(f.strikes); !l.isContradicted(p) && (n == 0 || f.agreed-f.strikes[n-1].agreed >= luck) {
		l.verdict.Count = append(l.verdict.Count, l.release(f, "")...)
	}
}

// isContradicted reports whether somebody found something else than a fetcher, and a third is to look.
func (l *Ledger) isContradicted(p crawl.PeerID) bool {
	return l.checking[p] > 0 && l.waits(func(c *Case) bool { return c.Of == p && c.second != nil })
}

// accuse notes that a fetcher stood alone at a site against two others.
func (l *Ledger) accuse(now time.Time, p crawl.PeerID, d crawl.Domain, a, b crawl.PeerID) {
	if p == l.cfg.Self {
		return // the site shows this node something else
	}
	trial := !l.Believes(now, p)
	f := l.meet(now, p)
	l.changed[p] = true
	s := strike{site: d, at: now, agreed: f.agreed}
	if a != l.cfg.Self && b != l.cfg.Self {
		s.others = [2]crawl.PeerID{min(a, b), max(a, b)}
	}
	barred := f.strike(s)
	l.closeAll(func(c *Case) bool { return c.Of == p && (barred || c.Task.URL.Domain() == d) })
	if barred || trial { // of what the latter did elsewhere little was checked
		d = ""
	}
	switch {
	case barred:
		*f = fetcher{outcomes: f.outcomes, checks: f.checks, held: f.held, checked: now, seen: now,
			barred: now.Add(Week)}
	case trial:
		f.barred = now.Add(restFor)
	}
	l.release(f, d)
	l.verdict.Undo = append(l.verdict.Undo, Undo{p, d})
}

// mute ends all checks of a site for a week. What is held of it is to be done by others.
func (l *Ledger) mute(now time.Time, d crawl.Domain) {
	maps.DeleteFunc(l.muted, func(_ crawl.Domain, until time.Time) bool { return !now.Before(until) })
	if len(l.muted) < maxMuted {
		l.muted[d] = now.Add(Week)
	}
	l.closeAll(func(c *Case) bool { return c.Task.URL.Domain() == d })
	for _, p := range slices.Sorted(maps.Keys(l.fetchers)) {
		l.giveUp(p, d)
	}
}

// giveUp has what is held of a fetcher of a site, or of all, done again.
func (l *Ledger) giveUp(p crawl.PeerID, d crawl.Domain) {
	if f := l.fetchers[p]; f != nil && len(l.release(f, d)) > 0 {
		l.verdict.Undo = append(l.verdict.Undo, Undo{p, d})
	}
}

// release takes out what is held of a fetcher, of a site or of all.
func (l *Ledger) release(f *fetcher, d crawl.Domain) (list []crawl.Outcome) {
	f.held = slices.DeleteFunc(f.held, func(h held) bool {
		if d != "" && h.o.Domain != d {
			return false
		}
		l.bytes -= h.size
		list = append(list, h.o)
		return true
	})
	return list
}

// close ends a case.
func (l *Ledger) close(c *Case) {
	d := c.Task.URL.Domain()
	if l.open--; !c.fails {
		if l.checking[c.Of]--; l.checking[c.Of] == 0 {
			delete(l.checking, c.Of)
		}
	}
	if l.cases[d] = slices.DeleteFunc(l.cases[d], func(o *Case) bool { return o == c }); len(l.cases[d]) == 0 {
		delete(l.cases, d)
	}
}

// closeAll ends cases without a verdict. A page that failed for good waits for its second witness all the same.
func (l *Ledger) closeAll(which func(*Case) bool) {
	for _, d := range l.Sites() {
		for _, c := range slices.Clone(l.cases[d]) {
			if which(c) && !c.fails {
				l.close(c)
			}
		}
	}
}

// waits reports whether there is such a case.
func (l *Ledger) waits(which func(*Case) bool) bool {
	for _, list := range l.cases {
		if slices.ContainsFunc(list, which) {
			return true
		}
	}
	return false
}

// Tick does what time brings: a page that nobody looked at is given up, as a failure believed, or else as not
// to be compared; and fetchers whose outcomes are held are checked again.
func (l *Ledger) Tick(now time.Time) Verdict {
	for _, d := range l.Sites() {
		for _, c := range slices.Clone(l.cases[d]) {
			if now.Sub(c.since) < caseFor {
				continue
			}
			if l.close(c); c.fails {
				l.verdict.Confirm = append(l.verdict.Confirm, c.Task.URL)
			} else {
				l.giveUp(c.Of, d)
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(l.fetchers)) {
		f := l.fetchers[p]
		if len(f.held) == 0 || l.waits(func(c *Case) bool { return c.Of == p }) {
			continue
		}
		switch wait := now.Sub(f.held[len(f.held)-1].at); {
		case l.Believes(now, p): // it was on trial
			l.verdict.Count = append(l.verdict.Count, l.release(f, "")...)
		case wait >= caseFor || wait >= heldFor && f.checks >= trial*denseRate && f.credit < 1:
			l.giveUp(p, "")
		case wait >= heldFor:
			l.check(now, p, f, &f.held[l.cfg.Chance()%uint64(len(f.held))].o)
		}
	}
	return l.taken()
}
