package swarm

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// askOwners is how many owners a fetcher without enough work asks by itself:
	// its neighbours on the ring, which are as many wishes as an owner hears, askMore
	// of those that have said that their domains wait, and askMore taken by chance, so
	// that work which piles up somewhere is found.
	askOwners = 8
	askMore   = 4
	// askEvery is how often a wish for work is renewed.
	askEvery = 50 * time.Second
	// noRoomFor is how long an owner need not offer again to who has no room.
	noRoomFor = 10 * time.Second
	// askLook is how often it is looked whether there is room for work.
	askLook = time.Second
	// calmLook is the same while nobody has offered any.
	calmLook = 2 * time.Second
	// stillLook is the same where there can be none.
	stillLook = 10 * time.Second
	// maxAsks bounds the owners that are remembered, maxAsking those asked at a
	// time because they offer.
	maxAsks   = 1024
	maxAsking = 2 * askOwners
	// emptyWait is how long an owner is not asked whose offer came to nothing, twice
	// as long each time, up to emptyMost.
	emptyWait = 100 * time.Millisecond
	emptyMost = 10 * time.Second
	// maxGivenBack bounds the leases that wait to be given back to one owner; those
	// beyond lapse.
	maxGivenBack = 1024
)

// asker asks owners for leases when this node has room for work.
type asker struct {
	s    *Swarm
	wake chan struct{}

	mu     sync.Mutex
	owners map[string]*askState
	held   map[crawl.Domain]heldLease
	// strays are the owners from further off, and since when.
	strays  []string
	strayed time.Time
}

// askState is what is known of an owner that was or is to be asked.
type askState struct {
	asked   time.Time // when last
	notYet  time.Time
	retry   backoff
	offered bool // it has work
	asking  bool
	empty   int // offers in a row that came to nothing
}

type heldLease struct {
	granter string
	id      crawl.LeaseID
}

func newAsker(s *Swarm) *asker {
	return &asker{s: s, wake: make(chan struct{}, 1), owners: make(map[string]*askState), held: make(map[crawl.Domain]heldLease)}
}

// Serve asks for work until ctx is done.
func (a *asker) Serve(ctx context.Context) error {
	var asks sync.WaitGroup
	defer asks.Wait()
	for {
		look := time.NewTimer(a.every())
		select {
		case <-ctx.Done():
			look.Stop()
			return ctx.Err()
		case <-a.wake:
			look.Stop()
		case <-look.C:
		}
		if !a.s.open.Load() || a.s.leaving.Load() {
			continue
		}
		a.s.announce(ctx)
		want := a.room()
		if want <= 0 {
			continue
		}
		for _, owner := range a.next() {
			asks.Go(func() { a.ask(ctx, owner) })
		}
	}
}

// every returns how long to wait for the next look: Look wakes a node that stands still when it may work.
func (a *asker) every() time.Duration {
	if a.s.slow() {
		return pulse.Within(stillLook)
	}
	if a.isCalm() {
		return pulse.Within(calmLook)
	}
	return askLook
}

// isCalm reports whether nothing is fetched for others, and nobody has offered anything or is being asked.
func (a *asker) isCalm() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.held) > 0 {
		return false
	}
	for _, o := range a.owners {
		if o.asking || o.offered {
			return false
		}
	}
	return true
}

// room returns how many leases of others this node would take: none while its own
// domains wait. Their next fetcher would read robots.txt anew.
func (a *asker) room() int {
	if a.s.cfg.Router.Due() > 0 {
		return 0
	}
	return a.s.cfg.Fetcher.Want()
}

// next returns the owners to ask now.
func (a *asker) next() (list []string) {
	now := a.s.now()
	near := a.s.net.Neighbours(askOwners)
	if now.Sub(a.strayed) >= askEvery {
		a.strayed = now
		a.strays = append(a.s.net.Announced(askMore), a.s.net.Others(askMore)...)
	}
	near = append(append(slices.Clone(near), a.strays...), a.firstOwners()...)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range near {
		a.of(p)
	}
	asking := 0
	for _, o := range a.owners {
		if o.asking {
			asking++
		}
	}
	for p, o := range a.owners {
		switch {
		case asking >= maxAsking:
			return list
		case o.asking || now.Before(o.notYet):
		case o.offered, contains(near, p) && now.Sub(o.asked) >= askEvery:
			o.asking, o.offered, o.asked = true, false, now
			list = append(list, p)
			asking++
		case now.Sub(o.asked) > time.Hour && !contains(near, p):
			delete(a.owners, p)
		}
	}
	return list
}

// firstOwners returns the other members that own domains which go before others.
func (a *asker) firstOwners() (list []string) {
	if a.s.cfg.First == nil {
		return nil
	}
	for _, d := range a.s.cfg.First() {
		if owner, ok := a.s.net.Owner(d); ok && owner != a.s.net.Self() && owner != a.s.net.Here() {
			list = append(list, owner)
		}
	}
	return list
}

func (a *asker) of(p string) *askState {
	o := a.owners[p]
	if o == nil {
		o = new(askState)
		if len(a.owners) < maxAsks {
			a.owners[p] = o
		}
	}
	return o
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// ask asks one owner, as often as it has work and there is room for it.
func (a *asker) ask(ctx context.Context, owner string) {
	var err error
	more, got := true, 0
	for ctx.Err() == nil && more {
		want := a.room()
		if want <= 0 {
			break
		}
		var taken int
		taken, more, err = a.askOnce(ctx, owner, want)
		got += taken
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.of(owner)
	o.asking = false
	if got > 0 {
		o.empty = 0
	}
	if err != nil {
		o.notYet = a.s.now().Add(o.retry.next(err))
		return
	}
	o.retry.reset()
	if got == 0 && a.room() > 0 {
		o.notYet = a.s.now().Add(spread(min(emptyWait<<min(o.empty, 16), emptyMost)))
		o.empty++
	}
	if o.offered {
		signal(a.wake)
	}
	if more { // it has work for when there is room again
		o.offered = true
	}
}

// askOnce returns how many leases came, and whether asking again would bring more.
func (a *asker) askOnce(ctx context.Context, owner string, want int) (got int, more bool, err error) {
	asked := a.s.now() // a lease counts from before it was asked for
	grants, err := call[wire.Grants](ctx, a.s, owner, wire.KindAsk, &wire.Ask{Slots: uint16(min(want, 1<<15))})
	if err != nil {
		return 0, false, err
	}
	if len(grants.Leases) > want {
		a.s.refuse(owner, "more leases than asked for", 5)
		grants.Leases = grants.Leases[:want] // the others lapse
	}
	var taken []crawl.Lease
	for i := range grants.Leases {
		if l, ok := a.accept(owner, &grants.Leases[i]); ok {
			taken = append(taken, l)
		}
	}
	if len(taken) == 0 {
		return 0, false, nil
	}
	if err := a.s.cfg.Keep(taken); err != nil { // no page is fetched that a crash would lose
		for _, l := range taken {
			a.over(l)
			a.giveBack(l)
		}
		return 0, false, err
	}
	for _, l := range taken {
		a.s.cfg.Fetcher.Take(l, asked)
	}
	a.s.tell(Event{Kind: LeasesHeld, Peer: owner, Domain: taken[0].Domain, Domains: len(taken), Count: taskCount(taken)})
	return len(taken), len(taken) == len(grants.Leases) && grants.Due > 0, nil
}

// accept checks a lease that another node granted. Nothing that it says leads
// out of the scope or to two crawlers at one site.
func (a *asker) accept(owner string, w *wire.Lease) (crawl.Lease, bool) {
	l, err := w.Lease()
	if err != nil {
		a.s.refuse(owner, "lease", 20)
		return l, false
	}
	l.Granter = owner
	if l.For > a.s.cfg.LeaseFor {
		l.For = a.s.cfg.LeaseFor
	}
	if of, ok := a.s.net.Owner(l.Domain); ok && of != owner {
		if !a.s.mayOwn(owner, l.Domain) {
			a.s.refuse(owner, "lease of a domain of others", 2)
		}
		return l, a.giveBack(l) // its owner may lease it too
	}
	unwanted := a.s.cfg.Refuses != nil && a.s.cfg.Refuses(l.Domain) != ""
	for _, t := range l.Tasks {
		if a.s.lies(t.URL) {
			a.s.refuse(owner, "lease out of scope", 10)
			return l, a.giveBack(l)
		}
		unwanted = unwanted || !a.s.admits(crawl.Outlink{URL: t.URL, Depth: t.Depth, Source: t.Source}, time.Now())
	}
	if unwanted {
		if a.s.returns.waitingFor(owner) < maxGivenBack {
			a.s.returns.decline(l)
		}
		return l, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if other, is := a.held[l.Domain]; is {
		a.s.log.Debug("Lease refused: the domain is leased from another owner", "domain", l.Domain, "from", peerName(other.granter))
		return l, a.giveBack(l)
	}
	a.held[l.Domain] = heldLease{owner, l.ID}
	return l, true
}

// giveBack returns a lease that is not worked, and false.
func (a *asker) giveBack(l crawl.Lease) bool {
	if a.s.returns.waitingFor(l.Granter) < maxGivenBack {
		a.s.returns.Release(l)
	}
	return false
}

// over forgets a lease that goes home.
func (a *asker) over(l crawl.Lease) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held[l.Domain] == (heldLease{l.Granter, l.ID}) {
		delete(a.held, l.Domain)
	}
}

// Held returns the domains that are fetched for others, and for whom.
func (s *Swarm) Held() map[crawl.Domain]string {
	s.asker.mu.Lock()
	defer s.asker.mu.Unlock()
	m := make(map[crawl.Domain]string, len(s.asker.held))
	for d, h := range s.asker.held {
		m[d] = h.granter
	}
	return m
}

// handleOffer hears that an owner has work.
func (s *Swarm) handleOffer(_ context.Context, from string, body []byte) ([]byte, error) {
	if _, err := wire.Decode[wire.Offer](body); err != nil {
		return nil, lie("offer", 20)
	}
	s.asker.mu.Lock()
	o := s.asker.of(from)
	if o.offered = true; o.retry.wait > 0 { // it could not be reached; now it, or who acts for it, can
		o.retry.reset()
		o.notYet = time.Time{}
	}
	s.asker.mu.Unlock()
	signal(s.asker.wake)
	if s.asker.room() <= 0 {
		return nil, busy(noRoomFor) // it is asked when there is room
	}
	return wire.Encode(&wire.Done{}), nil
}

// handleRecall gives leases back whose domains are to move.
func (s *Swarm) handleRecall(_ context.Context, from string, body []byte) ([]byte, error) {
	r, err := wire.Decode[wire.Recall](body)
	if err != nil {
		return nil, lie("recall", 20)
	}
	for _, id := range r.Leases {
		s.cfg.Fetcher.Recall(from, id)
		if from == s.net.Self() { // who acts for this node knows nothing of its own name for that
			s.cfg.Fetcher.Recall("", id)
		}
	}
	s.returns.hurry(from)
	return wire.Encode(&wire.Done{}), nil
}
