package swarm

import (
	"context"
	"errors"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/wire"
)

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
	for i := range m.Leases {
		l := &m.Leases[i]
		place, err := s.cfg.Frontier.Where(l.Domain)
		if err != nil {
			return nil, err
		}
		if to, is := s.elsewhere(l.Domain, place); is {
			answer.Moved = append(answer.Moved, wire.Moved{Domain: l.Domain, To: to})
			continue
		}
		if place.State == frontier.StateArriving {
			return nil, busy(time.Second)
		}
		more, worked, err := s.reportsOf(from, l, &room)
		if err != nil {
			return nil, err
		}
		for range more {
			closing = append(closing, place.State == frontier.StateClosing)
		}
		reports = append(reports, more...)
		if l.Over && !l.Moved {
			s.credits.back(from, worked)
			ends = append(ends, frontier.Entry{Release: &frontier.Release{
				Lease: l.Lease, Domain: l.Domain, By: from, CrawlDelay: time.Duration(l.CrawlDelayMs) * time.Millisecond,
			}})
		}
	}
	if err := s.settle(ctx, reports, closing, ends); err != nil {
		s.log.Debug("Report of a peer not settled", "from", peerName(from), "error", err)
		return nil, busy(2 * time.Second)
	}
	return wire.Encode(&answer), nil
}

// errOnTheMove means that a domain cannot be settled here any more, nor at its
// new owner yet.
var errOnTheMove = errors.New("the domain is on the move")

func (s *Swarm) settle(ctx context.Context, reports []frontier.Report, closing []bool, ends []frontier.Entry) error {
	for len(reports) > 0 {
		n := min(len(reports), frontier.MaxReports)
		applied, err := s.cfg.Frontier.SettleAll(ctx, reports[:n])
		if err != nil {
			return err
		}
		for i, a := range applied {
			if closing[i] && !a.Settled {
				return errOnTheMove
			}
		}
		reports, closing = reports[n:], closing[n:]
	}
	if len(ends) == 0 {
		return nil
	}
	_, err := s.cfg.Frontier.Propose(ctx, ends...)
	return err
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
// who held the lease is believed, and only about its tasks.
func (s *Swarm) reportsOf(from string, l *wire.LeaseReport, room *int) (reports []frontier.Report, worked bool, err error) {
	var granted frontier.GrantedLease
	known := false
	if l.Moved && !s.arrived.has(l.Domain, s.now()) {
		return nil, false, nil
	} else if !l.Moved {
		if granted, known, err = s.cfg.Frontier.Leased(l.Lease, l.Domain); err != nil {
			return nil, false, err
		}
	}
	if known && granted.Holder != from {
		return nil, false, lie("report of another's lease", 10)
	}
	for i := range l.Outcomes {
		w := &l.Outcomes[i]
		o, size, err := w.Outcome(*room)
		if err != nil {
			return nil, false, lie("report", 20)
		}
		*room -= size
		if o.Result == crawl.Declined {
			s.wants.decline(from, l.Domain)
			continue
		}
		task, ok := s.taskOf(granted, known, w)
		if !ok {
			continue // settled before, or no longer known: it will be fetched again
		}
		worked = true
		o.Lease, o.Domain, o.Task = l.Lease, l.Domain, task
		s.bound(from, &o)
		reports = append(reports, frontier.Report{By: from, Outcome: o})
	}
	return reports, worked, nil
}

// taskOf returns the task of an outcome: by its place in the lease, or, where
// the domain has moved since, by what the fetcher was told of it.
func (s *Swarm) taskOf(granted frontier.GrantedLease, known bool, w *wire.Outcome) (crawl.Task, bool) {
	if known {
		if int(w.Index) >= len(granted.Tasks) || granted.Done[w.Index] {
			return crawl.Task{}, false
		}
		return granted.Tasks[w.Index], true
	}
	u, err := crawl.ParseURL(w.URL)
	if err != nil || len(w.Ref) == 0 {
		return crawl.Task{}, false
	}
	return crawl.Task{ID: crawl.TaskID(w.Ref), URL: u}, true
}

// bound takes out of another's outcome what it may not do: bring links that
// are not of this crawl, or keep a site from being visited for long.
func (s *Swarm) bound(from string, o *crawl.Outcome) {
	now := time.Now()
	kept := o.Outlinks[:0]
	for _, l := range o.Outlinks {
		if s.admits(l, now) {
			kept = append(kept, l)
		}
	}
	if len(kept) < len(o.Outlinks) {
		s.refuse(from, "links out of scope", 5)
	}
	o.Outlinks = kept
	if o.Result == crawl.Deferred {
		o.Wait = min(o.Wait, maxHold)
	}
	if o.Date.After(now) {
		o.Date = now
	}
	o.Took = min(o.Took, s.cfg.LeaseFor)
}
