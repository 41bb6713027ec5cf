package swarm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// reportEvery is how long an outcome waits after the last message of its lease to another member: those of sites
	// that are visited without a pause share one. What waits when a member dies is fetched again.
	reportEvery = 200 * time.Millisecond
	// syncEvery is the least time between two syncs of the archive for outcomes that go to others, and about how long
	// the last ones of a fetcher that dies had no chance to leave.
	syncEvery = 100 * time.Millisecond
	// maxWaiting is how many outcomes wait to be brought home before fetchers are held up.
	maxWaiting = 4096
	// heldUp is how often a fetcher that is held up looks whether it may go on.
	heldUp = 50 * time.Millisecond
	// maxUnreported is how many outcomes of a lease wait before its fetcher pauses for up to pauseFor: what is not
	// home when a member dies is fetched again.
	maxUnreported = 4
	pauseFor      = 5 * time.Second
)

// reports are outcomes on their way to the leader of their domain. They stay here, and in the archive, until that one
// and a follower have them.
type reports struct {
	s       *Swarm
	of      map[crawl.LeaseID]*report
	late    map[crawl.Domain]int // outcomes of an earlier run: its domain is lent again when they are home
	waiting atomic.Int64         // outcomes
	synced  time.Time            // what was fetched by then is durable
	fetched chan struct{}        // something was, for another member
}

// report is what is to be told of one lease.
type report struct {
	lease    crawl.Lease
	outcomes []crawl.Outcome
	held     bool // until its leader has ended it
	over     bool
	late     bool      // an earlier run held the lease
	flying   int       // of the outcomes, those under way; -1: nothing is
	since    time.Time // when the last message was answered
	last     time.Time // when the last came
	tries    int
	room     chan struct{} // closed when few outcomes wait; nil if nobody waits for that
}

func (r *reports) begin(s *Swarm) {
	*r = reports{s: s, of: make(map[crawl.LeaseID]*report), late: make(map[crawl.Domain]int),
		fetched: make(chan struct{}, 1)}
}

// Settle implements worker.Owner. It returns a little later if many outcomes of the lease are on their way.
func (s *Swarm) Settle(ctx context.Context, o crawl.Outcome) error {
	r := &s.reports
	for r.waiting.Load() >= maxWaiting {
		select {
		case <-ctx.Done():
			return fmt.Errorf("report an outcome: %w", ctx.Err())
		case <-time.After(heldUp):
		}
	}
	r.waiting.Add(1)
	var room chan struct{}
	err := s.doWhenOpen(ctx, func(n *group.Node) error {
		x := r.report(crawl.Lease{ID: o.Lease, Domain: o.Domain, Granter: o.Granter})
		x.outcomes, x.last = append(x.outcomes, o), s.cfg.Now()
		if x.late {
			r.late[o.Domain]++
		}
		r.flush(n, x)
		if len(x.outcomes) > maxUnreported {
			if x.room == nil {
				x.room = make(chan struct{})
			}
			room = x.room
		}
		return nil
	})
	if o.Granter != "" {
		signal(r.fetched)
	}
	if room != nil {
		select {
		case <-room:
		case <-time.After(pauseFor):
		case <-ctx.Done():
		}
	}
	return err
}

// Release implements worker.Owner.
func (s *Swarm) Release(ctx context.Context, l crawl.Lease) error {
	return s.doWhenOpen(ctx, func(n *group.Node) error {
		x := s.reports.report(l)
		x.lease.CrawlDelay, x.over = l.CrawlDelay, true
		s.reports.flush(n, x)
		return nil
	})
}

// doWhenOpen runs a function on the goroutine of the Node, when that is open again: its store may have failed, as
// where a disk is full, and what was fetched is not to be lost by it.
func (s *Swarm) doWhenOpen(ctx context.Context, do func(*group.Node) error) error {
	for {
		err := s.cfg.Loop.Do(ctx, do)
		if !errors.Is(err, driver.ErrNotOpen) {
			return err
		}
		select {
		case <-time.After(heldUp):
		case <-ctx.Done():
			return err
		}
	}
}

// Waiting returns how many outcomes are on their way.
func (s *Swarm) Waiting() int { return int(s.reports.waiting.Load()) }

// report returns what is to be told of a lease. Of one that an earlier run held, nothing is known.
func (r *reports) report(l crawl.Lease) *report {
	x := r.of[l.ID]
	if x == nil {
		x = &report{lease: l, late: true, flying: -1}
		r.of[l.ID] = x
	}
	return x
}

// bringHome makes durable what was fetched, and sends what others may know of then.
func (s *Swarm) bringHome(ctx context.Context) error {
	now := s.cfg.Now()
	if err := s.cfg.Sync(); err != nil {
		return fmt.Errorf("sync the archive before outcomes leave: %w", err)
	}
	return s.cfg.Loop.Do(ctx, func(n *group.Node) error {
		s.reports.synced = now
		s.reports.repeat(n)
		return nil
	})
}

// repeat sends what waited long enough.
func (r *reports) repeat(n *group.Node) {
	for _, id := range slices.Sorted(maps.Keys(r.of)) {
		r.flush(n, r.of[id])
	}
}

// flush sends what is to be told of a lease, if it is enough to be worth a message.
func (r *reports) flush(n *group.Node, x *report) {
	local := x.lease.Granter == ""
	worth := local || !x.last.After(r.synced) && (x.over || len(x.outcomes) >= maxOutcomes/4 ||
		r.s.cfg.Now().Sub(x.since) >= reportEvery)
	// refused a moment ago, as in the middle of a handover
	again := x.tries > 0 && r.s.cfg.Now().Sub(x.since) < workEvery
	if x.flying >= 0 || !worth || again || len(x.outcomes) == 0 && !x.over {
		return
	}
	var b []byte
	var over bool
	hint := crawl.PeerID(x.lease.Granter)
	switch {
	case x.tries > 0:
		hint = "" // it may be another one by now
		fallthrough
	case !local:
		b, x.flying, over = firstReport(bodyReport, x.lease, x.outcomes, x.over)
	default:
		hint, x.flying, over = r.s.cfg.Self, min(len(x.outcomes), maxOutcomes), x.over && len(x.outcomes) <= maxOutcomes
		b = ownBody(x.lease.ID, over)
	}
	if local && n.PutHere(x.lease.Domain, b, func(stored bool) { r.told(n, x, over, stored) }) {
		return
	}
	n.Put(x.lease.Domain, b, hint, func(stored bool) { r.told(n, x, over, stored) })
}

// own returns what is under way of a lease to this member itself. Texts become what another member would get. Nobody
// changes the links: told.news copies.
func (r *reports) own(b []byte) (m reported, ok bool) {
	id, over, ok := readOwn(b)
	x := r.of[id]
	if !ok || x == nil || x.flying < 0 {
		return reported{}, false
	}
	m = reported{lease: x.lease, over: over}
	for _, o := range x.outcomes[:x.flying] {
		m.outcomes = append(m.outcomes, wire.Clean(o))
	}
	return m, true
}

// firstReport returns a bodyReport or bodyCounted with the first of some outcomes, as many as whoever reads it has room
// for, and how many these are; over says that all are, and that nothing follows.
func firstReport(k bodyKind, l crawl.Lease, outcomes []crawl.Outcome, last bool) (b []byte, count int, over bool) {
	for count = min(len(outcomes), maxOutcomes); ; count /= 2 {
		over = last && count == len(outcomes)
		if count > 1 && linkBytes(outcomes[:count]) > wire.MaxReportBytes {
			continue
		}
		// Each outcome names its URL: the leader may be another one by now.
		m := &wire.Report{Lease: l.ID, Domain: l.Domain, Over: over, CrawlDelayMs: l.CrawlDelay.Milliseconds()}
		for _, o := range outcomes[:count] {
			m.Outcomes = append(m.Outcomes, wire.OutcomeOf(o))
		}
		if b = body(k, m); len(b) <= group.MaxBody || count <= 1 {
			return b, count, over
		}
	}
}

// linkBytes returns how long the URLs of the links of outcomes are together: whoever reads them has room for so many.
func linkBytes(outcomes []crawl.Outcome) (n int) {
	for i := range outcomes {
		for _, l := range outcomes[i].Outlinks {
			n += len(l.URL.String())
		}
	}
	return n
}

// told takes the answer to a report.
func (r *reports) told(n *group.Node, x *report, over, stored bool) {
	count := x.flying
	x.flying, x.since = -1, r.s.cfg.Now()
	if !stored {
		x.tries++ // repeat sends it again
		return
	}
	x.tries = 0
	r.s.cfg.Home(x.outcomes[:count])
	x.outcomes = slices.Clone(x.outcomes[count:])
	r.waiting.Add(int64(-count))
	if x.room != nil && len(x.outcomes) <= maxUnreported {
		close(x.room)
		x.room = nil
	}
	if x.late {
		if r.late[x.lease.Domain] -= count; r.late[x.lease.Domain] <= 0 {
			delete(r.late, x.lease.Domain)
		}
	}
	if over {
		if x.lease.Granter != "" {
			r.s.tell(Event{Kind: LeasesBrought, Peer: x.lease.Granter, Domain: x.lease.Domain, Domains: 1})
		}
		delete(r.of, x.lease.ID)
		if x.held {
			r.s.fetches.count.Add(-1)
			r.s.Look()
		}
		return
	}
	if !x.held && len(x.outcomes) == 0 && !x.over {
		delete(r.of, x.lease.ID) // an earlier run fetched that
		return
	}
	r.flush(n, x)
}
