package swarm

import (
	"errors"
	"time"

	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/app/swarm/slots"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// take implements group.Config.Take: outcomes and links become items.
func (s *Swarm) take(from group.Sender, d crawl.Domain, b []byte) (makes []stream.Make, ends crawl.LeaseID, ok bool) {
	if !s.index.Ready(d) {
		return nil, 0, false
	}
	if from.ID != s.cfg.Self {
		s.taken.Add(1)
	}
	switch kind, b := split(b); {
	case kind == bodyReport:
		if r, ok := readReport(d, b, s.cfg.Admits); ok {
			makes, ends = s.takeReport(from, r)
		}
		return makes, ends, true
	case kind == bodyLinks:
		if from.ID != s.cfg.Self && !s.cfg.Enqueues() {
			return nil, 0, false
		}
		return s.takeLinks(from.ID, d, b), 0, true
	case from.ID != s.cfg.Self:
		return nil, 0, kind != bodyOwn
	case kind == bodyOwn:
		r, ok := s.reports.own(b)
		if ok {
			makes, ends = s.takeReport(from, r)
		}
		return makes, ends, ok
	case kind == bodyGone:
		if sent, ok := readDelivered(b); ok {
			return []stream.Make{s.items(d, func(tx *storage.Tx) ([]frontier.Item, error) {
				return s.cfg.Frontier.Delivered(tx, d, sent)
			})}, 0, true
		}
	case kind == bodyCounted:
		if r, ok := readReport(d, b, s.cfg.Admits); ok {
			return s.settle(d, from.ID, r.outcomes, make([]checks.Action, len(r.outcomes)), nil), 0, true
		}
	case kind == bodyJudged:
		return []stream.Make{s.checking.takeJudged(d, b)}, 0, true
	}
	return nil, 0, true
}

// takeReport settles outcomes, and returns the lease that is over with them. Those that come late, while
// another fetcher holds the domain, count if they are believed: it may have been lent other pages.
func (s *Swarm) takeReport(from group.Sender, r reported) (makes []stream.Make, ends crawl.LeaseID) {
	d := r.lease.Domain
	if from.Other && !from.Holds && !s.checking.ledger.Believes(s.cfg.Now(), from.ID) {
		return nil, 0
	}
	for i := range r.outcomes {
		o := &r.outcomes[i]
		if !from.Holds {
			o.Lease = 0 // it is late, and moves no clock
		}
		if o.Result == crawl.Declined {
			s.offers.leaveOut(from.ID, d, declinedFor)
		}
		if from.Holds {
			s.offers.connected(from.ID, d, o)
		}
	}
	do, made := s.checking.report(from.ID, r.outcomes)
	makes = s.settle(d, from.ID, r.outcomes, do, made)
	s.tellPages(from, d, r.outcomes)
	if r.over && from.Holds {
		s.offers.over(from.ID, d)
		ends = r.lease.ID
		makes = append(makes, s.items(d, func(tx *storage.Tx) ([]frontier.Item, error) {
			return nil, s.cfg.Frontier.Ended(tx, d, r.lease.CrawlDelay)
		}))
	}
	return makes, ends
}

// settle makes items of outcomes, as far as they are to be believed. Some are checks, by URL: what differs
// takes the place of what was known, and what a check settles is not the first one's work any more.
func (s *Swarm) settle(
	d crawl.Domain, by crawl.PeerID, outcomes []crawl.Outcome, do []checks.Action, made map[string]checks.Checked,
) (makes []stream.Make) {
	for i, o := range outcomes {
		if o.Result == crawl.Declined || do[i] == checks.Ignore {
			continue
		}
		if do[i] == checks.Hold {
			o.Lease, o.Outlinks = 0, nil
		}
		check := made[o.Task.URL.String()]
		if check.Differs && o.Result.Final() {
			makes = append(makes, s.items(d, func(tx *storage.Tx) ([]frontier.Item, error) {
				return s.cfg.Frontier.Undo(tx, d, store.URLKey(o.Task.URL))
			}))
		}
		makes = append(makes, s.items(d, func(tx *storage.Tx) ([]frontier.Item, error) {
			o.Outlinks = s.links.told.news(d, o.Outlinks)
			items, applied, err := s.cfg.Frontier.Settle(tx, o, do[i] == checks.Count, s.here(tx, d))
			s.found.Add(applied)
			if err != nil || !applied.Settled {
				return items, err
			}
			if applied.Here+applied.Elsewhere > 0 {
				s.links.told.add(s.cfg.Now(), d, o.Outlinks)
			}
			if check.Of != "" && o.Result.Final() {
				err = s.checking.unnote(tx, check.Of, o.Task.URL)
			}
			if by != s.cfg.Self && err == nil {
				err = s.checking.note(tx, by, o.Task.URL)
			}
			return items, err
		}))
	}
	return makes
}

// tellPages tells of pages that a fetcher elsewhere fetched.
func (s *Swarm) tellPages(from group.Sender, d crawl.Domain, outcomes []crawl.Outcome) {
	count := 0
	for _, o := range outcomes {
		if o.Result == crawl.Fetched {
			count++
		}
	}
	if from.ID != s.cfg.Self && count > 0 {
		s.tell(Event{Kind: PagesTaken, Peer: string(from.ID), Domain: d, Count: count, All: []crawl.Domain{d}})
	}
}

// takeLinks takes in links that pages of other domains have.
func (s *Swarm) takeLinks(from crawl.PeerID, d crawl.Domain, b []byte) (makes []stream.Make) {
	links, found, ok := readLinks(d, b, s.cfg.Admits)
	if !ok || len(links) == 0 {
		return nil
	}
	if from != s.cfg.Self {
		s.tell(Event{Kind: LinksTaken, Peer: string(from), Domain: d, Count: len(links)})
	}
	return []stream.Make{s.items(d, func(tx *storage.Tx) ([]frontier.Item, error) {
		items, applied, err := s.cfg.Frontier.Enqueue(tx, d, links, found)
		s.found.Add(applied)
		return items, err
	})}
}

// items lets the frontier make items in the transaction of the streams. It looks for work when that is done.
func (s *Swarm) items(d crawl.Domain, do func(*storage.Tx) ([]frontier.Item, error)) stream.Make {
	return func(tx stream.Tx) ([]stream.Item, error) {
		// Since take looked, this transaction may have merged items of a domain that nothing was known of. What was
		// taken counts as stored, so its index is completed here: no more than one transaction brought.
		for led := false; !led; {
			var err error
			if led, err = s.cfg.Frontier.Led(stream.Storage(tx), d); errors.Is(err, frontier.ErrDomain) {
				return nil, nil
			} else if err != nil {
				return nil, err
			}
		}
		items, err := do(stream.Storage(tx))
		if len(items) > 0 { // links that are brought again, and known, are no reason to look at once
			stream.Storage(tx).OnCommit(s.Look) // not before: a look reads what is committed
		}
		return items, err
	}
}

// here returns which domains are of the shard of one, and have indexes: links to them are taken in with their pages.
func (s *Swarm) here(tx *storage.Tx, d crawl.Domain) func(crawl.Domain) bool {
	in, acts := s.node.ActsIn(d)
	return func(to crawl.Domain) bool {
		its, too := s.node.ActsIn(to)
		ready, err := s.cfg.Frontier.Ready(tx, to)
		return acts && too && its == in && ready && err == nil
	}
}

// gap implements group.Config.Gap.
func (s *Swarm) gap(d crawl.Domain) (gap time.Duration) {
	err := s.cfg.DB.View(func(tx *storage.Tx) (err error) {
		gap, err = s.cfg.Frontier.Gap(tx, d)
		return err
	})
	if err != nil {
		return crawl.MaxWait
	}
	return gap
}

// told implements group.Config.Told.
func (s *Swarm) told(from crawl.PeerID, b []byte) {
	if len(b) > 0 && slots.Mine(b[0]) {
		s.cfg.Loop.DoSoon(func(n *group.Node) { s.slots.Heard(n, from, b) })
		return
	}
	switch kind, b := split(b); kind {
	case bodyWant:
		if m, err := wire.Decode[wire.Ask](b); err == nil {
			s.offers.wanted(from, &m)
		}
	case bodyOffer:
		if domains, ok := readOffer(b); ok && len(s.fetches.come) < maxOffers {
			s.fetches.come = append(s.fetches.come, offered{from, domains}) // it is within the Node now
			s.Look()
		}
	}
}

// Items reads items for the frontier.
type Items struct{}

// Get implements store.Reader.
func (Items) Get(tx *storage.Tx, d crawl.Domain, key string) []byte {
	return stream.Get(stream.FromStorage(tx), d, key)
}

// Scan implements store.Reader.
func (Items) Scan(tx *storage.Tx, d crawl.Domain, from string, visit func(key string, value []byte) bool) error {
	return stream.Scan(stream.FromStorage(tx), d, from, visit)
}
