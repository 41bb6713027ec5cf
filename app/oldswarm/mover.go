package swarm

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// moveEvery is how often it is looked, unasked, whether domains of this node
	// belong to others.
	moveEvery = 30 * time.Second
	// moveRetry is the wait after a move did not come to its end.
	moveRetry = 2 * time.Second
	// maxMoving is how many members domains are moved to at a time.
	maxMoving = 4
	// moveFor is how long a move is carried before others have their turn; it goes
	// on later.
	moveFor = 5 * time.Minute
	// leaseLook is how often it is looked whether a recalled lease came home.
	leaseLook = 100 * time.Millisecond
	// longBusy is from when a member that is busy takes no domains for now: its disk is full.
	longBusy = 20 * time.Second
	// forAMoment is how long a member may be busy that domains are closed for nevertheless: it calls a lease home, and
	// gives no other while the move is under way.
	forAMoment = 2 * time.Second
	// noMove is the number of a move that never is: it serves to ask whether a member
	// takes domains at all.
	noMove    = math.MaxUint64
	namesPage = 1024
	// tellAfter is after how many leases' time of moves that fail the user can read of it in the log.
	tellAfter = 5
)

// mover hands domains to their owners when those change.
type mover struct {
	s      *Swarm
	wake   chan struct{}
	slots  chan struct{}
	mu     sync.Mutex
	moving map[string]bool // members that domains are being moved to
	notYet map[string]time.Time
	failed map[string]time.Time // since when moves to a member fail
	pace   time.Duration        // slowPace
	wg     sync.WaitGroup
}

func newMover(s *Swarm) *mover {
	return &mover{s: s, wake: make(chan struct{}, 1), slots: make(chan struct{}, maxMoving),
		moving: make(map[string]bool), notYet: make(map[string]time.Time), failed: make(map[string]time.Time), pace: slowPace}
}

// look makes it look now.
func (m *mover) look() { signal(m.wake) }

// Serve moves domains until ctx is done.
func (m *mover) Serve(ctx context.Context) error {
	defer m.wg.Wait()
	timer := time.NewTimer(moveEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.s.net.Changed():
			m.s.acked.reset()
			signal(m.s.inquirer.wake)
			signal(m.s.keeper.wake)
		case <-m.wake:
		case <-timer.C:
		}
		again, retry := moveEvery, moveRetry
		if m.s.slow() {
			again, retry = slowEvery, slowRetry
		}
		if m.s.open.Load() && m.s.leads() && m.s.still() == 0 {
			left, err := m.round(ctx)
			if err != nil && ctx.Err() == nil {
				m.s.log.Warn("Domains not handed over for now", "error", err)
			}
			if left {
				again = retry
			}
		}
		timer.Reset(again)
	}
}

// round begins a move to every member that domains of this node belong to. left
// says that something waits.
func (m *mover) round(ctx context.Context) (left bool, err error) {
	if err := m.resume(ctx); err != nil {
		return true, err
	}
	byOwner := make(map[string][]crawl.Domain)
	var after crawl.Domain
	for {
		names, err := m.s.cfg.Frontier.Names(after, namesPage)
		if err != nil {
			return true, err
		}
		for _, d := range names {
			owner, ok := m.s.net.Owner(d)
			if !ok || owner == m.s.net.Self() {
				continue
			}
			left = true
			if len(byOwner[owner]) < wire.MaxMove {
				byOwner[owner] = append(byOwner[owner], d)
			}
		}
		if len(names) < namesPage {
			break
		}
		after = names[len(names)-1]
	}
	for owner, domains := range byOwner {
		m.start(ctx, owner, func(ctx context.Context) error { return m.begin(ctx, owner, domains) })
	}
	return left, nil
}

// resume goes on with moves that were begun before.
func (m *mover) resume(ctx context.Context) error {
	type key struct {
		to string
		n  uint64
	}
	open := make(map[key][]crawl.Domain)
	var after crawl.Domain
	for {
		list, err := m.s.cfg.Frontier.Closing(after, namesPage)
		if err != nil {
			return err
		}
		for _, c := range list {
			k := key{c.To, c.N}
			open[k] = append(open[k], c.Domain)
		}
		if len(list) < namesPage {
			break
		}
		after = list[len(list)-1].Domain
	}
	for k, domains := range open {
		if k.to == m.s.net.Self() { // they were on their way to another log of this owner, of which nothing has come
			if _, err := m.s.cfg.Frontier.Propose(ctx, frontier.Entry{Reopen: &frontier.Reopen{Domains: domains, N: k.n}}); err != nil {
				return err
			}
			continue
		}
		m.start(ctx, k.to, func(ctx context.Context) error { return m.carry(ctx, k.to, k.n, domains) })
	}
	return nil
}

// start runs a move unless one to that member is under way.
func (m *mover) start(ctx context.Context, to string, move func(context.Context) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.moving[to] || m.s.now().Before(m.notYet[to]) {
		return
	}
	m.moving[to] = true
	for other, at := range m.notYet {
		if !m.s.now().Before(at) {
			delete(m.notYet, other)
		}
	}
	m.wg.Go(func() {
		select {
		case m.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		within, cancel := context.WithTimeout(ctx, moveFor)
		err := move(within)
		cancel()
		<-m.slots
		m.mu.Lock()
		delete(m.moving, to)
		delete(m.notYet, to)
		level := slog.LevelDebug
		if err != nil {
			m.notYet[to] = m.s.now().Add(spread(max(moveRetry, busyFor(err))))
			if m.failsForLong(to) {
				level = slog.LevelWarn
			}
		} else {
			delete(m.failed, to)
		}
		m.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			m.s.log.Log(ctx, level, "Move not finished; it goes on later", "to", peerName(to), "error", err)
			return
		}
		m.look()
	})
}

// failsForLong reports whether moves to a member fail for the time of tellAfter leases, once in so long. m.mu is held.
func (m *mover) failsForLong(to string) bool {
	now := m.s.now()
	for other, since := range m.failed {
		if now.Sub(since) > 2*tellAfter*m.s.cfg.LeaseFor { // nothing moves there any more
			delete(m.failed, other)
		}
	}
	since, is := m.failed[to]
	if !is || now.Sub(since) < tellAfter*m.s.cfg.LeaseFor {
		if !is {
			m.failed[to] = now
		}
		return false
	}
	m.failed[to] = now
	return true
}

// begin closes domains and carries them to their owner.
func (m *mover) begin(ctx context.Context, to string, domains []crawl.Domain) error {
	question := &wire.Move{N: noMove, Domains: domains[:1]}
	answer, err := call[wire.MoveAnswer](ctx, m.s, to, wire.KindMove, question)
	if busyFor(err) > forAMoment {
		return err // what is closed, nobody would visit until it takes domains again
	}
	if m.s.slow() || err == nil && answer.State == wire.MoveSlowly {
		domains = domains[:min(len(domains), slowMove)]
	}
	applied, err := m.s.cfg.Frontier.Propose(ctx, frontier.Entry{Close: &frontier.Close{Domains: domains, To: to, N: newMove()}})
	if err != nil {
		return fmt.Errorf("close %d domains: %w", len(domains), err)
	}
	if applied[0].Domains == 0 {
		return nil
	}
	closing := make([]crawl.Domain, 0, len(domains))
	for _, d := range domains {
		if p, err := m.s.cfg.Frontier.Where(d); err != nil {
			return err
		} else if p.State == frontier.StateClosing && p.Peer == to && p.N == applied[0].N {
			closing = append(closing, d)
		}
	}
	return m.carry(ctx, to, applied[0].N, closing)
}

// newMove returns the number of a move. Those that a log counts would come again: it
// may have begun anew, apart from what others know as its past, and who was told of a
// move by that number once would take the next one for done.
func newMove() uint64 { return rand.Uint64()>>2 | 1 }

// carry carries closed domains to their owner, from where it has got to.
func (m *mover) carry(ctx context.Context, to string, n uint64, domains []crawl.Domain) error {
	if len(domains) == 0 {
		return nil
	}
	if err := m.awaitLeases(ctx, to, domains); err != nil {
		return err
	}
	if m.isStale(to, domains) {
		return m.callOff(ctx, to, n, domains)
	}
	c := cargo{s: m.s, to: to, n: n, domains: domains}
	state, err := c.ask(ctx)
	if err != nil {
		state, err = m.askAgain(ctx, &c, err)
	}
	for err == nil && state == wire.MoveTaken {
		state, err = c.next(ctx)
		switch {
		case err == nil && state == wire.MoveTaken && c.isSlow():
			m.pause(ctx, m.pace)
		case err != nil:
			state, err = m.askAgain(ctx, &c, err)
		}
	}
	switch {
	case isLongBusy(err):
		return m.callOff(ctx, to, n, domains)
	case isRefused(err), err == nil && state == wire.MoveDeclined:
		m.s.net.Resync(to)
		m.mu.Lock()
		m.notYet[to] = m.s.now().Add(spread(moveRetry))
		m.mu.Unlock()
		return m.callOff(ctx, to, n, domains)
	case err != nil:
		return err
	}
	if _, err := m.s.cfg.Frontier.Propose(ctx, frontier.Entry{Gone: &frontier.Gone{Domains: domains, To: to, N: n}}); err != nil {
		return err
	}
	m.s.tell(Event{Kind: DomainsGiven, Peer: to, Domain: domains[0], Domains: len(domains)})
	return nil
}

// askAgain asks how far a move is for as long as the other is busy for a moment: it calls a lease home, may stand by now,
// or another may have its turn. err is what it said last.
func (m *mover) askAgain(ctx context.Context, c *cargo, err error) (state wire.MoveState, _ error) {
	for m.comesAgain(ctx, err) {
		if state, err = c.ask(ctx); err == nil {
			return state, nil
		}
	}
	return state, err
}

// pause waits, and lets moves to other members go on meanwhile. It reports whether ctx is not done.
func (m *mover) pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-m.slots:
		defer func() { m.slots <- struct{}{} }()
	default:
	}
	return sleep(ctx, d)
}

// comesAgain waits as long as a peer asks that is busy for a moment, and reports false if there is no such time.
func (m *mover) comesAgain(ctx context.Context, err error) bool {
	d := busyFor(err)
	return d > 0 && d < longBusy && m.pause(ctx, spread(max(d, leaseLook)))
}

// awaitLeases calls the leases of domains home and waits until they are back,
// at most as long as they last: nobody else could be granted one before.
// It does not wait for what will not be carried: the owner may change meanwhile.
func (m *mover) awaitLeases(ctx context.Context, to string, domains []crawl.Domain) error {
	recalled := make(map[crawl.LeaseID]bool)
	ctx, cancel := context.WithTimeout(ctx, m.s.cfg.LeaseFor)
	defer cancel()
	for {
		byHolder := make(map[string][]crawl.LeaseID)
		live := 0
		for _, d := range domains {
			l, ok, err := m.s.cfg.Frontier.LeaseOf(d)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if live++; !recalled[l.ID] {
				recalled[l.ID] = true
				byHolder[l.Holder] = append(byHolder[l.Holder], l.ID)
			}
		}
		if live == 0 || m.s.leaving.Load() || m.isStale(to, domains) {
			return nil
		}
		for holder, ids := range byHolder {
			m.recall(ctx, holder, ids)
		}
		if !sleep(ctx, leaseLook) {
			return nil // what is left of them goes with the domain
		}
	}
}

func (m *mover) recall(ctx context.Context, holder string, ids []crawl.LeaseID) {
	if holder == "" {
		if m.s.fetches() {
			for _, id := range ids {
				m.s.cfg.Fetcher.Recall("", id)
			}
			return
		}
		holder = m.s.net.Self()
	}
	if _, err := call[wire.Done](ctx, m.s, holder, wire.KindRecall, &wire.Recall{Leases: ids}); err != nil {
		m.s.log.Debug("Leases not recalled; they will end by themselves", "holder", peerName(holder), "error", err)
	}
}
