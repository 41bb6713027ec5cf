package swarm_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

// lab is a few members with real stores and frontiers on a network without loss.
type lab struct {
	t        *testing.T
	web      *web
	gap      time.Duration
	latency  time.Duration // of each packet
	members  []*member
	admits   func(crawl.PeerID, crawl.Outlink) bool // nil: everything is of everybody's crawl
	commit   time.Duration                          // how often they commit
	believes bool                                   // guests are believed from the start
	leases   int                                    // that a member fetches at a time
	tasks    int                                    // that are visited of a lease at most, 0 for all
	place    func(crawl.PeerID) near.Coordinate     // nil: nobody knows
	mu       sync.Mutex
	byID     map[crawl.PeerID]*member
}

// member is one of them. Its goroutine owns the node.
type member struct {
	lab      *lab
	id       crawl.PeerID
	dir      string
	dirs     *layout.Directory
	db       *storage.DB
	node     *group.Node
	frontier *frontier.Frontier
	swarm    *swarm.Swarm
	fetcher  *fetcher
	do, soon chan func(*group.Node)
	in       chan packet
	stop     context.CancelFunc
	ended    sync.WaitGroup
	started  time.Time
	home     int  // outcomes
	guest    bool // it owns nothing
	full     atomic.Bool
	lies     func(*fetcher) // makes a liar of its fetcher
	veteran  bool           // it is believed from the start
	visits   bool           // it lies, and what it visits counts all the same
}

type packet struct {
	from crawl.PeerID
	b    []byte
}

func newLab(t *testing.T, web *web, gap time.Duration) *lab {
	l := &lab{t: t, web: web, gap: gap, commit: 20 * time.Millisecond, leases: 16, byID: make(map[crawl.PeerID]*member)}
	t.Cleanup(func() {
		for _, m := range l.members {
			m.kill()
		}
	})
	return l
}

// add starts a member. The first founds the network.
func (l *lab) add() *member { return l.addAs(false) }

func (l *lab) addAs(guest bool) *member { return l.addLiar(guest, nil) }

func (l *lab) addLiar(guest bool, lies func(*fetcher)) *member {
	m := &member{lab: l, guest: guest, lies: lies, id: crawl.PeerID(fmt.Sprintf("member-%d", len(l.members))),
		dir: l.t.TempDir()}
	m.dirs = layout.NewDirectory(m.id)
	l.mu.Lock()
	l.members = append(l.members, m)
	l.mu.Unlock()
	m.start()
	l.admit()
	return m
}

// admit tells all members who is there.
func (l *lab) admit() {
	var list []layout.Member
	for _, m := range l.members {
		if !m.guest {
			list = append(list, layout.Member{ID: m.id, Units: 1})
		}
	}
	for _, m := range l.members {
		m.dirs.Set(list)
	}
}

type clock struct{ since time.Time }

func (c clock) Awake() time.Duration { return time.Since(c.since) }
func (c clock) Wall() time.Time      { return time.Now() }

// start opens the store of a member and lets it work.
func (m *member) start() {
	m.lab.t.Helper()
	var err error
	if m.db, err = storage.Open(filepath.Join(m.dir, "store"), storage.Options{NoSync: true}); err != nil {
		m.lab.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stop, m.started = stop, time.Now()
	m.do, m.soon, m.in = make(chan func(*group.Node)), make(chan func(*group.Node), 256), make(chan packet, 4096)
	m.frontier = frontier.New(frontier.Config{Items: swarm.Items{}, Politeness: crawl.Politeness{Fixed: &m.lab.gap},
		LeaseFor: shard.LabTimes.Lease})
	m.fetcher = newFetcher(ctx, m, m.lab.leases)
	if m.lies != nil {
		m.lies(m.fetcher)
	}
	here := func() (at near.Coordinate) {
		if m.lab.place != nil {
			at = m.lab.place(m.id)
		}
		return at
	}
	m.swarm = swarm.New(swarm.Config{
		Here: here, Place: func() string { return here().Text() },
		Self: m.id, DB: m.db, Frontier: m.frontier, Fetcher: m.fetcher, Loop: m, Owners: m.lab.owners,
		Chance: rand.Uint64, Now: time.Now,
		Home:     func(list []crawl.Outcome) { m.home += len(list) },
		Enqueues: func() bool { return !m.full.Load() }, Lends: func() bool { return !m.full.Load() },
		Established: m.lab.isOwner, Network: func(p crawl.PeerID) string { return string(p) },
		Delay: func(crawl.Domain) time.Duration { return 0 }, Sync: func() error { return nil },
		Tell: func(swarm.Event) {}, Checked: func(checks.Checked) {}, Log: slog.New(slog.DiscardHandler),
		Admits: func(o crawl.Outlink) bool { return m.lab.admits == nil || m.lab.admits(m.id, o) },
	})
	cfg := group.Config{
		Self: m.id, Times: shard.LabTimes, Clock: clock{m.started}, Directory: m.dirs, Chance: rand.Uint64,
		Founder: m == m.lab.members[0],
	}
	m.swarm.Hooks(&cfg)
	if m.node, err = group.Open(cfg, stream.OnBolt(m.db)); err != nil {
		m.lab.t.Fatal(err)
	}
	m.swarm.Opened(m.node)
	m.lab.mu.Lock()
	m.lab.byID[m.id] = m
	m.lab.mu.Unlock()
	m.ended.Go(func() { m.loop(ctx) })
	m.ended.Go(func() { _ = m.swarm.Serve(ctx) })
}

// kill ends a member as a power cut does.
func (m *member) kill() {
	if m.db == nil {
		return
	}
	m.lab.mu.Lock()
	delete(m.lab.byID, m.id)
	m.lab.mu.Unlock()
	m.stop()
	m.ended.Wait() // nobody hands the fetcher leases any more
	m.fetcher.work.Wait()
	_ = m.db.Close()
	m.db = nil
}

func (l *lab) owners() (ids []crawl.PeerID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.members {
		ids = append(ids, m.id)
	}
	return ids
}

func (l *lab) isOwner(p crawl.PeerID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.members, func(m *member) bool {
		return m.id == p &&
			(!m.guest || l.believes || m.veteran)
	})
}

// Do implements swarm.Loop.
func (m *member) Do(ctx context.Context, do func(*group.Node) error) error {
	done := make(chan error, 1)
	select {
	case m.do <- func(n *group.Node) { done <- do(n) }:
		return <-done
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Ask implements gates.Slots: the swarm is made after the fetcher.
func (m *member) Ask(at netip.AddrPort, a gates.Ask) { m.swarm.Ask(at, a) }

// DoSoon implements swarm.Loop.
func (m *member) DoSoon(do func(*group.Node)) bool {
	select {
	case m.soon <- do:
		return true
	default:
		return false
	}
}

// loop owns the node.
func (m *member) loop(ctx context.Context) {
	tick := time.NewTicker(shard.LabTimes.Beat / raftlog.TicksPerBeat)
	defer tick.Stop()
	commit := time.NewTicker(m.lab.commit)
	defer commit.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			m.node.Tick()
		case p := <-m.in:
			m.node.Receive(p.from, p.b)
		case f := <-m.do:
			f(m.node)
		case f := <-m.soon:
			f(m.node)
		case <-commit.C:
			if err := m.node.Commit(true); err != nil {
				m.lab.t.Errorf("%s: %v", m.id, err)
				return
			}
		}
		m.node.Take(stream.NumLanes-1, m.send)
	}
}

func (m *member) send(to crawl.PeerID, _ stream.Lane, b []byte) {
	packet := packet{m.id, slices.Clone(b)}
	if m.lab.latency > 0 {
		time.AfterFunc(m.lab.latency, func() { m.arrive(to, packet) })
	} else {
		m.arrive(to, packet)
	}
}

func (m *member) arrive(to crawl.PeerID, p packet) {
	m.lab.mu.Lock()
	o := m.lab.byID[to]
	m.lab.mu.Unlock()
	if o == nil {
		return
	}
	select {
	case o.in <- p:
	default: // lost
	}
}

// wait waits until something holds.
func (l *lab) wait(within time.Duration, what string, holds func() bool) {
	l.t.Helper()
	for end := time.Now().Add(within); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("%s does not come true", what)
		}
	}
}

// whole reports whether every shard has its line, and its home leads it.
func (l *lab) whole() bool {
	led := 0
	for _, m := range l.members {
		_ = m.Do(l.t.Context(), func(n *group.Node) error {
			for _, v := range n.Look() {
				if v.Role == shard.Leader && v.Shard.Home() == m.id && len(v.Voters) == min(3, len(l.members)) {
					led++
				}
			}
			return nil
		})
	}
	return led == len(l.members)
}
