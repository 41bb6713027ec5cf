package swarm

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

// statusForbidden is the answer of a site that does not want us.
const statusForbidden = 403

// maxHold bounds how long a host is left alone because a fetcher elsewhere
// could not reach it: others may.
const maxHold = time.Hour

// handleReport settles outcomes of leases that this node granted. It answers
// when they are durable.
func (s *Swarm) handleReport(ctx context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Report](body)
	if err != nil {
		return nil, lie("report", 20)
	}
	if !s.open.Load() {
		return nil, busy(2 * time.Second)
	}
	room := wire.MaxReportBytes
	var answer wire.Reported
	var reports []frontier.Report
	var closing []bool // of each report: its domain is on a move
	var ends []frontier.Entry
	late := make(map[crawl.LeaseID]bool) // leases that are over
	back := Event{Kind: LeasesBack, Peer: from}
	for i := range m.Leases {
		l := &m.Leases[i]
		if !l.Moved {
			s.keeper.takeBack(from, l)
		}
		place, err := s.cfg.Frontier.Where(l.Domain)
		if err != nil {
			return nil, err
		}
		if to, is := s.elsewhere(l.Domain, place); is {
			answer.Moved = append(answer.Moved, wire.Moved{Domain: l.Domain, To: to})
			if l.Over {
				s.credits.forget(from, l.Lease)
			}
			continue
		}
		if place.State == frontier.StateArriving {
			return nil, busy(time.Second)
		}
		more, worked, err := s.reportsOf(from, l, &room, late)
		if err != nil {
			return nil, err
		}
		for range more {
			closing = append(closing, place.State == frontier.StateClosing)
		}
		reports = append(reports, more...)
		if l.Over && !l.Moved {
			if s.credits.back(from, l.Lease, worked) {
				back.Domain = l.Domain
				back.Domains++
			}
			ends = append(ends, frontier.Entry{Release: &frontier.Release{
				Lease: l.Lease, Domain: l.Domain, By: s.holder(from), CrawlDelay: s.believed(from, time.Duration(l.CrawlDelayMs)*time.Millisecond),
			}})
		} else if l.Renew && !l.Moved && worked && place.State == frontier.StateOpen && s.Owns(l.Domain) && !s.keeper.wanted(l.Domain) {
			ends = append(ends, frontier.Entry{Renew: &frontier.Renew{Lease: l.Lease, Domain: l.Domain, By: s.holder(from), For: s.cfg.LeaseFor}})
		}
	}
	pages := Event{Kind: PagesTaken, Peer: from}
	answer.Renewed, err = s.settle(ctx, reports, closing, ends, func(r *frontier.Report, settled bool) {
		switch {
		case settled && r.Outcome.Result == crawl.Fetched:
			pages.addPage(&r.Outcome)
		case !settled && late[r.Outcome.Lease]: // another has the task
			s.late.keep(r, s.now())
		}
	})
	if err != nil {
		s.log.Debug("Report of a peer not settled", "from", peerName(from), "error", err)
		return nil, busy(2 * time.Second)
	}
	if pages.Count > 0 {
		s.tell(pages)
	}
	if back.Domains > 0 {
		s.tell(back)
	}
	return wire.Encode(&answer), nil
}

// holder returns how the log names a fetcher: its owner has no name there.
func (s *Swarm) holder(peer string) string {
	if peer == s.net.Self() {
		return ""
	}
	return peer
}

// errOnTheMove means that a domain cannot be settled here any more, nor at its
// new owner yet.
var errOnTheMove = errors.New("the domain is on the move")

// addPage counts a page that was fetched.
func (e *Event) addPage(o *crawl.Outcome) {
	e.Count++
	if e.Domain = o.Domain; !slices.Contains(e.All, o.Domain) {
		e.All = append(e.All, o.Domain)
		e.Domains++
	}
}

// settle settles reports and then ends or renews leases. It returns those that
// were renewed, and calls each for all reports.
func (s *Swarm) settle(
	ctx context.Context, reports []frontier.Report, closing []bool, ends []frontier.Entry, each func(r *frontier.Report, settled bool),
) (renewed []crawl.LeaseID, err error) {
	for len(reports)+len(ends) > 0 {
		n := min(len(reports), frontier.MaxReports)
		var behind []frontier.Entry
		if n == len(reports) {
			behind, ends = ends, nil
		}
		applied, err := s.cfg.Frontier.SettleAll(ctx, reports[:n], behind...)
		if err != nil {
			return nil, err
		}
		for i, a := range applied[:n] {
			if closing[i] && !a.Settled {
				return nil, errOnTheMove
			}
			each(&reports[i], a.Settled)
		}
		for i, e := range behind {
			if id := applied[n+i].Lease; e.Renew != nil && id != 0 {
				renewed = append(renewed, id)
			}
		}
		reports, closing = reports[n:], closing[n:]
	}
	return renewed, nil
}

// elsewhere reports whether a domain is not to be settled here, and whose it is.
func (s *Swarm) elsewhere(d crawl.Domain, p frontier.Place) (to string, is bool) {
	switch p.State {
	case frontier.StateGone:
		return p.Peer, true
	case frontier.StateNone:
		owner, ok := s.net.Owner(d)
		return owner, ok && owner != s.net.Self()
	}
	return "", false
}

// reportsOf turns the outcomes of a lease into what the frontier takes. Only
// who held the lease is believed, and only about its tasks. One that is over is noted in late.
func (s *Swarm) reportsOf(
	from string, l *wire.LeaseReport, room *int, late map[crawl.LeaseID]bool,
) (reports []frontier.Report, worked bool, err error) {
	var granted frontier.GrantedLease
	known := false
	var came *arrival
	var tasks map[string]crawl.Task
	lease := l.Lease
	if l.Moved {
		if tasks, came, err = s.lateTasks(from, l, s.now()); err != nil || came == nil {
			return nil, false, err
		}
		lease = 0 // of another log: one of this log may have the same number
	} else {
		if granted, known, err = s.cfg.Frontier.Leased(l.Lease, l.Domain); err != nil {
			return nil, false, err
		}
		if known && granted.Holder != s.holder(from) {
			return nil, false, lie("report of another's lease", 10)
		}
		late[l.Lease] = known && !granted.Live
	}
	for i := range l.Outcomes {
		w := &l.Outcomes[i]
		o, size, err := w.Outcome(*room)
		if err != nil {
			return nil, false, lie("report", 20)
		}
		*room -= size
		if o.Result == crawl.Declined {
			if known && granted.Live {
				s.wants.decline(from, l.Domain, declinedFor)
			}
			continue
		}
		if known && int(w.Index) >= len(granted.Tasks) {
			return nil, false, lie("outcome of no task", 20)
		}
		task, ok := tasks[w.URL]
		if known {
			task, ok = granted.Tasks[w.Index], !granted.Done[w.Index]
		}
		if !ok || came != nil && !came.counts(o.Result) {
			continue // settled before, or no longer known: it will be fetched again
		}
		worked = true
		o.Lease, o.Domain, o.Task = l.Lease, l.Domain, task
		s.bound(from, &o)
		if !s.credible(from, &o) {
			continue
		}
		o.Lease = lease
		reports = append(reports, frontier.Report{By: s.holder(from), Outcome: o})
	}
	return reports, worked, nil
}

const (
	// maxAge is how old an outcome may be; one that seems older was dated by a
	// wrong clock.
	maxAge = time.Hour
	// maxReceived is more than any answer takes, in bytes.
	maxReceived = 16 << 20
)

// bound takes out of another's outcome what it may not do: bring links that
// are not of this crawl, or keep a site from being visited for long.
func (s *Swarm) bound(from string, o *crawl.Outcome) {
	now := time.Now()
	kept := o.Outlinks[:0]
	near, lies := 0, false
	for _, l := range o.Outlinks {
		if s.lies(l.URL) {
			lies = true
			continue
		}
		// A redirect's target and a page's canonical address are as far from the
		// seeds as it is; there is one of them.
		if l.Source == 0 && l.Depth <= o.Task.Depth {
			if near++; near > 1 || l.Depth < o.Task.Depth || l.Priority != crawl.PriorityHigh {
				l.Depth, l.Priority = min(o.Task.Depth, crawl.MaxDepth-1)+1, crawl.PriorityNormal
			}
		}
		if s.admits(l, now) {
			kept = append(kept, l)
		}
	}
	if lies {
		s.refuse(from, "links out of scope", 5)
	}
	o.Outlinks = kept
	o.Wait, o.CrawlDelay = s.believed(from, o.Wait), s.believed(from, o.CrawlDelay)
	if o.Result == crawl.Deferred {
		o.Wait = min(o.Wait, maxHold)
	}
	if o.Date.After(now) || now.Sub(o.Date) > maxAge {
		o.Date = now
	}
	o.Took, o.Received = min(o.Took, s.cfg.LeaseFor), min(o.Received, maxReceived)
}

// believed returns how long a fetcher's word keeps a site from being visited.
func (s *Swarm) believed(from string, wait time.Duration) time.Duration {
	if wait > shortWait && !s.waits.take(from, 1, s.now()) {
		return shortWait
	}
	return min(wait, crawl.MaxWait)
}

// credible reports whether an outcome counts. A fetcher tells once a lease that
// a site is in trouble, since it goes home then; and if it alone says so again and again, others
// are to look first, and how long the site shall be left alone grows by and by.
func (s *Swarm) credible(from string, o *crawl.Outcome) bool {
	if !isTrouble(o) {
		if o.Status > 0 {
			s.doubts.well(o.Domain)
		}
		return true
	}
	times, seconded := s.doubts.trouble(o.Domain, ownerOf(from), o.Lease, o.Task.ID)
	if times == 0 {
		s.refuse(from, "outcome behind a failure", 1)
		return false
	}
	if !seconded {
		o.Wait = min(o.Wait, maxHold<<min(times-1, 8))
	}
	if times > 1 {
		s.wants.decline(from, o.Domain, min(lookFor*s.cfg.LeaseFor<<min(times-2, 8), declinedFor))
	}
	return true
}

// lookFor is for how many leases' time others are to look at a site that one
// fetcher found in trouble twice.
const lookFor = 5

// isTrouble reports whether an outcome has a site left alone for longer than its gap.
func isTrouble(o *crawl.Outcome) bool {
	switch o.Result {
	case crawl.Failed, crawl.Refused:
		return true
	case crawl.Gone:
		return o.Status == 0 || o.Status == statusForbidden
	}
	return o.Status == statusForbidden
}
