package scale

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

const (
	self = crawl.PeerID("self")
	// leadTick is how often to look whether the node leads its shard.
	leadTick = 10 * time.Millisecond
	// digestKey and digestRecord are how long the key and the value are that tell where a payload is: a node has one
	// for every page.
	digestKey, digestRecord = 12, 18
)

// nowhere is the network of a node that is alone.
type nowhere struct{}

var errAlone = errors.New("there is nobody else")

// Send implements driver.Net.
func (nowhere) Send(context.Context, crawl.PeerID, stream.Lane, []byte) error { return errAlone }

// Receive implements driver.Net.
func (nowhere) Receive(func(crawl.PeerID, stream.Lane, []byte) error) {}

// Offend implements driver.Net.
func (nowhere) Offend(crawl.PeerID, string, int) {}

// openNode wires frontier, swarm and driver as a node does that founds a network and stays alone.
func (l *load) openNode() error {
	const all = 1 << 40 // budgets are not what is measured
	l.frontier = frontier.New(frontier.Config{
		Items: swarm.Items{}, Politeness: crawl.Politeness{Fixed: new(time.Duration)},
		Budget: frontier.Budget{Base: all, Most: all},
	})
	members := layout.NewDirectory(self)
	members.Set([]layout.Member{{ID: self, Units: 1}})
	yes := func() bool { return true }
	l.swarm = swarm.New(swarm.Config{
		Self: self, DB: l.db, Frontier: l.frontier, Fetcher: l.fetcher, Loop: l,
		Owners: func() []crawl.PeerID { return []crawl.PeerID{self} },
		Chance: rand.Uint64, Now: time.Now, Home: l.home, Log: slog.New(slog.DiscardHandler),
		Admits: func(crawl.Outlink) bool { return true }, Enqueues: yes, Lends: yes,
		Here: func() near.Coordinate { return near.Coordinate{} }, Place: func() string { return "" },
		Delay: func(crawl.Domain) time.Duration { return 0 }, Sync: func() error { return nil },
		Established: func(crawl.PeerID) bool { return true }, Network: func(p crawl.PeerID) string { return string(p) },
		Tell: func(swarm.Event) {}, Checked: func(checks.Checked) {},
	})
	cfg := group.Config{Self: self, Times: shard.RealTimes, Directory: members, Founder: true}
	l.swarm.Hooks(&cfg)
	l.driver = driver.New(driver.Config{Node: cfg, Store: l.db, Net: nowhere{}, InCommit: l.inCommit, Opened: l.swarm.Opened,
		Trouble: func(err error) { l.fail(err) }})
	return nil
}

// Do implements swarm.Loop.
func (l *load) Do(ctx context.Context, do func(*group.Node) error) error { return l.driver.Do(ctx, do) }

// DoSoon implements swarm.Loop.
func (l *load) DoSoon(do func(*group.Node)) bool { return l.driver.DoSoon(do) }

// lead waits until the node may act.
func (l *load) lead(ctx context.Context) error {
	tick := time.NewTicker(leadTick)
	defer tick.Stop()
	for {
		acts := false
		err := l.driver.Do(ctx, func(n *group.Node) error {
			acts, _ = n.Acts(l.web.domains[0])
			return nil
		})
		if acts || err != nil && !errors.Is(err, driver.ErrNotOpen) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// home takes outcomes that are durable. Driver calls it, and inCommit, on one goroutine.
func (l *load) home(outcomes []crawl.Outcome) {
	if l.cfg.Digests {
		l.fetched = append(l.fetched, outcomes...)
		l.driver.CommitSoon()
	}
}

// inCommit counts, and keeps a digest record of every page, in its place at once: a node collects those of some
// commits first.
func (l *load) inCommit(tx *storage.Tx) error {
	l.commits.Add(1)
	added, _ := l.swarm.TakeFound()
	l.added.Add(int64(added))
	for _, o := range l.fetched {
		if o.Result != crawl.Fetched || o.Duplicate {
			continue
		}
		if err := tx.Bucket(storage.BucketDigests).Put(o.Digest[:digestKey], make([]byte, digestRecord)); err != nil {
			return fmt.Errorf("keep the digest of %s: %w", o.Task.URL, err)
		}
	}
	clear(l.fetched)
	l.fetched = l.fetched[:0]
	return nil
}
