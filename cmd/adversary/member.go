package main

import (
	"context"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// member is a real member of the network, as package app makes one, without fetchers. It is honest except for
// what an attack changes of it before it begins, and for the packets that an attack sends beside its own
// (wires.go).
type member struct {
	*options
	owns    uint8 // units
	self    crawl.PeerID
	key     crypto.PrivKey
	host    host.Host
	node    *p2p.Node
	layout  *layout.Directory
	db      *storage.DB
	swarm   *swarm.Swarm
	driver  *driver.Driver
	wires   *wires
	dir     string
	stop    context.CancelFunc
	running sync.WaitGroup
}

// idle is a fetcher that wants no work.
type idle struct{}

func (idle) Want() int                         { return 0 }
func (idle) Wanting() <-chan struct{}          { return nil }
func (idle) Take(crawl.Lease, time.Time)       {}
func (idle) RefusesDomain(crawl.Domain) string { return "" }
func (idle) Grant(netip.AddrPort, gates.Grant) {}

// join makes a member with so many units if -units does not say, and returns when it has met others. change, if
// set, makes a liar of it; what it sets is called on the goroutine of the group's Node. The member lives until
// close.
func join(ctx context.Context, o *options, units int, change func(*member, *driver.Config)) (m *member, err error) {
	if o.units >= 0 {
		units = o.units
	}
	m = &member{options: o, owns: uint8(units), key: newKey()}
	ctx, m.stop = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	if m.host, err = newHost(o, m.key); err != nil {
		return nil, err
	}
	m.self = crawl.PeerID(m.host.ID())
	members, times := p2p.LabTimes(), shard.LabTimes
	times.Day = 4 * time.Minute // as in package app
	if o.real {
		members, times = p2p.PublicTimes(), shard.RealTimes
	}
	if m.node, err = p2p.New(p2p.Config{
		Host: m.host, Key: m.key, Network: o.network, Lab: true, Capacity: func() uint8 { return m.owns },
		Expects: true,
		Version: crawl.Version, Times: members, Log: slog.New(slog.DiscardHandler),
	}); err != nil {
		return nil, err
	}
	m.wires, m.layout = newWires(m.node), layout.NewDirectory(m.self)
	if m.dir, err = os.MkdirTemp(o.home, "adversary-"); err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	if m.db, err = storage.Open(filepath.Join(m.dir, "store"), storage.Options{NoSync: true}); err != nil {
		return nil, fmt.Errorf("open a store: %w", err)
	}
	cfg := driver.Config{Store: m.db, Net: m.wires,
		Node: group.Config{Self: m.self, Times: times, Clock: driver.NewClock(nil, nil), Directory: m.layout}}
	m.beHonest(&cfg.Node)
	cfg.Opened = m.swarm.Opened
	if change != nil {
		change(m, &cfg)
	}
	m.driver = driver.New(cfg)
	m.node.Requests.Handle(wire.KindKeeps, func(context.Context, peer.ID, []byte) ([]byte, error) {
		return wire.Encode(&wire.Keeping{Keeps: true}), nil // whoever asks waits for nobody
	})
	return m, m.begin(ctx)
}

// beHonest has the member lead as others do.
func (m *member) beHonest(cfg *group.Config) {
	keeper := frontier.New(frontier.Config{Items: swarm.Items{}, Politeness: crawl.Politeness{Fixed: &m.gap},
		LeaseFor: cfg.Times.Lease})
	yes := func() bool { return true }
	m.swarm = swarm.New(swarm.Config{
		Self: m.self, DB: m.db, Frontier: keeper, Fetcher: idle{}, Loop: m, Owners: m.owners,
		Chance: mathrand.Uint64, Now: time.Now,
		Admits: func(crawl.Outlink) bool { return true }, Enqueues: yes, Lends: yes,
		Here: func() near.Coordinate { return near.Coordinate{} }, Place: func() string { return "" },
		Home:        func([]crawl.Outcome) {},
		Delay:       func(crawl.Domain) time.Duration { return 0 },
		Sync:        func() error { return nil },
		Established: func(p crawl.PeerID) bool { return slices.Contains(m.owners(), p) },
		Network:     func(p crawl.PeerID) string { return string(p) },
		Tell:        func(swarm.Event) {}, Checked: func(checks.Checked) {}, Log: slog.New(slog.DiscardHandler),
	})
	m.swarm.Hooks(cfg)
}

// Do implements swarm.Loop.
func (m *member) Do(ctx context.Context, do func(*group.Node) error) error {
	return m.driver.Do(ctx, do)
}

// DoSoon implements swarm.Loop.
func (m *member) DoSoon(do func(*group.Node)) bool { return m.driver.DoSoon(do) }

func (m *member) begin(ctx context.Context) error {
	m.running.Go(func() { _ = m.node.Serve(ctx) })
	dial, cancel := context.WithTimeout(ctx, dialFor)
	defer cancel()
	if err := m.host.Connect(dial, m.door); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	select {
	case <-m.node.Joined():
	case <-ctx.Done():
		return ctx.Err()
	}
	m.lookAround()
	m.running.Go(func() {
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-m.node.Members.Changed():
			case <-time.After(time.Second):
			}
			m.lookAround()
		}
	})
	m.running.Go(func() {
		for ; m.owns == 0 && ctx.Err() == nil; wait(ctx, introduceEvery) {
			m.introduce(ctx)
		}
	})
	m.running.Go(func() { _ = m.driver.Serve(ctx) })
	m.running.Go(func() { _ = m.swarm.Serve(ctx) })
	return nil
}

// introduceEvery is how often a member that only fetches says who it is. Others take packets of members only,
// and a record of a fetcher that the gossip has lost comes by no comparison.
const introduceEvery = 10 * time.Second

func (m *member) introduce(ctx context.Context) {
	record, err := roster.Seal(m.network, m.key, roster.Record{
		Seq: uint64(time.Now().UnixMilli()), Issued: time.Now().Unix(), State: roster.StateActive,
		Reach: roster.ReachPublic, Version: crawl.Version,
	})
	if err != nil {
		return
	}
	for _, p := range m.owners() {
		if _, err := m.node.Requests.Call(ctx, string(p), wire.KindSync, syncBody(m.network, record)); err != nil {
			m.did.add("introductions refused", 1)
		}
	}
}

// lookAround has the layout follow the roster.
func (m *member) lookAround() {
	ring := m.node.Members.Ring()
	list := []layout.Member{{ID: m.self, Units: ring.Units(string(m.self))}}
	for _, x := range m.node.Members.Roster.Members() {
		if id := crawl.PeerID(x.Peer); id != m.self {
			out := x.Out || x.State == roster.StateLeft
			list = append(list, layout.Member{ID: id, Units: ring.Units(string(id)), Out: out})
		}
	}
	m.layout.Set(list)
}

// owners are the members that own domains.
func (m *member) owners() (list []crawl.PeerID) {
	for _, x := range m.node.Members.Ring().Members() {
		list = append(list, crawl.PeerID(x.ID))
	}
	return list
}

// others are all members but this one, fetchers among them.
func (m *member) others() (list []crawl.PeerID) {
	for _, p := range m.node.Peers() {
		if p.Member {
			list = append(list, crawl.PeerID(p.ID))
		}
	}
	return list
}

// close ends the member, without a word to others, and deletes its files.
func (m *member) close() {
	m.stop()
	m.running.Wait()
	if m.host != nil {
		m.host.Close()
	}
	if m.db != nil {
		m.db.Close()
	}
	os.RemoveAll(m.dir)
}
