package group

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// cluster is a few nodes on a network without delay or loss. Its clock moves by ticks.
type cluster struct {
	t     testing.TB
	now   time.Duration
	nodes map[crawl.PeerID]*Node
	disks map[crawl.PeerID]*p2ptest.Disk
	known map[crawl.PeerID]bool // every member so far: true while it is not out
	views map[crawl.PeerID]*layout.Directory
	rng   *rand.Rand
	log   []string
}

type clusterClock struct{ c *cluster }

func (k clusterClock) Awake() time.Duration { return k.c.now }
func (k clusterClock) Wall() time.Time      { return time.Unix(0, 0).Add(k.c.now) }

func newCluster(t testing.TB) *cluster {
	return &cluster{t: t, nodes: map[crawl.PeerID]*Node{}, disks: map[crawl.PeerID]*p2ptest.Disk{}, rng: rand.New(rand.NewPCG(1, 1)), known: map[crawl.PeerID]bool{}, views: map[crawl.PeerID]*layout.Directory{}}
}

func laterBytes(d crawl.Domain, key string, a, b []byte) []byte {
	if slices.Compare(a, b) < 0 {
		return b
	}
	return a
}

func (c *cluster) start(id crawl.PeerID) {
	if c.disks[id] == nil {
		c.disks[id] = &p2ptest.Disk{}
	}
	n, err := Open(Config{
		Self: id, Times: shard.LabTimes, Clock: clusterClock{c}, Directory: c.view(id), Merge: laterBytes, Chance: c.rng.Uint64,
		Gap: func(crawl.Domain) time.Duration { return time.Second }, Founder: len(c.disks) == 1,
		Take: func(_ Sender, d crawl.Domain, body []byte) ([]stream.Make, crawl.LeaseID, bool) {
			return []stream.Make{func(stream.Tx) ([]stream.Item, error) {
				return []stream.Item{{Domain: d, Key: "k", Value: body}}, nil
			}}, 0, true
		},
		Note: func(x Note) {
			if x.Kind != shard.Streamed {
				c.log = append(c.log, fmt.Sprintf("%7.2f %s %d %s t%d %v %v %s", c.now.Seconds(), id, x.Kind, x.Shard, x.Term.Number, x.Peers, x.Prefix, x.Text))
			}
		},
	}, c.disks[id])
	if err != nil {
		c.t.Fatal(err)
	}
	c.nodes[id] = n
}

// view returns the directory of a member.
func (c *cluster) view(id crawl.PeerID) *layout.Directory {
	if c.views[id] == nil {
		c.views[id] = layout.NewDirectory(id)
	}
	var members []layout.Member
	for p, in := range c.known {
		members = append(members, layout.Member{ID: p, Units: 1, Out: !in})
	}
	c.views[id].Set(members)
	return c.views[id]
}

// members makes these the members of the ring. Others that were are out.
func (c *cluster) members(ids ...crawl.PeerID) {
	for p := range c.known {
		c.known[p] = false
	}
	for _, p := range ids {
		c.known[p] = true
	}
	for p := range c.views {
		c.view(p)
	}
}

func (c *cluster) settle() {
	for busy, i := true, 0; busy && i < 100; i++ {
		busy = false
		for _, id := range slices.Sorted(maps.Keys(c.nodes)) {
			n := c.nodes[id]
			for k := 0; n.Work() != Idle && k < 20; k++ {
				if err := n.Commit(true); err != nil {
					c.t.Fatal(err)
				}
				busy = true
			}
			n.Take(stream.NumLanes-1, func(to crawl.PeerID, _ stream.Lane, b []byte) {
				if o := c.nodes[to]; o != nil {
					o.Receive(id, b)
					busy = true
				}
			})
		}
	}
}

func (c *cluster) run(d time.Duration) {
	for end := c.now + d; c.now < end; c.now += shard.LabTimes.Beat / raftlog.TicksPerBeat {
		for _, id := range slices.Sorted(maps.Keys(c.nodes)) {
			c.nodes[id].Tick()
		}
		c.settle()
	}
}

func (c *cluster) dump() {
	for _, l := range c.log[max(0, len(c.log)-60):] {
		c.t.Log(l)
	}
	for _, id := range slices.Sorted(maps.Keys(c.nodes)) {
		for _, v := range c.nodes[id].Look() {
			c.t.Logf("%s: %s %s term %d leader %s voters %v learners %v holds %d", id, v.Shard, v.Role, v.Term.Number, v.Leader, v.Voters, v.Learners, len(v.Held))
		}
	}
}

// whole reports that every shard of the ring has its line, led by its home, and holds its keys.
func (c *cluster) whole() bool {
	for id, in := range c.known {
		if !in {
			continue
		}
		s := stream.ShardOf(id, 0)
		n := c.nodes[id]
		if n == nil {
			return false
		}
		ok := false
		for _, v := range n.Look() {
			view := c.view(id)
			line := view.Line(s)
			slices.Sort(line)
			own := view.Own(s)
			var auth record.Authorities
			for _, p := range own {
				auth = auth.Set(record.Authority{Prefix: p, Number: 1, Shard: s}, true, nil)
			}
			ok = ok || v.Shard == s && v.Role == shard.Leader && slices.Equal(v.Voters, line) && slices.Equal(auth.Held(s), v.Held)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (c *cluster) wantWhole(d time.Duration) {
	c.t.Helper()
	for end := c.now + d; c.now < end; {
		if c.run(time.Second); c.whole() {
			return
		}
	}
	c.dump()
	c.t.Fatal("the swarm did not become whole")
}

func TestNode_GrowsToFive(t *testing.T) {
	c := newCluster(t)
	c.members("ann")
	c.start("ann")
	c.wantWhole(10 * time.Second)
	done := 0
	for i := range 40 {
		d := crawl.Domain(fmt.Sprintf("site%d.example", i))
		c.nodes["ann"].Put(d, []byte{1}, "", func(ok bool) {
			if ok {
				done++
			}
		})
	}
	c.run(2 * time.Second)
	if done != 40 {
		t.Fatalf("%d of 40 puts are acknowledged", done)
	}
	ids := []crawl.PeerID{"ann", "bob", "cyd", "dan", "eve"}
	for i := 2; i <= 5; i++ {
		c.members(ids[:i]...)
		c.start(ids[i-1])
		c.wantWhole(90 * time.Second)
		t.Logf("%d members whole at %s", i, c.now)
	}
	got := 0
	for i := range 40 {
		d := crawl.Domain(fmt.Sprintf("site%d.example", i))
		c.nodes["eve"].Ask(d, "", func(l Lease, ok bool) {
			if ok && l.Domain == d {
				got++
			}
		})
	}
	c.run(5 * time.Second)
	if got != 40 {
		t.Fatalf("%d of 40 leases", got)
	}
	for i := range 40 {
		d := crawl.Domain(fmt.Sprintf("site%d.example", i))
		s := c.view("ann").Parts(record.PrefixOf(crawl.KeyOf(d)))[0].Shard
		c.disks[s.Home()].View(func(tx stream.Tx) error {
			if stream.Get(tx, d, "k") == nil {
				t.Errorf("%s is not with its home %s", d, s)
			}
			return nil
		})
	}
	// A home dies; another acts; then the ring goes on without it.
	delete(c.nodes, "bob")
	c.members("ann", "cyd", "dan", "eve")
	c.wantWhole(2 * time.Minute)
}
