package checks

import (
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
)

const (
	// denseRate and rate are which part of the outcomes of a fetcher is checked, on trial and after. Of those
	// that report a failure or no links it is odd times as many, and so it is for a fetcher that stood alone
	// within a week.
	denseRate, rate = 0.2, 0.02
	odd             = 5
	// firstCredit lets the first outcome be checked.
	firstCredit = 1 - denseRate
	// checkEvery is how often a fetcher is checked at least, if it reports anything.
	checkEvery = 24 * time.Hour
	// caseFor is how long a page waits for another look, heldFor how long a held outcome waits before one of
	// its fetcher's is checked.
	caseFor, heldFor = 10 * time.Minute, 30 * time.Second
	// restFor is how long a fetcher on trial gets no lease after it stood alone. Each leader finds out by itself what a
	// liar is worth, and three sites at each of many leaders are many leases.
	restFor = time.Hour

	// MaxFetchers is how many are remembered, maxCases how many pages wait for another look, maxSiteCases how
	// many of one site.
	MaxFetchers  = 4096
	maxCases     = 1024
	maxSiteCases = 16
	// maxHeld is how many outcomes of a fetcher are held, maxHeldBytes how much of all.
	maxHeld      = 256
	maxHeldBytes = 16 << 20
	maxMuted     = 4096
	// maxTold is how many outcomes are remembered at least, to know those that are told again.
	maxTold = 4096
)

// Config says whom a Ledger knows.
type Config struct {
	Self crawl.PeerID
	// Established reports whether a fetcher is believed from the start.
	Established func(crawl.PeerID) bool
	// Network returns what two fetchers must not have in common for one to check the other.
	Network func(crawl.PeerID) string
	// Chance returns random bits, which nobody can guess.
	Chance func() uint64
}

// Ledger remembers what the fetchers of one leader are worth.
type Ledger struct {
	cfg      Config
	seed     maphash.Seed
	fetchers map[crawl.PeerID]*fetcher
	cases    map[crawl.Domain][]*Case
	open     int                        // cases
	checking map[crawl.PeerID]int       // of them checks of a fetcher
	muted    map[crawl.Domain]time.Time // sites that show everybody something else, until then
	bytes    int                        // of held outcomes
	changed  map[crawl.PeerID]bool
	told     [2]map[uint64]bool // hashes of outcomes: the last ones, and those before
	verdict  Verdict            // of the call at hand
}

// Case is a page that is to be looked at again.
type Case struct {
	Task crawl.Task
	Of   crawl.PeerID // whose outcome is checked
	// fails says that the page has failed as often as it may: another is to say so, too.
	fails  bool
	first  answer
	second *answer
	by     crawl.PeerID // of second
	since  time.Time
}

// Action is what is to be done with an outcome.
type Action uint8

const (
	Count  Action = iota // it settles its page
	Hold                 // it settles its page without links and clocks until it counts
	Ignore               // it changes nothing
	// Doubt: it settles its page; another is to say so, too.
	Doubt
)

// New returns a Ledger that knows nobody.
func New(cfg Config) *Ledger {
	return &Ledger{cfg: cfg, seed: maphash.MakeSeed(), fetchers: make(map[crawl.PeerID]*fetcher),
		cases:    make(map[crawl.Domain][]*Case),
		checking: make(map[crawl.PeerID]int),
		muted:    make(map[crawl.Domain]time.Time), changed: make(map[crawl.PeerID]bool),
		told: [2]map[uint64]bool{make(map[uint64]bool)}}
}

// Load adds what Changed returned of a fetcher once, and returns what is to be done again.
func (l *Ledger) Load(p crawl.PeerID, b []byte) (list []Undo) {
	f, ok := decode(b)
	if !ok || len(l.fetchers) >= MaxFetchers {
		return nil
	}
	l.fetchers[p] = f
	for _, s := range f.strikes {
		list = append(list, Undo{p, s.site})
	}
	if len(f.strikes) == 0 && f.barred.After(f.seen) {
		list = append(list, Undo{Of: p})
	}
	return list
}

// Changed returns what is to be written down of fetchers, nil for those that are forgotten. The next call tells
// of later changes.
func (l *Ledger) Changed() map[crawl.PeerID][]byte {
	list := make(map[crawl.PeerID][]byte, len(l.changed))
	for p := range l.changed {
		list[p] = nil
		if f := l.fetchers[p]; f != nil {
			list[p] = f.encode()
		}
	}
	clear(l.changed)
	return list
}

// Believes reports whether outcomes of a fetcher count at once, and its look at a page counts as a check.
func (l *Ledger) Believes(now time.Time, p crawl.PeerID) bool {
	if p == l.cfg.Self {
		return true
	}
	f := l.fetchers[p]
	if f != nil && now.Before(f.barred) {
		return false
	}
	return l.cfg.Established(p) || f != nil && f.outcomes >= trial && f.agreed >= trialChecks
}

// MayFetch reports whether a fetcher may have a lease of a domain, and has some already. One on trial needs room, and
// gets none while a third is to look at what it said.
func (l *Ledger) MayFetch(now time.Time, p crawl.PeerID, d crawl.Domain, leases int) bool {
	f := l.fetchers[p]
	if p == l.cfg.Self {
		return true
	}
	if f != nil && (now.Before(f.barred) || f.lost(now, d)) {
		return false
	}
	if l.Believes(now, p) {
		return true
	}
	if now.Before(l.muted[d]) || l.Accused(p, d) || l.isContradicted(p) || l.bytes >= maxHeldBytes {
		return false
	}
	return l.Room(p, leases) > 0
}

// Room returns how many leases more a fetcher on trial may have that has some already: of these, and of its pages that
// wait for another look, there may be one more than checks that agreed.
func (l *Ledger) Room(p crawl.PeerID, leases int) int {
	room := 1
	if f := l.fetchers[p]; f != nil && len(f.held) < maxHeld/2 {
		room += int(min(f.agreed, trialChecks))
	}
	return room - leases - l.checking[p]
}

// Accused reports whether a page that a fetcher reported of a domain waits for another look.
func (l *Ledger) Accused(p crawl.PeerID, d crawl.Domain) bool {
	return slices.ContainsFunc(l.cases[d], func(c *Case) bool { return c.Of == p })
}

// Waits reports whether a page of a domain waits for another look.
func (l *Ledger) Waits(d crawl.Domain) bool { return len(l.cases[d]) > 0 }

// Of returns whose outcome of a page is checked, "" if none is.
func (l *Ledger) Of(u crawl.URL) crawl.PeerID {
	if c := l.find(u); c != nil {
		return c.Of
	}
	return ""
}

// Sites returns the domains with pages that wait for another look.
func (l *Ledger) Sites() []crawl.Domain { return slices.Sorted(maps.Keys(l.cases)) }

// Tasks returns the pages of a domain that a fetcher may look at for a check. They are like first visits.
func (l *Ledger) Tasks(now time.Time, p crawl.PeerID, d crawl.Domain) (list []crawl.Task) {
	for _, c := range l.cases[d] {
		if l.suits(now, p, c) {
			list = append(list, c.Task)
		}
	}
	return list
}

// suits reports whether a fetcher may look at a case: one that is believed and has not seen the page, in
// another network.
func (l *Ledger) suits(now time.Time, p crawl.PeerID, c *Case) bool {
	if p == c.Of || p == c.by || !l.Believes(now, p) || l.cfg.Network(p) == l.cfg.Network(c.Of) {
		return false
	}
	return c.second == nil || p == l.cfg.Self || l.cfg.Established(p)
}

// Report takes the outcomes that a fetcher reported of one domain in, and returns what is to be done with each,
// and what follows from those that were checks.
func (l *Ledger) Report(now time.Time, by crawl.PeerID, list []crawl.Outcome) (do []Action, v Verdict) {
	believed, f := l.Believes(now, by), l.meet(now, by)
	var fresh []*crawl.Outcome
	do = make([]Action, len(list))
	for i := range list {
		o := &list[i]
		switch c := l.find(o.Task.URL); {
		case o.Result == crawl.Declined:
		case c != nil && l.suits(now, by, c):
			l.look(now, by, c, o)
		case believed && l.isLast(o) && l.begin(now, by, o, true):
			do[i] = Doubt
		default:
			if by != l.cfg.Self && !l.isTold(by, o) {
				fresh = append(fresh, o)
			}
			if !believed {
				do[i] = l.hold(now, f, o)
			}
		}
	}
	if len(fresh) > 0 {
		l.sample(now, by, f, fresh)
		l.changed[by] = true
	}
	return do, l.taken()
}

// isTold reports whether a fetcher has told an outcome before, and remembers it: each is told until others have stored
// it, which may take a day where they are away.
func (l *Ledger) isTold(by crawl.PeerID, o *crawl.Outcome) bool {
	var h maphash.Hash
	h.SetSeed(l.seed)
	for _, text := range [...]string{string(by), o.Task.URL.String(), o.Title, string(o.Digest[:])} {
		h.WriteString(text)
		h.WriteByte(0)
	}
	maphash.WriteComparable(&h, [...]int64{int64(o.Result), int64(o.Task.Attempts), o.Date.UnixNano()})
	for i := range o.Outlinks {
		h.WriteString(o.Outlinks[i].URL.String())
	}
	key := h.Sum64()
	if l.told[0][key] || l.told[1][key] {
		return true
	}
	if len(l.told[0]) == maxTold {
		l.told[0], l.told[1] = make(map[uint64]bool), l.told[0]
	}
	l.told[0][key] = true
	return false
}

// isLast reports whether a page fails for the last time with an outcome.
func (l *Ledger) isLast(o *crawl.Outcome) bool {
	return o.Result == crawl.Failed && int(o.Task.Attempts)+1 >= frontier.MaxFailures && o.Task.Prior == nil
}

// hold keeps an outcome of a fetcher on trial until it may count. What says that a page failed is not kept: the
// page waits.
func (l *Ledger) hold(now time.Time, f *fetcher, o *crawl.Outcome) Action {
	size := 256
	for i := range o.Outlinks {
		size += 64 + len(o.Outlinks[i].URL.String())
	}
	if slices.ContainsFunc(f.held, func(h held) bool { return h.o.Task.URL == o.Task.URL }) {
		return Hold // told again
	}
	if !o.Result.Final() || len(f.held) >= maxHeld || l.bytes+size > maxHeldBytes || now.Before(f.barred) {
		return Ignore
	}
	l.bytes += size
	f.held = append(f.held, held{*o, now, size})
	return Hold
}

// sample chooses outcomes that are checked. A failure among others is none: that happens.
func (l *Ledger) sample(now time.Time, by crawl.PeerID, f *fetcher, list []*crawl.Outcome) {
	f.outcomes += uint64(len(list))
	if slices.ContainsFunc(list, func(o *crawl.Outcome) bool { return o.Result.Final() }) {
		list = slices.DeleteFunc(list, func(o *crawl.Outcome) bool { return !o.Result.Final() })
	}
	due := now.Sub(f.checked) >= checkEvery
	for _, o := range list {
		part, most := rate, rate // of chance, and of all
		if isOdd(o) {
			part, most = odd*rate, odd*rate
		}
		switch {
		case !l.cfg.Established(by) && (f.outcomes <= trial || f.agreed < trialChecks):
			part, most = part*denseRate/rate, denseRate
			due = due || f.checks == 0 || len(f.lately(now)) > 0
		case len(f.lately(now)) > 0:
			part, most = part*odd, most*odd
		}
		if f.credit += most; f.credit >= 1 && l.chance() < part {
			l.check(now, by, f, o)
		}
	}
	if due && len(list) > 0 {
		l.check(now, by, f, list[l.cfg.Chance()%uint64(len(list))])
	}
}

// isOdd reports whether an outcome is what somebody would say who fetched nothing.
func isOdd(o *crawl.Outcome) bool {
	switch o.Result {
	case crawl.Fetched:
		return len(o.Outlinks) == 0
	case crawl.Redirected, crawl.Skipped, crawl.Unchanged:
		return false
	}
	return true
}

// check orders another look at the page of an outcome.
func (l *Ledger) check(now time.Time, by crawl.PeerID, f *fetcher, o *crawl.Outcome) {
	if now.Before(f.barred) || now.Before(l.muted[o.Domain]) || !l.begin(now, by, o, false) {
		return
	}
	f.checks++
	f.credit--
	f.checked = now
}

// begin opens a case, if there is room.
func (l *Ledger) begin(now time.Time, by crawl.PeerID, o *crawl.Outcome, fails bool) bool {
	if l.open >= maxCases || len(l.cases[o.Domain]) >= maxSiteCases || l.find(o.Task.URL) != nil {
		return false
	}
	t := o.Task
	t.Prior, t.Attempts = nil, 0
	l.cases[o.Domain] = append(l.cases[o.Domain], &Case{Task: t, Of: by, fails: fails, first: l.answerOf(o),
		since: now})
	if l.open++; !fails {
		l.checking[by]++
	}
	return true
}

// find returns the case of a page, nil if there is none.
func (l *Ledger) find(u crawl.URL) *Case {
	for _, c := range l.cases[u.Domain()] {
		if c.Task.URL == u {
			return c
		}
	}
	return nil
}

// meet returns what is kept of a fetcher. A new one takes the place of the one that was silent for longest.
func (l *Ledger) meet(now time.Time, p crawl.PeerID) *fetcher {
	f := l.fetchers[p]
	if f == nil {
		if len(l.fetchers) >= MaxFetchers {
			l.forget(now)
		}
		f = &fetcher{credit: firstCredit, checked: now}
		l.fetchers[p] = f
	}
	f.seen = now
	return f
}

// forget drops a fetcher: the one that was silent for longest of those that have lost nothing, or else of all.
func (l *Ledger) forget(now time.Time) {
	var least crawl.PeerID
	until := func(p crawl.PeerID) time.Time {
		f := l.fetchers[p]
		if now.Before(f.barred) {
			return f.barred
		}
		return f.seen
	}
	for p := range l.fetchers {
		if least == "" || until(p).Before(until(least)) {
			least = p
		}
	}
	l.giveUp(least, "")
	delete(l.fetchers, least)
	l.changed[least] = true
}

func (l *Ledger) chance() float64 { return float64(l.cfg.Chance()>>11) / (1 << 53) }

// Record is what others may be told of a fetcher.
type Record struct {
	Outcomes, Checks, Agreed, Alone int
	Barred                          time.Time // it gets no lease until then
}

// Look returns what is known of a fetcher.
func (l *Ledger) Look(now time.Time, p crawl.PeerID) Record {
	f := l.fetchers[p]
	if f == nil {
		return Record{}
	}
	return Record{int(f.outcomes), int(f.checks), int(f.agreed), len(f.lately(now)), f.barred}
}

// Held returns how many outcomes do not count yet.
func (l *Ledger) Held() (n int) {
	for _, f := range l.fetchers {
		n += len(f.held)
	}
	return n
}

// Sizes returns how much of everything there is, for tests that nothing grows.
func (l *Ledger) Sizes() map[string]int {
	return map[string]int{
		"checks.fetchers": len(l.fetchers), "checks.cases": l.open, "checks.checking": len(l.checking),
		"checks.held bytes": l.bytes, "checks.muted": len(l.muted),
	}
}
