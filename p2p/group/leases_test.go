package group

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// trio returns ann, bob and cyd, who keep the shard of ann together, and a domain of it.
func trio(t *testing.T) (*cluster, crawl.Domain) {
	t.Helper()
	c := newCluster(t)
	for i, id := range []crawl.PeerID{"ann", "bob", "cyd"} {
		c.members([]crawl.PeerID{"ann", "bob", "cyd"}[:i+1]...)
		c.start(id)
		c.wantWhole(90 * time.Second)
	}
	for i := range 1000 {
		d := crawl.Domain(fmt.Sprintf("site%d.example", i))
		if c.view("ann").Parts(record.PrefixOf(crawl.KeyOf(d)))[0].Shard == stream.ShardOf("ann", 0) {
			return c, d
		}
	}
	t.Fatal("no domain is ann's")
	return nil, ""
}

// lease has a member ask ann for a lease.
func (c *cluster) lease(by crawl.PeerID, d crawl.Domain) (l Lease) {
	c.t.Helper()
	granted := false
	c.nodes[by].Ask(d, "ann", func(got Lease, ok bool) { l, granted = got, ok })
	if c.run(time.Second); !granted {
		c.dump()
		c.t.Fatalf("%s gets no lease of %s", by, d)
	}
	return l
}

// A follower that missed the end of a lease tells the next leader nothing of it: that one knows from the record.
func TestNode_LeaseStaysOverAfterAnElection(t *testing.T) {
	c, d := trio(t)
	first := c.lease("cyd", d)
	behind := c.nodes["cyd"]
	delete(c.nodes, "cyd")
	c.nodes["ann"].Receive("cyd", returned(behind, first))
	c.run(2 * time.Second)
	second := c.lease("bob", d)
	delete(c.nodes, "ann")
	c.nodes["cyd"] = behind
	for range 40 {
		if c.run(250 * time.Millisecond); len(c.nodes["bob"].Leases()) > 0 {
			break
		}
	}
	live := c.nodes["bob"].Leases()
	if len(live) != 1 || live[0].ID != second.ID || live[0].Fetcher != "bob" {
		t.Errorf("bob leads and counts %+v; want the lease %x of bob, not %x, which is over", live, second.ID, first.ID)
	}
}

// A lease that is given back is over for its leader at once, and others hear of it with what follows: by itself it makes no work.
func TestNode_AReturnWaitsForOthers(t *testing.T) {
	c, d := trio(t)
	l, ann := c.lease("cyd", d), c.nodes["ann"]
	c.settle()
	ann.Receive("cyd", returned(c.nodes["cyd"], l))
	ann.Handle()
	if work, live := ann.Work(), ann.Leases(); work != Idle || len(live) > 0 {
		t.Errorf("work %v waits, %+v live; want none", work, live)
	}
	c.run(3 * time.Second)
	if again := c.lease("bob", d); again.ID == l.ID {
		t.Errorf("bob has the lease %x, which is over", again.ID)
	}
}

// returned is the packet with which a member gives a lease back.
func returned(n *Node, l Lease) (packet []byte) {
	n.Return(l)
	n.Take(stream.NumLanes-1, func(to crawl.PeerID, _ stream.Lane, b []byte) {
		if to == l.Leader {
			packet = slices.Clone(b)
		}
	})
	return packet
}

// A leader grants no more leases than its record has room for: it would not know of those beyond.
func TestNode_GrantsNoMoreLeasesThanItRemembers(t *testing.T) {
	c := newCluster(t)
	c.members("ann")
	c.start("ann")
	c.wantWhole(10 * time.Second)
	granted := make(map[crawl.Domain]int)
	for i := range 2 * (record.MaxLeases + 100) {
		d := crawl.Domain(fmt.Sprintf("site%d.example", i%(record.MaxLeases+100)))
		c.nodes["ann"].Ask(d, "ann", func(l Lease, ok bool) {
			if ok && l.For() > 0 {
				granted[d]++
			}
		})
		if i%1000 == 0 {
			c.settle()
		}
	}
	c.settle()
	if len(granted) != record.MaxLeases {
		t.Errorf("%d leases are granted, want %d", len(granted), record.MaxLeases)
	}
	for d, n := range granted {
		if n > 1 {
			t.Fatalf("%d leases of %s", n, d)
		}
	}
	c.run(15 * time.Second)
	c.lease("ann", "site0.example")
}

// A fetcher that asks for what it has did not hear of it. It gets no second lease, but one that is over, so that it can give back the
// first.
func TestNode_AskedAgainForWhatIsLent(t *testing.T) {
	c := newCluster(t)
	c.members("ann")
	c.start("ann")
	c.wantWhole(10 * time.Second)
	var all []Lease
	ask := func() {
		c.nodes["ann"].Ask("a.example", "ann", func(l Lease, ok bool) {
			if ok {
				all = append(all, l)
			}
		})
		c.run(2 * time.Second)
	}
	ask()
	ask()
	if len(all) != 2 || all[0].ID != all[1].ID || all[0].For() != shard.LabTimes.Lease || all[1].For() != 0 || len(all[1].Body) > 0 {
		t.Fatalf("granted: %+v", all)
	}
	c.nodes["ann"].Return(all[1])
	c.run(2 * time.Second)
	if ask(); len(all) != 3 || all[2].ID == all[0].ID || all[2].For() == 0 {
		t.Errorf("after it was given back: %+v", all)
	}
}

// An answer to an earlier sending is taken, and counts from that.
func TestNode_LateAnswerCountsFromItsRequest(t *testing.T) {
	c := newCluster(t)
	c.members("ann")
	c.start("ann")
	c.wantWhole(10 * time.Second)
	n := c.nodes["ann"]
	var got []Lease
	n.Ask("a.example", "ann", func(l Lease, ok bool) { got = append(got, l) })
	var first uint64
	for id := range n.calls.waiting {
		first = id
	}
	asked := n.calls.waiting[first].asked[0].awake
	n.calls.send(n.calls.waiting[first])
	if len(n.calls.waiting) != 2 {
		t.Fatalf("%d numbers wait, want those of both sendings", len(n.calls.waiting))
	}
	n.calls.granted("ann", first, record.Lease{ID: 7, Domain: "a.example", Left: time.Second}, nil)
	if len(got) != 1 || got[0].ID != 7 || got[0].awake != asked || len(n.calls.waiting) != 0 {
		t.Errorf("got %+v, asked at %v; %d still wait", got, asked, len(n.calls.waiting))
	}
}

// While a leader hands over it takes nothing in: what it refuses has no effect there.
func TestNode_RefusesBeforeItTakes(t *testing.T) {
	c, d := trio(t)
	home := c.nodes["ann"]
	delete(c.nodes, "ann")
	c.run(15 * time.Second)
	c.nodes["ann"] = home
	id, taken, refused := crawl.PeerID("bob"), 0, 0
	if acts, _ := c.nodes[id].Acts(d); !acts {
		id = "cyd"
	}
	leader := c.nodes[id]
	leader.cfg.Take = func(Sender, crawl.Domain, []byte) ([]stream.Make, crawl.LeaseID, bool) { taken++; return nil, 0, true }
	for end := c.now + 15*time.Second; c.now < end; c.now += shard.LabTimes.Beat / raftlog.TicksPerBeat {
		for _, p := range []crawl.PeerID{"ann", "bob", "cyd"} {
			c.nodes[p].Tick()
		}
		before := taken
		leader.Handle()
		acts, _ := leader.Acts(d)
		leader.Put(d, nil, id, func(bool) {})
		if leader.Handle(); acts && len(leader.inbox) > 0 { // it tells itself that it refuses
			if refused++; taken > before {
				t.Fatalf("%s takes what it refuses", id)
			}
		}
		c.settle()
	}
	if acts, _ := home.Acts(d); !acts || refused == 0 || taken == 0 {
		t.Errorf("ann acts: %v, %s has refused %d and taken %d; this tests nothing", acts, id, refused, taken)
	}
}

// Without a majority nothing counts, but a member's own store can take what its fetchers did.
func TestNode_CarefulLeaderPutsHere(t *testing.T) {
	c, d := trio(t)
	if c.nodes["ann"].PutHere(d, []byte{1}, func(bool) { t.Error("it is done") }) {
		t.Error("a leader with followers puts something only here")
	}
	for _, id := range []crawl.PeerID{"bob", "cyd"} {
		delete(c.nodes, id)
	}
	c.run(shard.LabTimes.Careful + 5*time.Second)
	if l := c.lease("ann", d); !l.Careful {
		t.Fatalf("the lease is %+v, want a careful one", l)
	}
	here, counts := 0, 0
	if !c.nodes["ann"].PutHere(d, []byte{1}, func(stored bool) {
		if stored {
			here++
		}
	}) {
		t.Error("a careful leader cannot put something here")
	}
	c.nodes["ann"].Put(d, []byte{1}, "", func(ok bool) {
		if ok {
			counts++
		}
	})
	c.run(5 * time.Second)
	if here != 1 || counts != 0 {
		t.Errorf("%d put here, %d count, want 1 and 0", here, counts)
	}
	told := 0
	if !c.nodes["ann"].PutHere(d, []byte{1}, func(stored bool) {
		if !stored {
			told++
		}
	}) {
		t.Error("a careful leader cannot put something more here")
	}
	c.nodes["ann"].Abandon() // as when the store failed
	if told != 1 {
		t.Errorf("%d were told that nothing was stored, want 1", told)
	}
}

// A domain moves while it is lent: what the fetcher brings last finds the new leader, and ends the lease there.
func TestNode_LeaseOfAMovedDomainEnds(t *testing.T) {
	c, _ := trio(t)
	c.members("ann", "bob", "cyd", "dan")
	var d crawl.Domain
	for i := 0; d == "" || c.view("ann").Parts(record.PrefixOf(crawl.KeyOf(d)))[0].Shard != stream.ShardOf("dan", 0); i++ {
		d = crawl.Domain(fmt.Sprintf("site%d.example", i))
	}
	c.members("ann", "bob", "cyd")
	l := c.lease("cyd", d)
	c.members("ann", "bob", "cyd", "dan")
	c.start("dan")
	for c.run(250 * time.Millisecond); ; c.run(250 * time.Millisecond) {
		if acts, _ := c.nodes["dan"].Acts(d); acts {
			break
		}
	}
	if _, left := c.nodes["dan"].Acts(d); l.ID == 0 || left == 0 {
		t.Fatalf("the lease %x counts for %v at the new leader, which is no test", l.ID, left)
	}
	c.nodes["dan"].cfg.Take = func(Sender, crawl.Domain, []byte) ([]stream.Make, crawl.LeaseID, bool) { return nil, l.ID, true }
	c.nodes["cyd"].Put(d, []byte{1}, l.Leader, func(bool) {})
	c.run(2 * time.Second)
	if _, left := c.nodes["dan"].Acts(d); left > time.Second {
		t.Errorf("the lease counts for another %v after its end", left)
	}
}

// A lease is taken from the line of the domain's home, and from whom that line names.
func TestNode_LeaseOfWhoMayGrant(t *testing.T) {
	for _, c := range []struct {
		name     string
		moved    []crawl.PeerID // who says that mal acts, one after the other
		from     crawl.PeerID
		stranger bool // the fetcher is one
		want     bool
	}{
		{"the home", nil, "ann", false, true},
		{"another of the line", nil, "bob", false, true},
		{"a stranger", nil, "mal", false, false},
		{"a stranger that the line names", []crawl.PeerID{"bob"}, "mal", false, true},
		{"a stranger that a stranger names", []crawl.PeerID{"eve"}, "mal", false, false},
		{"an owner, to a stranger", nil, "old", true, true},
		{"an owner, to a member", nil, "old", false, false},
		{"a stranger, to a stranger", nil, "mal", true, false},
	} {
		net, d := trio(t)
		n, taken := net.nodes["cyd"], false
		net.known["old"] = false // an owner that is in no line
		net.view("cyd")
		n.cfg.Stranger = func() bool { return c.stranger }
		n.Ask(d, "mal", func(_ Lease, ok bool) { taken = ok })
		for _, by := range c.moved {
			n.calls.moved(by, slices.Collect(maps.Keys(n.calls.waiting))[0], "mal")
		}
		for id := range n.calls.waiting {
			n.calls.granted(c.from, id, record.Lease{ID: 1, Domain: d, Left: time.Second}, nil)
		}
		if taken != c.want {
			t.Errorf("a lease of %s is taken: %v", c.name, taken)
		}
	}
}

// What a follower stored is an answer, also where a tick comes before the commit that takes it.
func TestNode_AckBeforeATick(t *testing.T) {
	c, d := trio(t)
	ann, bob := c.nodes["ann"], c.nodes["bob"]
	for ann.ticks%raftlog.TicksPerBeat != 1 { // the next heartbeat is not to answer
		for _, n := range c.nodes {
			n.Tick()
		}
		c.now += time.Second / raftlog.TicksPerBeat
		c.settle()
	}
	done := false
	ann.Put(d, []byte{1}, "ann", func(ok bool) { done = ok })
	commit := func(from, to *Node, name crawl.PeerID) {
		if err := from.Commit(true); err != nil {
			t.Fatal(err)
		}
		from.Take(stream.NumLanes-1, func(peer crawl.PeerID, _ stream.Lane, b []byte) {
			if c.nodes[peer] == to {
				to.Receive(name, b)
			}
		})
	}
	commit(ann, bob, "ann")
	commit(bob, ann, "bob")
	ann.Handle()
	ann.Tick()
	if work := ann.Work(); work != Urgent {
		t.Fatalf("the work is %d after the tick, want %d", work, Urgent)
	}
	if err := ann.Commit(false); err != nil || !done {
		t.Errorf("the put is answered: %v, %v; want it after this commit", done, err)
	}
}

// Nothing leaves while what a packet may speak of is not durable: here a later founding of a shard.
func TestNode_LaterFoundingIsUnwritten(t *testing.T) {
	c, _ := trio(t)
	bob, s := c.nodes["bob"], stream.ShardOf("ann", 0)
	var founding uint64
	for _, v := range bob.Look() {
		if v.Shard == s {
			founding = v.Term.Founding
		}
	}
	m := newMessage(3) // of Raft
	stream.WriteShard(m, s, "ann", "bob")
	m.Fixed(founding + 1<<40)
	vote, err := proto.Marshal(&raftpb.Message{Type: raftpb.MsgVote.Enum(), Term: new(uint64(1))})
	if err != nil {
		t.Fatal(err)
	}
	m.B = append(m.B, vote...)
	p := &codec.Writer{}
	p.Byte(version)
	p.Fixed(bob.peers.of("ann").boot)
	p.Fixed(bob.peers.boot)
	p.Bytes(m.B)
	bob.Receive("ann", p.B)
	if bob.Handle(); !bob.Unwritten() || bob.Work() != Urgent {
		t.Errorf("unwritten: %v, work %d; want true and %d", bob.Unwritten(), bob.Work(), Urgent)
	}
	if err := bob.Commit(false); err != nil || bob.Unwritten() {
		t.Errorf("after a commit: unwritten: %v, %v; want false", bob.Unwritten(), err)
	}
}
