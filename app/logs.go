//go:build !items

package app

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/oldswarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	group "github.com/forage-net/forage/p2p/oldgroup"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

const (
	// groupSize is how many members keep a log: its owner and those nearest to it.
	groupSize = 3
	// partnersOf is how many of the members nearest to an owner may ask this node to
	// keep a copy of its log: members may differ about who is near for a while.
	partnersOf = 6
	// tendEvery is how often the groups are looked after, hurriedTendEvery in a
	// lab at full speed.
	tendEvery        = time.Second
	hurriedTendEvery = 250 * time.Millisecond
	// changeEvery is the least time between two changes of a group's members while
	// none of them is out or leaving.
	changeEvery = 10 * time.Minute
	// copyPrefix begins the names of the buckets of copies.
	copyPrefix = "copy "
)

// logs are those that this node keeps: its own, and copies of its partners'. Of a
// partner that is down it may be the one that acts for it.
type logs struct {
	n      *Node
	groups *group.Groups
	hub    *swarm.Hub
	self   string
	every  time.Duration

	foreign   []string      // logs of which a former identity of this node kept copies; set before Serve
	trusted   chan struct{} // closed when it is known whether the store is what it was, and other members are
	doubled   atomic.Bool   // another node speaks in this one's name
	leaving   atomic.Bool
	lost      atomic.Bool // this node's own log is not in its store, and others may keep it
	anewAfter time.Duration

	mu      sync.Mutex
	copies  map[string]*copyOf   // by owner
	ending  map[string]bool      // copies that are being deleted
	mergers map[string]*acting   // of logs that were carried on elsewhere
	away    map[string]time.Time // logs without a leader, and since when
	busy    map[string]bool      // those that are being looked after
	missed  map[string]time.Time // those that began anew, and since when this node knows
	yields  map[string]yielding  // those that were carried on elsewhere
	vouched map[claim]vouch      // who was found to lead a log without being near its owner
	asked   map[string]time.Time // when it was asked last who keeps a log that nobody leads
	keepers *keepers             // of logs that have ended here
	life    context.Context      // ends with Serve
	wg      sync.WaitGroup
}

// copyOf is the copy of another member's log.
type copyOf struct {
	log    *keptLog
	ended  sync.WaitGroup
	end    context.CancelFunc // of the committer; nil before Serve
	acting *acting
}

// makeLogs prepares what keeps this node's logs.
func (n *Node) makeLogs() error {
	l := &logs{n: n, self: n.member.node.Self(), every: tendEvery, copies: make(map[string]*copyOf), ending: make(map[string]bool), mergers: make(map[string]*acting), away: make(map[string]time.Time), busy: make(map[string]bool), missed: make(map[string]time.Time),
		yields: make(map[string]yielding), vouched: make(map[claim]vouch), asked: make(map[string]time.Time),
		anewAfter: beginAnewAfter, trusted: make(chan struct{})}
	var err error
	if l.keepers, err = loadKeepers(n.db); err != nil {
		return fmt.Errorf("read who kept logs: %w", err)
	}
	n.logs = l
	cfg := group.Config{
		DB: n.db, Self: l.self, Call: l.call(wire.KindLog), Fetch: l.call(wire.KindPiece), Admit: l.admit, Led: l.leads, Dropped: l.removed, Epoch: l.outdate,
		ChangeEvery: changeEvery, Now: n.clock.Now, Log: n.log, Unsure: true,
	}
	if n.opts.Sim == nil { // else all nodes would tick at once
		cfg.Align = func(every time.Duration) time.Duration {
			if n.foot.isSilent() { // others wait for the clocks of logs else
				every *= 2
			}
			return pulse.Until(every)
		}
	}
	if n.opts.Lab != nil && !n.opts.Lab.RealTimes {
		cfg.ChangeEvery = time.Second
		l.every, l.anewAfter = hurriedTendEvery, labBeginAnew
	}
	l.groups = group.New(cfg)
	n.member.node.Handle(wire.KindLog, l.groups.Deliver)
	n.member.node.Handle(wire.KindPiece, l.groups.GivePiece)
	n.member.node.Handle(wire.KindKeeps, l.handleKeeps)
	n.member.node.Handle(wire.KindRest, l.handleRest)
	n.member.node.Handle(wire.KindVouch, l.handleVouch)
	l.hub = swarm.NewHub(n.member.node, l.leader, l.trusts)
	return nil
}

// open opens what the store holds, and makes a log for who has never had one. A node that is known to others and whose store is new, or
// whose log had ended, asks them first (regain): the log may be whole with them.
func (l *logs) open() error {
	stored, err := group.List(l.n.db)
	if err != nil {
		return fmt.Errorf("look for logs: %w", err)
	}
	own := false
	for _, s := range stored {
		if s.Bucket == logID {
			own = true
			if err := l.openOwn(s.Log); err != nil {
				return fmt.Errorf("open this node's log: %w", err)
			}
			continue
		}
		k, err := l.openCopy(s.Log)
		if err != nil {
			return err
		}
		if s.As != "" && s.As != l.self && s.Sole { // nobody else can know more of it
			_, err = l.groups.Inherit(s.Log, s.Bucket, k, l.unheardOf(), func(tx *storage.Tx, others []string) error {
				return k.beginsWith(frontier.BeginAnew(others))(tx)
			})
		} else {
			_, err = l.groups.Open(s.Log, s.Bucket, k)
		}
		if err != nil {
			return fmt.Errorf("open the copy of a partner's log: %w", err)
		}
		if l.copies[s.Log] = (&copyOf{log: k}); s.As != "" && s.As != l.self && !s.Sole {
			l.foreign = append(l.foreign, s.Log)
		}
	}
	if own {
		return nil
	}
	var epoch group.Epoch
	if l.n.member.known {
		if !l.n.isBootstrap() {
			l.lost.Store(true)
			return nil
		}
		epoch = l.unheardOf()
	}
	if _, err := l.groups.CreateWith(l.self, logID, l.n.kept, epoch, nil); err != nil {
		return fmt.Errorf("make this node's log: %w", err)
	}
	return nil
}

// formerSelf returns the member that this node was when it last kept a log of its own, if that is another than it is now.
func (n *Node) formerSelf(self string) (string, error) {
	stored, err := group.List(n.db)
	if err != nil {
		return "", fmt.Errorf("look for logs: %w", err)
	}
	for _, s := range stored {
		if s.Bucket == logID && s.Log != self {
			return s.Log, nil
		}
	}
	return "", nil
}

// openOwn opens this node's log. If its key is another than before, the log goes on as that of its new identity. Its partners may
// act for the former one, so as long as they are not heard of, its sites are visited more seldom.
func (l *logs) openOwn(log string) error {
	if log == l.self {
		_, err := l.groups.Open(log, logID, l.n.kept)
		return err
	}
	_, err := l.groups.Inherit(l.self, logID, l.n.kept, l.unheardOf(), func(tx *storage.Tx, others []string) error {
		return l.n.kept.beginsWith(frontier.BeginAnew(others))(tx)
	})
	if err == nil {
		l.n.log.Warn("The key of this node is another than before: it is a new member, which goes on with the log of the former one", "former", peer.ID(log).String())
	}
	return err
}

// copyBucket names the bucket of the copy of a member's log.
func copyBucket(owner string) string { return copyPrefix + peer.ID(owner).String() }

func (l *logs) openCopy(owner string) (*keptLog, error) {
	n := l.n
	k, err := openKept(n.db, n.clock, l.groups, owner, frontier.Config{
		LogID: copyBucket(owner), Politeness: n.politeness(), Members: groupSize, LeaseFor: n.opts.leaseFor(), Revisit: n.opts.revisit(), Now: n.clock.Now, Calendar: n.clock.Latest,
		Owns: func(d crawl.Domain) bool {
			p, ok := n.member.node.Owner(d)
			return ok && p == owner
		},
		Ask: n.asksFirst, BeforeCommit: n.syncArchive, Trouble: func(err error) { n.governor.setTrouble(err) },
	})
	if err != nil {
		return nil, fmt.Errorf("open copy of the log of %s: %w", peer.ID(owner), err)
	}
	return k, nil
}

func (l *logs) call(kind wire.Kind) func(ctx context.Context, to string, body []byte) ([]byte, error) {
	return func(ctx context.Context, to string, body []byte) ([]byte, error) {
		return l.n.member.node.Call(ctx, to, kind, body)
	}
}

// own returns the group of this node's own log.
func (l *logs) own() *group.Group { return l.groups.Get(l.self) }

// leader returns who leads a log as this node's copy of it knows, and whether there is one.
func (l *logs) leader(log string) (peer string, kept bool) {
	g := l.groups.Get(log)
	if g == nil {
		return "", false
	}
	if to := l.yieldsTo(log); to != "" {
		return to, true
	}
	peer, _ = g.Leader()
	return peer, true
}

// admit says whether this node keeps a copy of a log because a member asks it to.
func (l *logs) admit(log, from string) (string, group.Machine, bool) {
	node := l.n.member.node
	if log == l.self {
		if ok, _ := l.trusts(log, from); !ok {
			return "", nil, false
		}
		return logID, l.n.kept, true
	}
	if l.n.isBootstrap() || !node.Member(log) || !slices.Contains(node.Near(log, partnersOf), l.self) {
		return "", nil, false
	}
	if ok, _ := l.trusts(log, from); !ok {
		return "", nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending[log] {
		return "", nil, false // a moment later there is room for another
	}
	if c := l.copies[log]; c != nil {
		return copyBucket(log), c.log, true
	}
	k, err := l.openCopy(log)
	if err != nil {
		l.n.log.Warn("No copy can be kept of a partner's log", "partner", peer.ID(log).String(), "error", err)
		return "", nil, false
	}
	c := &copyOf{log: k}
	l.copies[log] = c
	l.start(c)
	return copyBucket(log), k, true
}

// start runs the committer of a copy. l.mu is held.
func (l *logs) start(c *copyOf) {
	if l.life == nil || c.end != nil {
		return
	}
	var ctx context.Context
	ctx, c.end = context.WithCancel(l.life)
	c.ended.Go(func() {
		if err := c.log.Serve(ctx); err != nil {
			l.n.log.Error("A copy of a partner's log cannot be kept up", "error", err)
		}
	})
}

// Serve keeps the groups of this node's logs until ctx is done.
func (l *logs) Serve(ctx context.Context) error {
	l.mu.Lock()
	life, end := context.WithCancel(context.Background())
	l.life = life
	for _, c := range l.copies {
		l.start(c)
	}
	l.mu.Unlock()
	l.restAnew()
	var all sync.WaitGroup
	all.Go(func() { l.hub.Serve(ctx) })
	all.Go(func() { l.tend(ctx) })
	err := l.groups.Serve(ctx)
	all.Wait()
	l.mu.Lock()
	copies := make([]*copyOf, 0, len(l.copies))
	for _, c := range l.copies {
		copies = append(copies, c)
	}
	l.life = nil
	mergers := l.mergers
	l.mu.Unlock()
	for _, c := range copies {
		c.stopActing()
	}
	for _, a := range mergers {
		a.end()
		a.wg.Wait()
	}
	end()
	for _, c := range copies {
		c.ended.Wait()
	}
	l.wg.Wait()
	return err
}

// restAnew keeps this node from leasing domains that may be leased by who keeps the log that it had under its former key, also when it
// is started once more meanwhile.
func (l *logs) restAnew() {
	g, missing := l.own(), []string(nil)
	if g != nil {
		missing, _ = l.n.kept.Missing()
	}
	if g == nil || len(missing) == 0 || g.Epoch().Founder != l.self {
		return
	}
	began := time.UnixMilli(int64(min(g.Epoch().Number, 1<<53)))
	if ago, long := l.n.clock.Latest().Sub(began), l.n.frontier.LeaseFor()*11/10; ago >= 0 && ago < long {
		l.n.member.swarm.Rest(long - ago)
	}
}

// led returns the frontiers of the logs that this node leads, by owner.
func (l *logs) led() map[string]*frontier.Frontier {
	m := make(map[string]*frontier.Frontier)
	for _, g := range l.groups.All() {
		if k, is := g.Machine().(*keptLog); is && g.Leads() {
			m[g.Log()] = k.Frontier
		}
	}
	return m
}

// leads begins or ends to keep the books of a log.
func (l *logs) leads(g *group.Group, leads bool) {
	log := g.Log()
	if log == l.self {
		if leads {
			l.n.frontier.Lead()
			l.n.member.swarm.Look()
		} else if leader, _ := g.Leader(); leader != "" && leader != l.n.member.node.Self() {
			l.n.log.Info("Another member acts for this node now: its log is led elsewhere")
		} else {
			l.n.log.Info("Nobody leads this node's log now: it grants and takes in nothing until somebody does")
		}
		return
	}
	l.mu.Lock()
	c := l.copies[log]
	l.mu.Unlock()
	if c == nil {
		return
	}
	if !leads {
		c.stopActing()
		return
	}
	l.act(log, c)
}

// remember keeps in mind who kept a log that ends here.
func (l *logs) remember(g *group.Group) {
	if err := l.keepers.remember(g.Log(), g.Keepers()); err != nil {
		l.n.log.Warn("Who kept a log is not kept in mind", "owner", peer.ID(g.Log()).String(), "error", err)
	}
}

// removed ends a copy whose log has other members now. It may have been taken in again since it was told so.
func (l *logs) removed(g *group.Group) {
	if log := g.Log(); log == l.self {
		l.remember(g)
		l.stopMerging(log)
		l.n.log.Warn("The partners of this node have given it up; it waits to be taken in again")
		return
	}
	l.drop(g, func() bool { return g.Status().Removed })
}

// dropped ends a copy that is not wanted any more.
func (l *logs) dropped(g *group.Group) { l.drop(g, func() bool { return true }) }

// drop ends a copy, and deletes it, if it is still to be. No other of that log comes here meanwhile: it would be in the same bucket.
func (l *logs) drop(g *group.Group, still func() bool) {
	log := g.Log()
	l.mu.Lock()
	busy := l.ending[log]
	l.ending[log] = true
	l.mu.Unlock()
	if busy {
		return
	}
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.ending, log)
	}()
	if l.groups.Get(log) != g || !still() {
		return
	}
	l.remember(g)
	l.mu.Lock()
	c := l.copies[log]
	delete(l.copies, log)
	delete(l.away, log) // the next copy has its own time
	delete(l.asked, log)
	l.mu.Unlock()
	l.stopMerging(log)
	if c != nil {
		c.stopActing()
		l.hub.Close(log)
		if c.end != nil {
			c.end()
			c.ended.Wait()
		}
	}
	if err := g.Drop(); err != nil {
		l.n.log.Warn("The copy of a partner's log is not deleted yet", "partner", peer.ID(log).String(), "error", err)
		return
	}
	if err := l.n.db.Update(func(tx *storage.Tx) error {
		if tx.Bucket(storage.BucketLogs).Bucket([]byte(copyBucket(log))) == nil {
			return nil
		}
		return tx.Bucket(storage.BucketLogs).DeleteBucket([]byte(copyBucket(log)))
	}); err != nil {
		l.n.log.Warn("The copy of a partner's log is not deleted yet", "partner", peer.ID(log).String(), "error", err)
	}
}
