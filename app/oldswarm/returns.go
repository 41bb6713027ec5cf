package swarm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// maxReturning bounds the outcomes that wait to be sent, all granters
	// together; a fetcher that has more waits. maxReturningBytes does so for
	// the URLs of their links.
	maxReturning      = 4096
	maxReturningBytes = 16 << 20
	// returnEvery is how long an outcome waits for others of its lease.
	returnEvery = 30 * time.Second
	// returnAt is how many outcomes, and how many bytes of links, are sent
	// without waiting.
	returnAt      = 64
	returnAtBytes = 48 << 10
	// giveUpAfter is how long an owner that does not answer is tried. Its
	// leases are over by then, and others will fetch their tasks again.
	giveUpAfter = 10 * time.Minute
	// maxMoves is how often a report follows its domain.
	maxMoves = 5
)

// returns brings outcomes home to who granted their lease: all of a lease
// together, or after a while.
type returns struct {
	s    *Swarm
	wake chan struct{}

	mu    sync.Mutex
	piles map[string]*pile // by granter
	count int
	bytes int
	freed chan struct{} // closed when some were sent
}

// pile is what waits for one granter.
type pile struct {
	leases  map[heldLease]*leaseReturn
	order   []heldLease
	count   int
	bytes   int
	due     bool // something of it shall not wait
	since   time.Time
	sending bool
	sent    []*leaseReturn // in the report under way
	asked   bool           // for, while that was under way
	notYet  time.Time      // it was busy, or could not be reached
	retry   backoff
}

// leaseReturn is what became of one lease since it was last told.
type leaseReturn struct {
	heldLease  // who granted it, wherever its domain is now
	domain     crawl.Domain
	outcomes   []crawl.Outcome
	slots      []wire.SlotUse // given back
	over       bool
	crawlDelay time.Duration
	since      time.Time
	moves      int
}

func newReturns(s *Swarm) *returns {
	return &returns{s: s, wake: make(chan struct{}, 1), piles: make(map[string]*pile), freed: make(chan struct{})}
}

// Settle takes an outcome of a lease that another node granted. It waits while
// too many are on their way.
func (r *returns) Settle(ctx context.Context, o crawl.Outcome) error {
	size := r.trim(&o)
	for {
		r.mu.Lock()
		if r.hasRoom(size, 1) {
			break
		}
		freed := r.freed
		r.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer r.mu.Unlock()
	r.add(o, size)
	return nil
}

// SettleAtStart is Settle for what is recovered before anything can be brought home: it does not wait, has more room, and
// reports false if that is full. The outcome's links stay as they are.
func (r *returns) SettleAtStart(o crawl.Outcome) bool {
	o.Outlinks = slices.Clone(o.Outlinks)
	size := r.trim(&o)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.hasRoom(size, roomAtStart) {
		return false
	}
	r.add(o, size)
	return true
}

// roomAtStart is how many times as much may be recovered as may be on its way: what was, and what waited for room beside it.
const roomAtStart = 4

// trim drops the links of an outcome that their owners have, in place, and returns the bytes of what is left.
func (r *returns) trim(o *crawl.Outcome) (size int) {
	kept := o.Outlinks[:0]
	// A page that is lent again although it was told of was told of too late: nobody has its links.
	again := o.Task.Prior == nil && r.s.acked.has(linkHash("", o.Task.URL.String()))
	for _, l := range o.Outlinks {
		if !again && l.Modified.IsZero() && r.s.acked.has(linkHash(o.Domain, l.URL.String())) {
			continue
		}
		kept = append(kept, l)
		size += len(l.URL.String())
	}
	o.Outlinks = kept
	return size
}

// hasRoom reports whether an outcome may be on its way, too, given so many times the usual room. r.mu is held.
func (r *returns) hasRoom(size, times int) bool {
	return r.count == 0 || r.count < times*maxReturning && r.bytes+size <= times*maxReturningBytes
}

// add puts an outcome on its pile. r.mu is held.
func (r *returns) add(o crawl.Outcome, size int) {
	p, l := r.find(o.Granter, heldLease{o.Granter, o.Lease}, o.Domain)
	l.outcomes = append(l.outcomes, o)
	p.count++
	p.bytes += size
	r.count++
	r.bytes += size
	if p.count >= returnAt || p.bytes >= returnAtBytes {
		p.due = true
		signal(r.wake)
	}
}

// Release gives a lease back that another node granted.
func (r *returns) Release(l crawl.Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, x := r.find(l.Granter, heldLease{l.Granter, l.ID}, l.Domain)
	x.over, x.crawlDelay = true, l.CrawlDelay
	p.due = true
	signal(r.wake)
}

// freeSlot gives a slot back, with its lease.
func (r *returns) freeSlot(l crawl.Lease, granter string, u wire.SlotUse) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, x := r.find(granter, heldLease{granter, l.ID}, l.Domain)
	if len(x.slots) < wire.MaxSlots {
		x.slots = append(x.slots, u)
	}
}

// find returns the pile for a peer, and what it holds of a lease.
func (r *returns) find(to string, name heldLease, d crawl.Domain) (*pile, *leaseReturn) {
	p := r.piles[to]
	if p == nil {
		p = &pile{leases: make(map[heldLease]*leaseReturn), since: r.s.now()}
		r.piles[to] = p
	}
	l := p.leases[name]
	if l == nil {
		l = &leaseReturn{heldLease: name, domain: d, since: r.s.now()}
		p.leases[name] = l
		p.order = append(p.order, name)
	}
	return p, l
}

// Waiting returns how many leases wait to be told of.
func (r *returns) Waiting() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.piles {
		n += len(p.leases) + len(p.sent)
	}
	return n
}

// waitingFor returns how many of them are to be told to one peer.
func (r *returns) waitingFor(peer string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.piles[peer]; p != nil {
		return len(p.leases)
	}
	return 0
}

// has reports whether something of a lease waits to be told, or is being told.
func (r *returns) has(name heldLease) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.piles[name.granter]
	if p == nil {
		return false
	}
	return p.leases[name] != nil || slices.ContainsFunc(p.sent, func(l *leaseReturn) bool { return l.heldLease == name })
}

// hurry sends at once what waits for a granter: it asks for it.
func (r *returns) hurry(granter string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.piles[granter]; p != nil {
		p.due, p.asked, p.notYet = true, p.sending, time.Time{}
		p.retry.reset()
		signal(r.wake)
	}
}

// Serve sends what waits until ctx is done.
func (r *returns) Serve(ctx context.Context) error {
	var sends sync.WaitGroup
	defer sends.Wait()
	for {
		wait := r.start(ctx, &sends)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-r.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// start begins to send to every granter for whom something is due, and returns
// when to look again.
func (r *returns) start(ctx context.Context, sends *sync.WaitGroup) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, wait := r.s.now(), returnEvery
	for granter, p := range r.piles {
		if p.sending {
			continue
		}
		if len(p.leases) == 0 {
			delete(r.piles, granter)
			continue
		}
		at := p.since.Add(returnEvery)
		if p.due {
			at = now
		}
		if p.notYet.After(at) {
			at = p.notYet
		}
		if left := at.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		p.sending = true
		batch := p.take()
		p.sent = batch
		sends.Go(func() { r.send(ctx, granter, batch) })
	}
	return wait
}

// take takes at most a message's worth of leases off a pile.
func (p *pile) take() (batch []*leaseReturn) {
	size := 0
	for len(p.order) > 0 && len(batch) < wire.MaxLeases && size < maxReportBytes {
		l := p.leases[p.order[0]]
		n := 0
		for n < len(l.outcomes) && size < maxReportBytes && n < wire.MaxTasks {
			size += sizeOf(l.outcomes[n])
			n++
		}
		if n < len(l.outcomes) { // the rest goes with the next
			part := *l
			part.outcomes, part.slots, part.over = l.outcomes[:n:n], nil, false
			l.outcomes = l.outcomes[n:]
			return append(batch, &part)
		}
		delete(p.leases, p.order[0])
		p.order = p.order[1:]
		batch = append(batch, l)
	}
	p.due = len(p.order) > 0 && p.due
	return batch
}

// maxReportBytes is where a report is full. One outcome may go beyond it: a page
// can have a megabyte of links.
const maxReportBytes = 256 << 10

// sizeOf returns about what an outcome takes on the wire, before compression.
func sizeOf(o crawl.Outcome) int {
	n := 200
	for _, l := range o.Outlinks {
		n += len(l.URL.String())
	}
	return n
}

// send sends a batch, and puts back what did not get through.
func (r *returns) send(ctx context.Context, granter string, batch []*leaseReturn) {
	report := wire.Report{Leases: make([]wire.LeaseReport, len(batch))}
	titles := make(map[crawl.Domain]uint8) // those in this report, by the depth of their page
	for i, l := range batch {
		w := wire.LeaseReport{Lease: l.id, Domain: l.domain, Over: l.over, CrawlDelayMs: l.crawlDelay.Milliseconds()}
		if w.Moved = l.moves > 0; !w.Moved {
			w.Slots = l.slots
		}
		w.Renew = !l.over && !w.Moved && len(l.outcomes) > 0 // it is at work, and not done
		for _, o := range l.outcomes {
			x := wire.OutcomeOf(o, func(crawl.Outlink) bool { return true })
			if w.Moved {
				x.URL = o.Task.URL.String()
			}
			if depth, is := titles[l.domain]; is && depth <= o.Task.Depth || r.s.acked.hasTitle(l.domain, o.Task.Depth) {
				x.Title = ""
			} else if x.Title != "" {
				titles[l.domain] = o.Task.Depth
			}
			w.Outcomes = append(w.Outcomes, x)
		}
		report.Leases[i] = w
	}
	asked := r.s.now()
	var answer wire.Reported
	err := r.s.cfg.Sync()
	if err == nil {
		answer, err = call[wire.Reported](ctx, r.s, granter, wire.KindReport, &report)
	}
	if err != nil {
		r.failed(ctx, granter, batch, err)
	} else {
		for _, id := range answer.Renewed {
			r.s.cfg.Fetcher.Extend(granter, id, asked)
		}
		r.delivered(granter, batch, answer)
	}
}

// delivered notes what the granter, or its heir, has for good.
func (r *returns) delivered(granter string, batch []*leaseReturn, answer wire.Reported) {
	r.mu.Lock()
	p := r.piles[granter]
	p.sending, p.sent = false, nil
	p.retry.reset()
	p.asked, p.notYet = false, time.Time{}
	moved := make(map[crawl.Domain]string, len(answer.Moved))
	for _, m := range answer.Moved {
		moved[m.Domain] = m.To
	}
	var told []crawl.Outcome
	var over []crawl.Lease
	brought := Event{Kind: LeasesBrought, Peer: granter}
	for _, l := range batch {
		to, elsewhere := moved[l.domain]
		if elsewhere && r.follow(granter, to, l) {
			continue
		}
		told = append(told, l.outcomes...) // or nobody will ever take them
		if l.over {
			over = append(over, crawl.Lease{ID: l.id, Granter: l.granter})
			if !elsewhere { // or nobody took it
				brought.Domain = l.domain
				brought.Domains++
			}
		}
		if !elsewhere && l.moves == 0 {
			r.acked(l)
		}
		r.done(p, l)
	}
	p.since = r.s.now()
	r.free()
	r.mu.Unlock()
	r.s.told(told, over)
	if brought.Domains > 0 {
		r.s.tell(brought)
	}
	signal(r.wake)
}

// acked remembers the links of a lease that was told of: their owner has them.
func (r *returns) acked(l *leaseReturn) {
	for _, o := range l.outcomes {
		if o.Result == crawl.Fetched {
			r.s.acked.add(linkHash("", o.Task.URL.String()))
		}
		for _, link := range o.Outlinks {
			r.s.acked.add(linkHash(o.Domain, link.URL.String()))
		}
		if o.Title != "" {
			r.s.acked.addTitle(o.Domain, o.Task.Depth)
		}
	}
}

// done forgets a lease.
func (r *returns) done(p *pile, l *leaseReturn) {
	for _, o := range l.outcomes {
		size := 0
		for _, link := range o.Outlinks {
			size += len(link.URL.String())
		}
		p.count--
		p.bytes -= size
		r.count--
		r.bytes -= size
	}
}

func (r *returns) free() {
	close(r.freed)
	r.freed = make(chan struct{})
}

// follow puts a lease into the pile of its domain's new owner; false means
// that it has gone far enough.
func (r *returns) follow(granter, to string, l *leaseReturn) bool {
	if to == "" || to == granter {
		to, _ = r.s.net.Owner(l.domain)
	}
	if l.moves++; l.moves > maxMoves || to == "" || to == granter {
		return false
	}
	from := r.piles[granter]
	p, x := r.find(to, l.heldLease, l.domain)
	x.outcomes, x.over, x.crawlDelay, x.moves, x.since = append(x.outcomes, l.outcomes...), x.over || l.over, l.crawlDelay, l.moves, l.since
	for _, o := range l.outcomes {
		size := 0
		for _, link := range o.Outlinks {
			size += len(link.URL.String())
		}
		from.count--
		from.bytes -= size
		p.count++
		p.bytes += size
	}
	p.due = true
	return true
}

// failed puts a batch back, or gives up what is too old.
func (r *returns) failed(ctx context.Context, granter string, batch []*leaseReturn, err error) {
	now := r.s.now()
	// Who is merely busy may have the domain still, and wait for this lease before it hands it over:
	// the new owner could make nothing of it. Who has left has nothing any more, but if somebody still speaks for it, that
	// one knows best where the domain went.
	left := r.s.net.Left(granter) && (errors.Is(err, errNoLeader) || isNoAnswer(err))
	gone := left || r.s.lostLogs.is(granter, err)
	r.mu.Lock()
	p := r.piles[granter]
	p.sending, p.sent = false, nil
	if p.notYet = now.Add(p.retry.next(err)); p.asked {
		p.asked, p.notYet = false, time.Time{} // it went to who is not there any more
	}
	var lost []crawl.Outcome
	var over []crawl.Lease
	kept := make([]heldLease, 0, len(batch)+len(p.order))
	for _, l := range batch {
		if owner, ok := r.s.net.Owner(l.domain); gone && ok && owner != granter && r.follow(granter, owner, l) {
			continue // whoever has its domains now may want them
		}
		if now.Sub(l.since) > giveUpAfter || isRefused(err) {
			lost = append(lost, l.outcomes...)
			over = append(over, crawl.Lease{ID: l.id, Granter: l.granter})
			r.done(p, l)
			continue
		}
		if later := p.leases[l.heldLease]; later != nil { // more of it came meanwhile, or did not fit
			l.outcomes, l.over, l.crawlDelay = append(l.outcomes, later.outcomes...), l.over || later.over, max(l.crawlDelay, later.crawlDelay)
			l.slots = append(l.slots, later.slots...)
			l.slots = l.slots[:min(len(l.slots), wire.MaxSlots)]
			p.order = remove(p.order, l.heldLease)
		}
		p.leases[l.heldLease] = l
		kept = append(kept, l.heldLease)
	}
	p.order = append(kept, p.order...)
	p.due = true
	r.free()
	r.mu.Unlock()
	if len(over) > 0 {
		r.s.lost(lost)
		r.s.told(nil, over)
	}
	signal(r.wake) // to look at when to try again
	if ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		r.s.log.Debug("Outcomes not delivered", "to", peerName(granter), "leases", len(batch), "error", err)
	}
}

func remove(list []heldLease, name heldLease) []heldLease {
	return slices.DeleteFunc(list, func(x heldLease) bool { return x == name })
}

// decline gives a lease back whose domain the user of this node does not want
// visited, or that is not of this node's crawl.
func (r *returns) decline(l crawl.Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, x := r.find(l.Granter, heldLease{l.Granter, l.ID}, l.Domain)
	x.outcomes = append(x.outcomes, crawl.Outcome{
		Lease: l.ID, Domain: l.Domain, Granter: l.Granter, Task: l.Tasks[0], Result: crawl.Declined, Date: time.Now(),
	})
	x.over = true
	p.count++
	r.count++
	p.due = true
	signal(r.wake)
}
