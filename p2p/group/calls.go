package group

import (
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// Lease is a fetcher's right to visit a domain.
type Lease struct {
	ID      crawl.LeaseID
	Domain  crawl.Domain
	Gap     time.Duration // between two requests
	Careful bool          // its leader had no majority; Gap is three times what the domain asks for
	Leader  crawl.PeerID
	Body    []byte // what the leader's Config.Lend gave

	awake time.Duration // when it was asked for
	wall  time.Time
	lives time.Duration
}

// calls are the requests of this node, member or not, that wait for an answer.
type calls struct {
	n       *Node
	waiting map[uint64]*call // by the numbers of all their sendings
}

// call is one request. Every time it is sent for a lease it has a new number: a lease counts from the sending that is
// answered.
type call struct {
	id     uint64 // of the last sending
	asked  []sending
	domain crawl.Domain
	body   []byte
	tries  int
	moved  int
	sent   time.Duration
	to     crawl.PeerID // who was asked last
	hint   crawl.PeerID
	named  crawl.PeerID // by the line of the domain's home, or by one that was so named
	lease  func(Lease, bool)
	put    func(bool)
}

// sending is when a request for a lease was sent, by both clocks.
type sending struct {
	id    uint64
	awake time.Duration
	wall  time.Time
}

const (
	maxCalls = 1024
	maxTries = 4
	maxMoved = 2 // how often a hint is followed
)

func (c *calls) begin(n *Node) { c.n, c.waiting = n, map[uint64]*call{} }

// Ask asks for a lease of a domain: hint, or the leader of its home if hint is "" or has nothing to do with the
// domain's home: that one knows who acts for it. done is called once, from Commit or Tick; false: none was granted.
func (n *Node) Ask(d crawl.Domain, hint crawl.PeerID, done func(Lease, bool)) {
	if len(n.calls.waiting) >= maxCalls {
		done(Lease{}, false)
		return
	}
	x := &call{domain: d, lease: done}
	if n.calls.mayGrant(x, hint) {
		x.hint = hint
	}
	n.calls.send(x)
}

// MaxBody bounds what is put at a time, goes with a lease, or is told, in bytes.
const MaxBody = 512 << 10

// Put brings something about a domain, at most MaxBody bytes, to the member that acts for it: hint, or the leader of
// its home if hint is "". Config.Take makes items of it there. done is called once, from Commit or Tick; true: the
// leader and a follower have them.
func (n *Node) Put(d crawl.Domain, body []byte, hint crawl.PeerID, done func(stored bool)) {
	if len(n.calls.waiting) >= maxCalls || len(body) > MaxBody {
		done(false)
		return
	}
	n.calls.send(&call{domain: d, body: body, hint: hint, put: done})
}

// Tell tells a peer something of at most MaxBody bytes, which may be lost.
func (n *Node) Tell(to crawl.PeerID, body []byte) {
	if len(body) <= MaxBody {
		w := newMessage(kindTell)
		w.Bytes(body)
		n.peers.send(to, stream.LaneAct, w)
	}
}

// Return gives a lease back. If that is lost, the lease lapses.
func (n *Node) Return(l Lease) {
	w := newMessage(kindReturn)
	w.Fixed(uint64(l.ID))
	w.Text(string(l.Domain))
	n.peers.send(l.Leader, stream.LaneAct, w)
}

// Live reports whether a fetcher may still begin a request under a lease. It counts from when it asked, by
// the clock that ran further.
func (n *Node) Live(l Lease) bool {
	return max(n.cfg.Clock.Awake()-l.awake, n.cfg.Clock.Wall().Sub(l.wall)) < l.lives
}

// For returns how long a lease lasts, counted from when it was asked for.
func (l Lease) For() time.Duration { return l.lives }

// Leader returns the member that is asked first about a domain: the leader of its home, as far as is known. "" if
// there is none.
func (n *Node) Leader(d crawl.Domain) crawl.PeerID {
	return n.routes.to(n.routes.home(d))
}

// mayGrant reports whether a peer may grant what is asked for: this node itself, one of the line of the domain's
// home, and whoever acts for the domain by the word of these. To a stranger any owner may.
func (c *calls) mayGrant(x *call, p crawl.PeerID) bool {
	n := c.n
	return p == n.cfg.Self || p != "" && p == x.named ||
		slices.Contains(n.cfg.Directory.Line(n.routes.home(x.domain)), p) ||
		n.cfg.Stranger != nil && n.cfg.Stranger() && n.cfg.Directory.Owner(p)
}

func (c *calls) send(x *call) {
	n := c.n
	to := x.hint
	if to == "" {
		to = n.Leader(x.domain)
	}
	x.to, x.hint = to, ""
	x.tries++
	x.sent = n.cfg.Clock.Awake()
	if x.put == nil || x.id == 0 {
		x.id = n.cfg.Chance()
	}
	if x.put == nil {
		x.asked = append(x.asked, sending{x.id, n.cfg.Clock.Awake(), n.cfg.Clock.Wall()})
	}
	c.waiting[x.id] = x
	if to == "" {
		return
	}
	k := kindAsk
	if x.put != nil {
		k = kindPut
	}
	w := newMessage(k)
	w.Fixed(x.id)
	w.Text(string(x.domain))
	if x.put != nil {
		w.Bytes(x.body)
	}
	n.peers.send(to, stream.LaneAct, w)
}

// take ends the wait for an answer.
func (c *calls) take(id uint64) *call {
	x := c.waiting[id]
	if x == nil {
		return nil
	}
	delete(c.waiting, id)
	for _, s := range x.asked {
		delete(c.waiting, s.id)
	}
	x.asked = nil
	return x
}

func (x *call) fail() {
	if x.put != nil {
		x.put(false)
	} else {
		x.lease(Lease{}, false)
	}
}

// granted takes a lease that was granted.
func (c *calls) granted(from crawl.PeerID, id uint64, l record.Lease, body []byte) {
	x := c.waiting[id]
	if x == nil || x.lease == nil || l.Domain != x.domain || l.Left > c.n.cfg.Times.Lease || !c.mayGrant(x, from) {
		return
	}
	s := x.asked[slices.IndexFunc(x.asked, func(s sending) bool { return s.id == id })]
	c.take(id)
	x.lease(Lease{ID: l.ID, Domain: l.Domain, Gap: l.Gap, Careful: l.Careful, Leader: from, Body: body,
		awake: s.awake, wall: s.wall, lives: l.Left}, true)
}

func (c *calls) stored(id uint64) {
	if x := c.waiting[id]; x != nil && x.put != nil {
		c.take(id).put(true)
	}
}

// moved asks the member that the answer names, twice at most; without a name the call failed. An answer to an earlier
// sending says nothing about the last one.
func (c *calls) moved(from crawl.PeerID, id uint64, hint crawl.PeerID) {
	x := c.waiting[id]
	if x == nil || x.id != id {
		return
	}
	c.take(id)
	switch {
	case hint == "" || x.moved >= maxMoved:
		x.fail()
	default:
		x.moved++
		if c.mayGrant(x, from) {
			x.named = hint
		}
		x.hint = hint
		c.send(x)
	}
}

// tick sends again what was not answered for two beats, each time twice as long, and gives up after some times. A
// lease takes two round trips, and is granted once only, so that it is waited for twice as long. After one beat it
// asks another if the one that was asked is silent, or leads no more: what a fetcher has to bring should be there
// before others are lent the domain.
func (c *calls) tick() {
	for _, id := range slices.Sorted(maps.Keys(c.waiting)) {
		x, beat := c.waiting[id], c.n.cfg.Times.Beat
		if x == nil || x.id != id {
			continue
		}
		waited, wait := c.n.cfg.Clock.Awake()-x.sent, 2*beat<<min(x.tries-1, maxTries)
		if x.lease != nil {
			wait *= 2
		}
		if waited < wait && (c.n.peers.silent(x.to) || c.n.routes.otherLeads(x.domain, x.to)) {
			wait = beat
		}
		if waited < wait {
			continue
		}
		if x.tries >= maxTries {
			c.take(id)
			x.fail()
			continue
		}
		c.send(x)
	}
}

// Acts returns whether this member acts for a domain, carefully or not, and how long a lease of it counts here still.
func (n *Node) Acts(d crawl.Domain) (acts bool, leased time.Duration) {
	r := n.requests.holder(d)
	if r == nil {
		return false, 0
	}
	for _, l := range n.host.Leases(r, d) {
		leased = max(leased, l.Left)
	}
	return true, leased
}

// ActsIn returns the shard for which this member acts for a domain; acts is false if it does not.
func (n *Node) ActsIn(d crawl.Domain) (s stream.Shard, acts bool) {
	r := n.requests.holder(d)
	if r == nil {
		return "", false
	}
	a, _ := r.Authority(d)
	return a.Shard, true
}

// Leases returns the leases that live, of domains for which this member acts. The gap that each counts for after that
// is left out.
func (n *Node) Leases() (list []record.Lease) {
	for _, s := range n.shards() {
		r := n.replicas[s]
		for _, l := range n.host.AllLeases(r) {
			// those of a domain that was released stay in the record
			if l.Left > l.Gap && n.requests.holder(l.Domain) == r {
				list = append(list, l)
			}
		}
	}
	return list
}

// Look returns what this member is in each shard it keeps, in the order of their names.
func (n *Node) Look() []View {
	var views []View
	for _, s := range n.shards() {
		views = append(views, n.replicas[s].Look())
	}
	return views
}

// Streams returns what this member knows of items.
func (n *Node) Streams() *stream.Streams { return n.streams }

// Counts are what a Node has refused and passed on since its start.
type Counts struct {
	Malformed int // packets that are not packets, or found the inbox full
	Dropped   int // messages that found the queue of their receiver full
	Relayed   int // bytes passed on for two others that do not reach each other
}

// Counts returns them.
func (n *Node) Counts() Counts { return Counts{n.bad, n.peers.dropped, n.peers.relayed} }

// Sizes returns how many entries each map and queue has, for tests that nothing grows.
func (n *Node) Sizes() map[string]int {
	sizes := n.streams.Sizes()
	sizes["group.replicas"], sizes["group.peers"], sizes["group.hints"] = len(n.replicas), len(n.peers.known),
		len(n.routes.hints)
	sizes["group.calls"], sizes["group.inbox"] = len(n.calls.waiting), len(n.inbox)
	for _, r := range n.replicas {
		r.AddSizes(sizes)
	}
	return sizes
}
