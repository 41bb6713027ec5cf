package swarm

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

const (
	// offerFor is how long a domain that was offered waits for the fetcher's request.
	offerFor = 2 * time.Second
	// declinedFor is how long a domain that a fetcher declined is not offered to it.
	declinedFor = time.Hour
	// silentFor is the same for one that did not ask for it: it may refuse it, or have no room any more.
	silentFor = time.Minute
	// sumEvery is how often it is added up what other leaders lend.
	sumEvery = time.Second
	// maxWants, maxOffered and maxDeclined bound what is remembered.
	maxWants    = 1024
	maxOffered  = 8192
	maxDeclined = 4096
)

// offers bring due domains together with fetchers that want work, those of this node and others'.
type offers struct {
	s *Swarm

	mu   sync.Mutex
	busy map[crawl.Domain]time.Time // offered or leased until then

	wants  map[crawl.PeerID]*want
	no     map[refusal]time.Time
	began  map[crawl.Domain]begun // leases that the frontier is to be told of
	near   near.Book              // whom sites are near to
	summed time.Time              // when it was told last what other leaders lend
	// invited is when another fetcher was offered a domain last.
	invited time.Time
}

// begun is a lease that began.
type begun struct {
	origin string
	until  time.Time
}

// want is what a fetcher would take.
type want struct {
	slots int // so many leases more
	most  int // so many at a time
	at    near.Coordinate
	lends []near.Load
	until time.Time
}

// candidate is a fetcher that wants work.
type candidate struct {
	peer crawl.PeerID
	*want
}

type refusal struct {
	by crawl.PeerID
	d  crawl.Domain
}

func (o *offers) begin(s *Swarm) {
	*o = offers{s: s, busy: make(map[crawl.Domain]time.Time), wants: make(map[crawl.PeerID]*want),
		no: make(map[refusal]time.Time), began: make(map[crawl.Domain]begun), near: near.Book{Self: s.cfg.Self}}
}

// wanted notes how many leases a fetcher would take, where it says it is, and whom it lends to itself.
func (o *offers) wanted(by crawl.PeerID, m *wire.Ask) {
	before, known := o.wants[by]
	if !known && len(o.wants) >= maxWants {
		return
	}
	now := o.s.cfg.Now()
	w := &want{slots: min(int(m.Slots), maxOffers), most: 1, until: now.Add(WantFor)}
	w.at, _ = near.Parse(m.Place)
	if o.s.checking.ledger.Believes(now, by) { // else strangers would make everybody's share small
		w.most = max(w.slots, min(int(m.Most), maxOffers))
		for _, l := range m.Lent {
			w.lends = append(w.lends, near.Load{Key: l.Fetcher, Sites: l.Sites})
		}
	}
	o.wants[by] = w
	if !known || before.slots <= 0 { // else it was offered what is due, and will be
		o.s.Look()
	}
}

// leaveOut has a domain not offered to a fetcher for a while.
func (o *offers) leaveOut(by crawl.PeerID, d crawl.Domain, wait time.Duration) {
	now := o.s.cfg.Now()
	if len(o.no) >= maxDeclined {
		maps.DeleteFunc(o.no, func(_ refusal, until time.Time) bool { return now.After(until) })
	}
	if len(o.no) < maxDeclined {
		o.no[refusal{by, d}] = now.Add(wait)
	}
}

// due returns what may be lent now and was not offered lately, and how long it takes until there may be more.
func (o *offers) due() (due []frontier.Due, wait time.Duration, err error) {
	now := o.s.cfg.Now()
	wait = restEvery
	o.mu.Lock()
	maps.DeleteFunc(o.busy, func(_ crawl.Domain, until time.Time) bool {
		wait = min(wait, max(until.Sub(now), 0))
		return !now.Before(until)
	})
	full := len(o.busy) >= maxOffered
	o.mu.Unlock()
	if full {
		return nil, wait, nil
	}
	err = o.s.cfg.DB.View(func(tx *storage.Tx) error {
		picked, err := o.s.cfg.Frontier.Pick(tx, maxOffers, o.isBusy)
		if !picked.Next.IsZero() {
			wait = min(wait, picked.Next.Sub(now))
		}
		due = picked.Due
		return err
	})
	return due, wait, err
}

func (o *offers) isBusy(d crawl.Domain) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, busy := o.busy[d]
	return busy
}

func (o *offers) keepBusy(d crawl.Domain, until time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy[d] = until
}

func (o *offers) free(d crawl.Domain) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.busy, d)
}

// make offers domains to fetchers that want work.
func (o *offers) make(n *group.Node, due []frontier.Due) {
	o.tell(n)
	now := o.s.cfg.Now()
	maps.DeleteFunc(o.wants, func(_ crawl.PeerID, w *want) bool { return now.After(w.until) })
	if len(due) == 0 && len(o.s.checking.ledger.Sites()) == 0 {
		return // there is nothing to offer, whoever wants it
	}
	r := o.round()
	lists := make(map[crawl.PeerID][]crawl.Domain)
	for _, x := range due {
		d := x.Domain
		acts, leased := n.Acts(d)
		switch {
		case !acts: // another one will look
			o.keepBusy(d, now.Add(offerFor))
		case o.s.reports.late[d] > 0:
			o.keepBusy(d, now.Add(workEvery))
		case leased > 0: // it was given back a moment ago, or this node leads lately
			o.keepBusy(d, now.Add(min(leased, workEvery)))
		default:
			if to := r.choose(x, false); to != "" {
				lists[to] = append(lists[to], d)
				o.keepBusy(d, now.Add(offerFor))
			}
		}
	}
	for _, d := range o.s.checking.due(n) {
		if to := r.choose(frontier.Due{Domain: d}, true); to != "" && o.grant(to, d).Tasks != nil {
			lists[to] = append(lists[to], d)
			o.keepBusy(d, now.Add(offerFor))
		}
	}
	o.invite(n, lists)
}

// invite tells fetchers which domains they may ask for.
func (o *offers) invite(n *group.Node, lists map[crawl.PeerID][]crawl.Domain) {
	for _, to := range slices.Sorted(maps.Keys(lists)) {
		if to == o.s.cfg.Self {
			o.s.fetches.ask(n, to, lists[to])
			continue
		}
		n.Tell(to, offerBody(lists[to]))
		o.invited = o.s.cfg.Now()
		for _, d := range lists[to] {
			o.leaveOut(to, d, silentFor) // until it asks
		}
	}
}

// round is one look at who wants work.
type round struct {
	*offers
	all      []candidate // this node first
	capacity int         // of all together
}

func (o *offers) round() *round {
	self, own := o.s.cfg.Self, &want{slots: o.s.fetches.room(), most: o.s.fetches.capacity(), at: o.s.cfg.Here()}
	r := &round{offers: o, all: []candidate{{self, own}}, capacity: own.most}
	var lends [][]near.Load
	for _, p := range slices.Sorted(maps.Keys(o.wants)) {
		if w := o.wants[p]; p != self {
			w.slots = o.s.checking.room(p, w.slots) // what is offered in vain nobody else gets meanwhile
			r.all, r.capacity = append(r.all, candidate{p, w}), r.capacity+w.most
			lends = append(lends, w.lends)
		}
	}
	if now := o.s.cfg.Now(); now.Sub(o.summed) >= sumEvery {
		o.summed = now
		o.near.Heard(lends)
	}
	return r
}

// choose returns the fetcher that a domain is offered to: see near.Book.Choose; "" if nobody wants it. What the
// user of this node refuses it gets only if there is nobody else: it puts it off. Whoever may look at a page
// that is to be checked comes first; if check is set, nobody else comes.
func (r *round) choose(x frontier.Due, check bool) (to crawl.PeerID) {
	if !check && r.s.checking.ledger.Waits(x.Domain) {
		if to = r.choose(x, true); to != "" {
			return to
		}
	}
	can, list := r.fit(x.Domain, check)
	var i int
	if check {
		i = r.near.Nearest(x.Domain, list)
	} else {
		i = r.near.Choose(r.s.cfg.Now(), x.Domain, x.Queued, list)
	}
	if i >= 0 && can[i].peer != r.s.cfg.Self && !r.s.cfg.Lends() {
		if i = 0; can[0].peer != r.s.cfg.Self {
			return ""
		}
	}
	if i < 0 {
		return ""
	}
	can[i].slots--
	return can[i].peer
}

// fit returns those that may get a domain, this node first.
func (r *round) fit(d crawl.Domain, check bool) (can []candidate, list []near.Fetcher) {
	for _, c := range r.all {
		refuses := r.refuses(c.peer, d) && (c.peer != r.s.cfg.Self || !r.isAlone())
		if c.slots <= 0 || refuses || !r.s.checking.may(c.peer, d) || check && len(r.s.checking.tasks(c.peer, d)) == 0 {
			continue
		}
		can = append(can, c)
		list = append(list, near.Fetcher{
			Candidate: near.Candidate{Peer: c.peer, At: c.at}, Room: c.slots,
			Capacity: float64(c.most) / float64(r.capacity),
		})
	}
	return can, list
}

// isAlone reports whether no other member may act for domains.
func (o *offers) isAlone() bool {
	return !slices.ContainsFunc(o.s.cfg.Owners(), func(p crawl.PeerID) bool { return p != o.s.cfg.Self })
}

func (o *offers) refuses(p crawl.PeerID, d crawl.Domain) bool {
	until, known := o.no[refusal{p, d}]
	return known && o.s.cfg.Now().Before(until) || p == o.s.cfg.Self && o.s.cfg.Fetcher.RefusesDomain(d) != ""
}

// lendTo implements group.Config.Lend: it chooses the tasks.
func (o *offers) lendTo(to crawl.PeerID, d crawl.Domain) (body func(record.Lease) []byte) {
	if to != o.s.cfg.Self {
		delete(o.no, refusal{to, d}) // it asks
	}
	if o.s.reports.late[d] > 0 || to != o.s.cfg.Self && !o.s.cfg.Enqueues() || !o.s.checking.may(to, d) {
		return nil
	}
	l := o.grant(to, d)
	if len(l.Tasks) == 0 {
		return nil
	}
	o.s.checking.lent(to, d, o.s.cfg.Now().Add(offerFor))
	return func(r record.Lease) []byte { return o.lease(to, r, l) }
}

// grant returns the lease of a domain that a fetcher could get now; it has no tasks if none could.
func (o *offers) grant(to crawl.PeerID, d crawl.Domain) (l crawl.Lease) {
	err := o.s.cfg.DB.View(func(tx *storage.Tx) (err error) {
		l, err = o.s.cfg.Frontier.Choose(tx, d, o.s.checking.tasks(to, d)...)
		return err
	})
	if err != nil {
		return crawl.Lease{}
	}
	l.Tasks = l.Tasks[:min(len(l.Tasks), o.s.checking.size(to))]
	return l
}

// lease notes that a lease begins, and returns what goes with it.
func (o *offers) lease(to crawl.PeerID, r record.Lease, l crawl.Lease) []byte {
	end := o.s.cfg.Now().Add(record.Longer(r.Left))
	if to != o.s.cfg.Self {
		o.s.checking.lent(to, l.Domain, end)
		o.s.tell(Event{Kind: LeasesLent, Peer: string(to), Domain: l.Domain, Domains: 1})
	}
	o.began[l.Domain] = begun{l.Origin(), end.Add(r.Gap)}
	if !slices.Contains(o.s.cfg.Owners(), to) && to != o.s.cfg.Self {
		toTheHour(l.Tasks)
	}
	l.ID, l.For = r.ID, r.Left
	w := wire.LeaseOf(l)
	return wire.Encode(&w)
}

// toTheHour leaves of the dates of earlier visits what a stranger may learn: when a page was visited says who
// was at work then.
func toTheHour(tasks []crawl.Task) {
	for i, t := range tasks {
		if t.Prior != nil {
			prior := *t.Prior
			prior.Date = prior.Date.Truncate(time.Hour)
			tasks[i].Prior = &prior
		}
	}
}

// tell has the frontier know of leases that began and are not over yet.
func (o *offers) tell(n *group.Node) {
	if len(o.began) == 0 {
		return
	}
	n.Local(func(tx stream.Tx) error {
		for d, b := range o.began {
			if err := o.s.cfg.Frontier.Begun(stream.Storage(tx), d, b.origin, b.until); err != nil {
				return err
			}
		}
		clear(o.began)
		return nil
	}, func(bool) {})
}

// over notes that a lease is over. What may be visited next is looked for at once.
func (o *offers) over(by crawl.PeerID, d crawl.Domain) {
	delete(o.began, d)
	o.free(d)
	o.s.checking.lent(by, d, time.Time{})
	if by != o.s.cfg.Self {
		o.s.tell(Event{Kind: LeasesBack, Peer: string(by), Domain: d, Domains: 1})
	}
	o.s.Look()
}
